import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ensureBuilt, projectRoot } from "../daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../daemon/daemon.ts";
import type { Matcher } from "../samples/read.ts";
import { findServers } from "../servers/find.ts";
import { freePort } from "../servers/free-port.ts";
import type { RunningServer } from "../servers/server.ts";
import { startPrometheus, startVictoriaMetrics } from "../servers/start.ts";
import type { ProcessNotes } from "./leftovers.ts";

/** Where the demo keeps everything. Two demos at the same time need two folders. */
export const demoFolder = resolve(process.env["DEMO_DIRECTORY"] || join(projectRoot, ".demo"));

/** The user of the receiver that wants one; as in config/demo/policies/secret.yaml. */
const authorization = `Basic ${Buffer.from("demo:demo-password").toString("base64")}`;

/** What runs in a demo: a source, two receivers, telemetryd between them. */
export interface DemoSystem {
  readonly source: RunningServer;
  readonly receivers: readonly DemoReceiver[];
  readonly daemon: RunningDaemon;
}

/** A receiver as the summary compares it; `sink` is its name in the policy. */
export interface DemoReceiver {
  readonly sink: string;
  readonly kind: "prometheus" | "victoria-metrics";
  readonly server: RunningServer;
  /** Of reads of what it holds. */
  readonly headers: Readonly<Record<string, string>>;
}

/** All that the policy's two sources select together. */
export const exported: readonly Matcher[] = [
  { name: "job", type: "=~", value: "victoria-metrics|prometheus|telemetryd" },
];

export interface StartOptions {
  readonly notes: ProcessNotes;
  /** Everything that was started is pushed here at once, so that whoever called can end it at any moment. */
  readonly stops: (() => Promise<unknown>)[];
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Starts the whole system on free ports, its data fresh below `.demo/`. */
export async function startSystem(options: StartOptions): Promise<DemoSystem> {
  const { notes, stops, say, signal } = options;
  await ensureBuilt(signal, () => say("building telemetryd"));
  await findServers(["victoria-metrics", "prometheus", "redis-server"], { onProgress: say, signal });
  for (const name of ["data", "state", "policies", "logs"]) {
    await rm(join(demoFolder, name), { recursive: true, force: true });
    await mkdir(join(demoFolder, name), { recursive: true });
  }

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
  const [sourcePort, opsPort] = [await freePort(), await freePort()];
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
  for (const name of ["secret.yaml", "export-policy.yaml"]) {
    await writeFile(join(demoFolder, "policies", name), await demoFile(`policies/${name}`, addresses));
  }

  const daemon = await startDaemon({
    configFile: join(projectRoot, "config", "demo.yaml"),
    opsPort,
    env: {
      TELEMETRYD_METRICS_URL: source.url,
      TELEMETRYD_POLICIES_DIRECTORY: join(demoFolder, "policies"),
      TELEMETRYD_STATE_DIRECTORY: join(demoFolder, "state"),
    },
    logFile: join(demoFolder, "logs", "telemetryd.log"),
    onStart: (pid) => notes.add("telemetryd", pid),
    signal,
  });
  // First in the list of those to stop: it must not see its servers go.
  stops.unshift(() => daemon.child.stop());
  return {
    source,
    receivers: [
      { sink: "prometheus", kind: "prometheus", server: prometheus, headers: { authorization } },
      { sink: "victoria-metrics", kind: "victoria-metrics", server: second, headers: {} },
    ],
    daemon,
  };
}

/** A file of config/demo with the addresses of this run in place of docker compose's. */
async function demoFile(name: string, addresses: readonly [from: string, to: string][]): Promise<string> {
  let text = await readFile(join(projectRoot, "config", "demo", name), "utf8");
  for (const [from, to] of addresses) text = text.replaceAll(from, to);
  return text;
}
