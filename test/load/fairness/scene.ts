import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { flushVictoriaMetrics, importLines } from "../../support/samples.ts";

/**
 * The teams, one sink each: the first ones' receivers hang on command, the next ones have many sinks whose
 * names then fail to resolve, and the last one is the large team.
 */
export const teamCount = 50;
export const hangingCount = 5;
const namelessCount = 3;
const namelessSinks = 20;
export const largeTeam = teamCount - 1;
export const seriesOfTeam = 20;
export const hangingTeams: readonly number[] = Array.from({ length: hangingCount }, (_, index) => index);
export const others: readonly number[] = Array.from(
  { length: largeTeam - hangingCount - namelessCount },
  (_, index) => hangingCount + namelessCount + index,
);
/** The domain whose hosts the name server ignores on command. */
export const namelessDomain = "nameless.test";
export const receiverHost = "receiver.test";

/** Much shorter than the default, so that the other teams' cycles are frequent. */
export const intervalMs = 2_000;
/** Interval between two samples of a series of the large team. */
const largeEveryMs = 30_000;
const never = new AbortController().signal;

export interface Scene {
  readonly storeUrl: string;
  /** Port of the receiver of all teams. */
  readonly receiverPort: number;
  readonly folder: string;
}

/** The namespace of a team's policy. */
export function namespaceOf(team: number): string {
  return `team-${team}`;
}

/** Absolute URLs of a team's sinks. */
function endpointsOf(team: number, port: number): string[] {
  const isNameless = team >= hangingCount && team < hangingCount + namelessCount;
  const hosts = isNameless
    ? Array.from({ length: namelessSinks }, (_, index) => `r${index}.team-${team}.${namelessDomain}`)
    : [receiverHost];
  return hosts.map((host) => `http://${host}:${port}/api/v1/write?team=${team}`);
}

/** Writes a team's policy into the directory atomically. */
export async function writePolicy({ folder, receiverPort }: Scene, team: number): Promise<void> {
  const isLarge = team === largeTeam;
  const policy = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "policy", namespace: namespaceOf(team) },
    spec: {
      sources: [{ name: "source", metrics: { metricsql: `{job="fair",team="${team}"}` } }],
      sinks: endpointsOf(team, receiverPort).map((endpoint, index) => ({
        name: `sink-${index}`,
        sources: ["source"],
        target: {
          prometheusRemoteWrite: {
            endpoint,
            batch: { timeout: isLarge ? "5s" : "2s", maxSize: isLarge ? 5_000 : 2_000 },
            retry: { maxAttempts: 3, backoffDuration: "500ms" },
          },
        },
      })),
    },
  };
  await mkdir(join(folder, "policies"), { recursive: true });
  const file = join(folder, "policies", `${namespaceOf(team)}.json`);
  await writeFile(`${file}.new`, JSON.stringify(policy));
  await rename(`${file}.new`, file);
}

/**
 * Writes the samples to export, most of them with future timestamps, so that nothing is written during a
 * measurement: one per second for the small teams, and one every half minute for the large team, three of
 * them in the past.
 */
export async function writeSamples({ storeUrl }: Scene, largeSeries: number, forMs: number): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
  const often = ending(nowMs, nowMs + forMs, 1_000);
  const rarely = ending(nowMs - 3 * largeEveryMs, nowMs + forMs, largeEveryMs);
  function* lines(): Generator<string> {
    for (let series = 0; series < largeSeries; series++) yield beginning(largeTeam, series) + rarely;
    for (let team = 0; team < largeTeam; team++) {
      for (let series = 0; series < seriesOfTeam; series++) yield beginning(team, series) + often;
    }
  }
  await importLines(storeUrl, lines(), never);
  await flushVictoriaMetrics(storeUrl, never);
}

/** The start of a line, up to its values and timestamps; shared by many lines. */
function beginning(team: number, series: number): string {
  const pod = `web-${Math.floor(series / 40)}-7d9c5b6f4`;
  return `{"metric":{"__name__":"fair_metric_${series % 40}_total","job":"fair","team":"${team}","cluster":"eu-1","pod":"${pod}","container":"main","path":"/api/v1/items","series":"${series}"},`;
}

function ending(fromMs: number, toMs: number, everyMs: number): string {
  const timestamps: number[] = [];
  for (let ms = fromMs; ms <= toMs; ms += everyMs) timestamps.push(ms);
  return `"values":[${timestamps.map((_, index) => index)}],"timestamps":[${timestamps}]}\n`;
}
