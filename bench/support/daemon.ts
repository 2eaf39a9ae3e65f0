import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { freePort } from "../../test/support/servers.ts";

export interface BenchPolicy {
  readonly name: string;
  readonly selector: string;
  readonly endpoints: readonly string[];
  readonly maxSize?: number;
  /** For example `30s`; default: the policy's default. */
  readonly timeout?: string;
  /** Further fields of `prometheusRemoteWrite`. */
  readonly target?: object;
}

export interface BenchDaemonOptions {
  readonly sourceUrl: string;
  readonly policies: readonly BenchPolicy[];
  /** YAML flow text merged below `metrics` and `delivery`, beside the values set here. */
  readonly metrics?: string;
  readonly delivery?: string;
  /** Another build's `cli.js`. Default: this one's. */
  readonly cli?: string;
}

/** telemetryd as users run it: the built program, a configuration file, a policy directory, state on disk. */
export interface BenchDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly opsUrl: string;
  /** Its state directory. */
  readonly dataDir: string;
  /** `performance.now()` just before the process was started. */
  readonly startedAtMs: number;
  /** Acknowledged samples of all sinks. */
  delivered(): Promise<number>;
  log(): string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it with the same state. */
  restart(): Promise<void>;
}

const policiesPerFile = 1_000;

export async function startBenchDaemon(options: BenchDaemonOptions): Promise<BenchDaemon> {
  const { signal } = new AbortController();
  await ensureBuilt(signal, () => process.stdout.write("building telemetryd\n"));
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-"));
  await mkdir(join(folder, "policies"));
  // Many policies per file, since reading ten thousand files is not part of the measurement. A file is
  // limited to 1 MiB.
  for (let first = 0; first < options.policies.length; first += policiesPerFile) {
    const items = options.policies.slice(first, first + policiesPerFile).map(manifest);
    await writeFile(
      join(folder, "policies", `policies-${first}.json`),
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  }
  const configFile = join(folder, "telemetryd.yaml");
  await writeFile(
    configFile,
    [
      "policies: { directory: ./policies }",
      `metrics: { url: "${options.sourceUrl}"${options.metrics ? `, ${options.metrics}` : ""} }`,
      `delivery: { ${options.delivery ?? ""} }`,
      "state: { directory: ./state }",
    ].join("\n"),
  );
  const opsPort = await freePort();
  let startedAtMs = performance.now();
  const onStart = () => {
    startedAtMs = performance.now();
  };
  const { cli = builtCli } = options;
  const start = () => startDaemon({ configFile, opsPort, cli, onStart, signal });
  let daemon = await start();
  return {
    get pid() {
      return daemon.child.pid;
    },
    opsUrl: daemon.opsUrl,
    dataDir: join(folder, "state"),
    startedAtMs,
    async delivered() {
      // A daemon at full speed on a busy machine may respond late.
      const { policies } = await daemon.status(signal).catch(() => ({ policies: [] }));
      return policies.flatMap(({ sinks }) => sinks).reduce((sum, sink) => sum + sink.delivered, 0);
    },
    log: () => daemon.child.log(),
    async kill() {
      await daemon.child.kill();
    },
    async restart() {
      await daemon.child.stop();
      daemon = await start();
    },
    async [Symbol.asyncDispose]() {
      await daemon.child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An ExportPolicy. */
export function manifest(policy: BenchPolicy): object {
  const { name, selector, endpoints, maxSize = 500, timeout = "5s", target } = policy;
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name, namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: selector } }],
      sinks: endpoints.map((endpoint, index) => ({
        name: `sink-${index}`,
        sources: ["all"],
        target: { prometheusRemoteWrite: { endpoint, batch: { timeout, maxSize }, ...target } },
      })),
    },
  };
}
