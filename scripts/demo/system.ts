import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { ensureBuilt, projectRoot } from "../daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../daemon/daemon.ts";
import type { Matcher } from "../samples/read.ts";
import { waitUntilReady } from "../servers/child.ts";
import { findServers } from "../servers/find.ts";
import { freePort, isListening } from "../servers/free-port.ts";
import type { RunningServer } from "../servers/server.ts";
import { startPrometheus, startRedis, startVictoriaMetrics } from "../servers/start.ts";
import { type DemoPlatform, prepareDemoPlatform } from "./demo-platform.ts";
import { type DemoInstances, startDemoInstances } from "./instances.ts";
import type { ProcessNotes } from "./leftovers.ts";
import { type DemoProxy, startDemoProxy } from "./proxy.ts";

/** Data folder of the demo. Two concurrent demos need two folders. */
export const demoFolder = resolve(process.env["DEMO_DIRECTORY"] || join(projectRoot, ".demo"));

/** Credentials of the receiver that requires them; as in config/demo/policies/secret.yaml. */
const authorization = `Basic ${Buffer.from("demo:demo-password").toString("base64")}`;

/** The demo's processes: a source, two receivers, and telemetryd with everything it serves. */
export interface DemoSystem {
  readonly source: RunningServer;
  readonly sinks: readonly DemoSink[];
  readonly daemon: RunningDaemon;
  /** URL of the roadmap page, and the file behind it. */
  readonly roadmap: { readonly url: string; readonly file: string };
  readonly platform: DemoPlatform;
  readonly instances: DemoInstances;
  /** Address of the project's instance; undefined if it does not run. */
  readonly instanceAddress: string | undefined;
  /** The project's HTTPProxy; undefined if no gateway serves it. Where nothing runs, the demo is its backend. */
  readonly proxy: DemoProxy | undefined;
}

/** A sink for the summary's comparison; `sink` is its name in the policy. */
export interface DemoSink {
  readonly sink: string;
  /** The union of its policy's sources. */
  readonly exported: readonly Matcher[];
  readonly kind: "prometheus" | "victoria-metrics";
  readonly server: RunningServer;
  /** Headers for reading the receiver's samples. */
  readonly headers: Readonly<Record<string, string>>;
}

const ofDirectory: readonly Matcher[] = [
  { name: "job", type: "=~", value: "victoria-metrics|prometheus|telemetryd" },
];
const ofProject: readonly Matcher[] = [
  { name: "resourcemanager_platformapis_project_name", type: "=", value: "web" },
];

export interface StartOptions {
  readonly notes: ProcessNotes;
  /**
   * Receives a stop function as soon as a process is started, so that the caller can stop everything at any
   * time.
   */
  readonly stops: (() => Promise<unknown>)[];
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the whole system on free ports, with new data below `.demo/`. */
export async function startSystem(options: StartOptions): Promise<DemoSystem> {
  const { notes, stops, say, signal } = options;
  await ensureBuilt(signal, () => say("building telemetryd"));
  const { haproxy } = await findServers(["victoria-metrics", "prometheus", "redis-server", "haproxy"], {
    onProgress: say,
    signal,
  });
  for (const name of ["data", "state", "policies", "platform", "logs"]) {
    await rm(join(demoFolder, name), { recursive: true, force: true });
    await mkdir(join(demoFolder, name), { recursive: true });
  }

  say("starting VictoriaMetrics twice, Prometheus and Redis");
  const started = async (start: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await start;
    stops.push(() => server.stop());
    return server;
  };
  const common = (name: string) => ({
    dataDir: join(demoFolder, "data", name),
    logFile: join(demoFolder, "logs", `${name}.log`),
    ownGroup: true,
    onStart: (pid: number) => notes.add(name, pid),
    signal,
  });

  const prometheus = await started(
    startPrometheus({
      ...common("prometheus"),
      flags: [`--web.config.file=${join(projectRoot, "config/demo/prometheus-web.yaml")}`],
    }),
  );
  const second = await started(startVictoriaMetrics(common("receiver")));
  const redis = await started(startRedis(common("redis")));
  const [sourcePort, opsPort] = [await freePort(), await freePort()];
  const [apiPort, platformPort] = [await freePort(), await freePort()];
  const [proxyPort, proxyTlsPort] = [await freePort(), await freePort()];
  const addresses: [string, string][] = [
    ["victoria-metrics-receiver:8428", `127.0.0.1:${second.port}`],
    ["127.0.0.1:8428", `127.0.0.1:${sourcePort}`],
    ["prometheus:9090", `127.0.0.1:${prometheus.port}`],
    ["telemetryd:9464", `127.0.0.1:${opsPort}`],
  ];
  const source = await started(
    startVictoriaMetrics({
      ...common("source"),
      port: sourcePort,
      scrapeConfig: await demoFile("scrape.yaml", addresses),
    }),
  );
  const platformFiles = ["platform/project.yaml", "platform/export-policy.yaml", "platform/workload.yaml"];
  const files = ["policies/secret.yaml", "policies/export-policy.yaml", "backlog.json", ...platformFiles];
  for (const name of files) await writeFile(join(demoFolder, name), await demoFile(name, addresses));

  const instances = await startDemoInstances(
    {
      logFile: join(demoFolder, "logs", "podman.log"),
      onStart: (pid) => notes.add("podman", pid),
      noteFile: join(demoFolder, "podman-folder"),
    },
    signal,
  );
  stops.push(() => instances.stop());
  const configFile = join(projectRoot, "config", "demo.yaml");
  const env = {
    TELEMETRYD_METRICS_URL: source.url,
    TELEMETRYD_POLICIES_DIRECTORY: join(demoFolder, "policies"),
    TELEMETRYD_STATE_DIRECTORY: join(demoFolder, "state"),
    TELEMETRYD_REDIS_URL: redis.url,
    TELEMETRYD_ROADMAP_FILE: join(demoFolder, "backlog.json"),
    TELEMETRYD_API_LISTEN: `127.0.0.1:${apiPort}`,
    TELEMETRYD_PLATFORM_LISTEN: `127.0.0.1:${platformPort}`,
    TELEMETRYD_GATEWAY_LISTEN: `127.0.0.1:${proxyPort}`,
    TELEMETRYD_GATEWAY_TLS_LISTEN: `127.0.0.1:${proxyTlsPort}`,
  };
  const apiUrl = `https://127.0.0.1:${platformPort}`;
  const folder = join(demoFolder, "platform");
  const platform = await prepareDemoPlatform({ configFile, env, apiUrl, folder }, signal);

  const daemon = await startDaemon({
    configFile,
    opsPort,
    env: { ...haproxy.env, ...env, ...platform.env, ...instances.env, HAPROXY_BIN: haproxy.path },
    logFile: join(demoFolder, "logs", "telemetryd.log"),
    onStart: (pid) => notes.add("telemetryd", pid),
    signal,
  });
  say(`telemetryd exports: ${daemon.opsUrl}/; waiting for the project's workload and HTTPProxy`);
  // Stopped first: it must not see its servers go.
  stops.unshift(() => daemon.child.stop());
  await waitUntilReady("the platform", daemon.child, () => isListening(platformPort), 30_000, signal);
  const [project = "", policy = "", workload = ""] = platformFiles.map((name) => join(demoFolder, name));
  await platform.fill({ project, policy, workload }, signal);
  const instanceAddress = await platform.instanceAddress(signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    // The exports are shown nevertheless; the reason is in the workload's conditions.
    return undefined;
  });
  const isRunning = instances.kind === "engine" && instanceAddress !== undefined;
  const endpoint = isRunning ? `http://${instanceAddress}:8080` : await startStandIn(stops);
  const caFile = join(demoFolder, "state", "platform", "ca.crt");
  const proxy = await startDemoProxy(
    { platform, port: proxyPort, tlsPort: proxyTlsPort, caFile, endpoint, folder: demoFolder },
    signal,
  ).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  const toPrometheus = { kind: "prometheus", server: prometheus, headers: { authorization } } as const;
  const toSecond = { kind: "victoria-metrics", server: second, headers: {} } as const;
  return {
    source,
    sinks: [
      { sink: "prometheus", exported: ofDirectory, ...toPrometheus },
      { sink: "victoria-metrics", exported: ofDirectory, ...toSecond },
      { sink: "web-prometheus", exported: ofProject, ...toPrometheus },
    ],
    daemon,
    roadmap: { url: `http://127.0.0.1:${apiPort}/roadmap`, file: join(demoFolder, "backlog.json") },
    platform,
    ...{ instances, instanceAddress, proxy },
  };
}

/** Responds as the project's web server does, where no instance runs. @returns its URL */
async function startStandIn(stops: StartOptions["stops"]): Promise<string> {
  const server = createServer((_, response) => response.end("Hello from the project web.\n"));
  stops.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A file of config/demo, with docker compose's addresses replaced by those of this run. */
async function demoFile(name: string, addresses: readonly [from: string, to: string][]): Promise<string> {
  let text = await readFile(join(projectRoot, "config", "demo", name), "utf8");
  for (const [from, to] of addresses) text = text.replaceAll(from, to);
  return text;
}
