import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { prometheusBuild } from "./prometheus-build.ts";
import { type CommonOptions, type RunningServer, startServer } from "./server.ts";

export type { RunningServer } from "./server.ts";

export interface VictoriaMetricsOptions extends CommonOptions {
  /** Prometheus' scrape configuration as YAML text: the whole document, including `scrape_configs`. */
  readonly scrapeConfig?: string;
  /** `-dedup.minScrapeInterval`. */
  readonly dedupInterval?: string;
  /** `-maxInsertRequestSize`: it refuses larger requests with 400; bytes, uncompressed. */
  readonly maxInsertRequestBytes?: number;
}

/** A single-node VictoriaMetrics with two years of retention, by default without deduplication. */
export async function startVictoriaMetrics(options: VictoriaMetricsOptions = {}): Promise<RunningServer> {
  return startServer(
    {
      program: "victoria-metrics",
      scheme: "http",
      async args(port, dataDir) {
        const args = [
          `-httpListenAddr=127.0.0.1:${port}`,
          `-storageDataPath=${join(dataDir, "storage")}`,
          "-retentionPeriod=24",
        ];
        if (options.dedupInterval !== undefined) {
          args.push(`-dedup.minScrapeInterval=${options.dedupInterval}`);
        }
        if (options.maxInsertRequestBytes !== undefined) {
          args.push(`-maxInsertRequestSize=${options.maxInsertRequestBytes}`);
        }
        if (options.scrapeConfig !== undefined) {
          const file = join(dataDir, "scrape.yaml");
          await writeFile(file, options.scrapeConfig);
          args.push(`-promscrape.config=${file}`);
        }
        return args;
      },
      isReady: (port, signal) => answersOk(`http://127.0.0.1:${port}/health`, signal),
    },
    options,
  );
}

export interface PrometheusOptions extends CommonOptions {
  /** Whether it accepts remote write at `/api/v1/write`; default true. */
  readonly remoteWriteReceiver?: boolean;
  /** `out_of_order_time_window`, such as `1h`; by default late samples are rejected. */
  readonly outOfOrderWindow?: string;
  /** Items of `scrape_configs` (and other top-level keys after it) as YAML text. */
  readonly scrapeConfig?: string;
  /** Agent mode: scrapes and forwards, serves no queries. */
  readonly agent?: boolean;
  /** Whether it stores native histograms, which 3.x always does; default false. */
  readonly nativeHistograms?: boolean;
  /** Whether it keeps exemplars; default false. */
  readonly exemplars?: boolean;
  /** Whether it knows the experimental parts of PromQL; default false. */
  readonly experimentalPromql?: boolean;
  /** Chunk encoding: `xor` by default; `xor2` requires a build that supports it (see `prometheusBuild`). */
  readonly floatChunks?: "xor" | "xor2";
}

export async function startPrometheus(options: PrometheusOptions = {}): Promise<RunningServer> {
  return startServer(
    {
      program: "prometheus",
      scheme: "http",
      async args(port, dataDir) {
        const configFile = join(dataDir, "prometheus.yaml");
        await writeFile(configFile, prometheusConfig(options));
        const data = join(dataDir, "storage");
        return [
          `--config.file=${configFile}`,
          `--web.listen-address=127.0.0.1:${port}`,
          "--web.enable-lifecycle",
          ...(options.agent === true
            ? [await agentFlag(options.signal), `--storage.agent.path=${data}`]
            : [`--storage.tsdb.path=${data}`]),
          ...featureFlags(options),
          ...(options.remoteWriteReceiver === false ? [] : ["--web.enable-remote-write-receiver"]),
        ];
      },
      isReady: (port, signal) => answersOk(`http://127.0.0.1:${port}/-/ready`, signal),
    },
    options,
  );
}

const promqlFeatures = [
  "promql-experimental-functions",
  "promql-extended-range-selectors",
  "promql-binop-fill-modifiers",
];

function featureFlags({ nativeHistograms, exemplars, experimentalPromql }: PrometheusOptions): string[] {
  const features = [
    ...(nativeHistograms === true ? ["native-histograms"] : []),
    ...(exemplars === true ? ["exemplar-storage"] : []),
    ...(experimentalPromql === true ? promqlFeatures : []),
  ];
  return features.length === 0 ? [] : [`--enable-feature=${features.join(",")}`];
}

async function agentFlag(signal: AbortSignal | undefined): Promise<string> {
  return (await prometheusBuild(signal)).hasAgentFlag ? "--agent" : "--enable-feature=agent";
}

/** The configuration file of a Prometheus. */
export function prometheusConfig(options: PrometheusOptions): string {
  const parts: string[] = [];
  const tsdb: string[] = [];
  if (options.outOfOrderWindow !== undefined) {
    tsdb.push(`    out_of_order_time_window: ${options.outOfOrderWindow}\n`);
  }
  if (options.floatChunks !== undefined)
    tsdb.push(`    chunk_encoding: { floats: ${options.floatChunks} }\n`);
  if (tsdb.length > 0) parts.push(`storage:\n  tsdb:\n${tsdb.join("")}`);
  if (options.scrapeConfig !== undefined) parts.push(options.scrapeConfig);
  return parts.join("") || "scrape_configs: []\n";
}

export interface RedisOptions extends CommonOptions {
  /** Whether it keeps its data across restarts (`appendonly yes`); default false. */
  readonly persistent?: boolean;
}

export async function startRedis(options: RedisOptions = {}): Promise<RunningServer> {
  return startServer(
    {
      program: "redis-server",
      scheme: "redis",
      args: (port, dataDir) => [
        ...["--bind", "127.0.0.1", "--port", String(port), "--dir", dataDir, "--save", ""],
        ...["--appendonly", options.persistent === true ? "yes" : "no"],
      ],
      isReady: redisAnswers,
    },
    options,
  );
}

export interface SentinelOptions extends CommonOptions {
  /** The sentinels' name for the primary. */
  readonly name: string;
  /** The primary's port on loopback. */
  readonly port: number;
  /** Number of sentinels that must consider it down. */
  readonly quorum: number;
  readonly password?: string;
}

/**
 * A sentinel that considers a primary down after a second. It writes discovered state into its configuration
 * file.
 */
export async function startSentinel({
  name,
  port: primaryPort,
  quorum,
  password,
  ...options
}: SentinelOptions): Promise<RunningServer> {
  return startServer(
    {
      program: "redis-server",
      scheme: "redis",
      async args(port, dataDir) {
        const file = join(dataDir, "sentinel.conf");
        const lines = [
          `port ${port}`,
          "bind 127.0.0.1",
          `dir ${dataDir}`,
          `sentinel monitor ${name} 127.0.0.1 ${primaryPort} ${quorum}`,
          `sentinel down-after-milliseconds ${name} 1000`,
          `sentinel failover-timeout ${name} 5000`,
          ...(password === undefined ? [] : [`sentinel auth-pass ${name} ${password}`]),
        ];
        await writeFile(file, `${lines.join("\n")}\n`, { flag: "wx" }).catch(ignoreExisting);
        return [file, "--sentinel"];
      },
      isReady: redisAnswers,
    },
    options,
  );
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** Whether a GET gets 2xx or 401: a server that requires a password is up. */
async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url, { signal, headers: { connection: "close" } });
  await response.body?.cancel();
  return response.ok || response.status === 401;
}

/** Whether a Redis responds to PING; `-LOADING` means no. */
async function redisAnswers(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, signal }, () => socket.write("PING\r\n"));
    socket.once("error", reject);
    socket.once("data", (response) => {
      socket.destroy();
      resolve(/^(\+PONG|-NOAUTH)/.test(response.toString()));
    });
  });
}
