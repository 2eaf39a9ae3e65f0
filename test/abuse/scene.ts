import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { flushVictoriaMetrics, importLines } from "../support/samples.ts";
import { operatorHeader } from "./operator-header.ts";

/** Ten honest sinks, whose samples must arrive on time: half from the directory, half from a project. */
export const honestTeams: readonly number[] = Array.from({ length: 10 }, (_, index) => index);
export const honestProject = "web";
export const hostileProject = "evil";
/** A tick of this many series is complete, as in the receiver of the fairness test. */
const seriesOfTeam = 20;
/** Much shorter than the default, so that a delayed cycle is noticeable. */
export const intervalMs = 2_000;
export const delayMs = 1_000;
export const tenantLabel = "project";
const groupDomain = "platformapis";
const never = new AbortController().signal;

/** Zones of the test's name server: names of one resolve, queries for the other get no response. */
export const honestZone = "honest.test";
export const deadZone = "dead.test";
/** Its names have an address that no tenant may reach. */
export const forbiddenZone = "inner.test";

/** The hostile project's series for relabelling. */
export const hostileSeries = "abuse_relabelled";

/** Whether a team belongs to the honest project; otherwise to the directory. */
export function isOfProject(team: number): boolean {
  return team >= honestTeams.length / 2;
}

/** The manifest of a policy that sends a selector's series to one endpoint. */
export function policyOf(name: string, metricsql: string, endpoint: string, maxAttempts = 3): object {
  return {
    apiVersion: `telemetry.${groupDomain}/v1alpha1`,
    kind: "ExportPolicy",
    metadata: { name, namespace: "default" },
    spec: {
      sources: [{ name: "source", metrics: { metricsql } }],
      sinks: [
        {
          name: "sink",
          sources: ["source"],
          target: {
            prometheusRemoteWrite: {
              endpoint,
              batch: { timeout: "2s", maxSize: 500 },
              retry: { maxAttempts, backoffDuration: "500ms" },
            },
          },
        },
      ],
    },
  };
}

export function honestPolicy(team: number, receiverUrl: string): object {
  return policyOf(`team-${team}`, `{job="fair",team="${team}"}`, `${receiverUrl}?team=${team}`);
}

/** Writes the directory's policies. */
export async function writeDirectoryPolicies(folder: string, receiverUrl: string): Promise<void> {
  await mkdir(join(folder, "policies"), { recursive: true });
  for (const team of honestTeams.filter((each) => !isOfProject(each))) {
    const file = join(folder, "policies", `team-${team}.json`);
    await writeFile(file, JSON.stringify(honestPolicy(team, receiverUrl)));
  }
}

/**
 * Writes a sample per second for every series, for the whole run in advance, so that nothing is written
 * meanwhile.
 */
export async function writeSamples(storeUrl: string, forMs: number): Promise<void> {
  const fromMs = Math.floor(Date.now() / 1_000) * 1_000;
  const timestamps: number[] = [];
  for (let ms = fromMs; ms <= fromMs + forMs; ms += 1_000) timestamps.push(ms);
  const ending = `"values":[${timestamps.map((_, index) => index)}],"timestamps":[${timestamps}]}\n`;
  function* lines(): Generator<string> {
    for (const team of honestTeams) yield* linesOf(isOfProject(team) ? honestProject : "none", team);
    yield* linesOf(hostileProject, honestTeams.length);
    const forgeable = { __name__: hostileSeries, [tenantLabel]: hostileProject };
    yield `{"metric":${JSON.stringify({ ...forgeable, want: tenantLabel, my_project: "web" })},${ending}`;
  }
  function* linesOf(project: string, team: number): Generator<string> {
    for (let series = 0; series < seriesOfTeam; series++) {
      const labels = { __name__: "abuse_total", job: "fair", [tenantLabel]: project, team: `${team}` };
      yield `{"metric":${JSON.stringify({ ...labels, series: `${series}` })},${ending}`;
    }
  }
  await importLines(storeUrl, lines(), never);
  await flushVictoriaMetrics(storeUrl, never);
}

export interface SceneConfig {
  readonly storeUrl: string;
  readonly redisUrl: string;
  readonly platformPort: number;
  readonly gatewayPort: number;
  readonly gatewayTlsPort: number;
  readonly tokenFile: string;
  /** `address:port` */
  readonly nameServer: string;
  /** Of the receiver that the operator has credentials for. */
  readonly operatorUrl: string;
  /** The section of the name; undefined: no workloads run. */
  readonly provider: object | undefined;
}

/** One daemon that exports, follows the platform and hosts it, with its gateway. */
export function daemonConfig(scene: SceneConfig) {
  const { storeUrl, redisUrl, platformPort, gatewayPort, gatewayTlsPort, tokenFile, nameServer, provider } =
    scene;
  const headers = { [operatorHeader.name]: operatorHeader.value };
  return {
    policies: { directory: "./policies" },
    metrics: { url: storeUrl, interval: `${intervalMs}ms`, delay: `${delayMs}ms`, tenantLabel },
    delivery: {
      ...{ startFrom: "1m", shutdownTimeout: "5s" },
      endpoints: [
        { urlPrefix: `${scene.operatorUrl}/shared`, tenants: true, headers },
        { urlPrefix: `${scene.operatorUrl}/own`, headers },
      ],
    },
    egress: { allow: ["127.0.0.0/8"], nameServers: [nameServer] },
    redis: { url: redisUrl },
    state: { directory: "./state" },
    platform: { listen: `127.0.0.1:${platformPort}` },
    gateway: { listen: `127.0.0.1:${gatewayPort}`, tlsListen: `127.0.0.1:${gatewayTlsPort}` },
    controlPlane: {
      apiUrl: `https://127.0.0.1:${platformPort}`,
      projects: [honestProject, hostileProject],
      accessTokenFile: tokenFile,
    },
    provider,
  };
}
