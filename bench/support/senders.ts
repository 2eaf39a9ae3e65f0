import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startServer } from "../../scripts/servers/server.ts";
import { type RunningServer, startPrometheus } from "../../test/support/servers.ts";
import { type BenchDaemon, startBenchDaemon } from "./daemon.ts";
import { loadSelector } from "./load.ts";

/** Sends a store's samples to a remote-write endpoint. */
export interface Sender<Running extends RunningSender = RunningSender> {
  readonly name: string;
  start(way: Way): Promise<Running>;
}

export interface Way {
  readonly source: RunningServer;
  /** Remote-write URL. */
  readonly endpoint: string;
  readonly intervalSeconds: number;
}

export interface RunningSender extends AsyncDisposable {
  readonly pid: number;
  log(): string;
}

/** One whose data outlives it. */
export interface RestartableSender extends RunningSender {
  readonly dataDir: string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it with the same data. */
  restart(): Promise<void>;
}

interface TelemetrydOptions {
  /** `delivery.memoryLimit`; the default suffices for several hundred thousand series. */
  readonly memoryLimit?: string;
  /** `cli.js` of another build, to compare with. */
  readonly earlier?: string;
  readonly compression?: "zstd";
}

export function telemetryd(maxSize: number, options: TelemetrydOptions = {}): Sender<BenchDaemon> {
  const { memoryLimit = "256MiB", earlier, compression } = options;
  const kind = [compression, earlier && "earlier"].flatMap((each) => (each === undefined ? [] : `, ${each}`));
  return {
    name: `telemetryd, batches of ${maxSize}${kind.join("")}`,
    start: ({ source, endpoint, intervalSeconds }) =>
      startBenchDaemon({
        sourceUrl: source.url,
        policies: [
          {
            ...{ name: "load", selector: loadSelector, endpoints: [endpoint], maxSize },
            ...(compression && { target: { compression } }),
          },
        ],
        metrics: `interval: ${intervalSeconds}s`,
        delivery: `memoryLimit: ${memoryLimit}`,
        ...(earlier === undefined ? {} : { cli: earlier }),
      }),
  };
}

export const vmagent: Sender<RestartableSender> = {
  name: "vmagent",
  start: ({ source, endpoint, intervalSeconds }) =>
    startServer(
      {
        program: "vmagent",
        scheme: "http",
        async args(port, dataDir) {
          const file = join(dataDir, "scrape.yaml");
          await writeFile(file, federation(source, intervalSeconds));
          return [
            `-httpListenAddr=127.0.0.1:${port}`,
            `-promscrape.config=${file}`,
            // The default is too small for the series of this load.
            "-promscrape.maxScrapeSize=2GB",
            `-remoteWrite.url=${endpoint}`,
            `-remoteWrite.tmpDataPath=${join(dataDir, "queue")}`,
          ];
        },
        isReady: async (port, signal) => (await fetch(`http://127.0.0.1:${port}/health`, { signal })).ok,
      },
      {},
    ),
};

export const prometheusAgent: Sender<RestartableSender> = {
  name: "prometheus agent",
  start: ({ source, endpoint, intervalSeconds }) =>
    startPrometheus({
      agent: true,
      remoteWriteReceiver: false,
      scrapeConfig: `${federation(source, intervalSeconds)}remote_write:\n  - url: ${endpoint}\n`,
    }),
};

/** Scrapes the newest sample of each series at each interval, with its own labels and timestamp. */
function federation(source: RunningServer, intervalSeconds: number): string {
  return `scrape_configs:
  - job_name: federate
    honor_labels: true
    honor_timestamps: true
    metrics_path: /federate
    params: { "match[]": ['${loadSelector}'] }
    scrape_interval: ${intervalSeconds}s
    scrape_timeout: ${intervalSeconds}s
    static_configs: [{ targets: ["127.0.0.1:${source.port}"] }]
`;
}
