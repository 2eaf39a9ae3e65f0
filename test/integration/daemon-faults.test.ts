/**
 * The whole daemon when its environment fails or changes: a full disk, receivers that hang, a reload, a
 * pause.
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { type Child, startChild } from "../../scripts/servers/child.ts";
import { isRunning } from "../../scripts/servers/process-table.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { decodeRecords } from "../../src/exporter/delivery/state/state-record.ts";
import type { DaemonStatus, SinkView } from "../../src/exporter/policy/status/status-view.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { importLines } from "../support/samples.ts";
import { freePort, type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { seriesAreShown } from "../support/store/shown-series.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;
const mayMount = spawnSync("unshare", ["-Urm", "true"]).status === 0;
let store: RunningServer;
let folder: string;
let receiver: Receiver;
let child: Child | undefined;
let opsUrl: string;

beforeAll(async () => {
  await ensureBuilt(never, () => undefined);
  store = await startVictoriaMetrics();
}, 240_000);
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-daemon-"));
  await mkdir(join(folder, "policies"));
  receiver = await startReceiver();
});
afterEach(async () => {
  await child?.kill();
  await receiver[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface TestPolicy {
  readonly name: string;
  readonly job: string;
  readonly paused?: string;
  readonly sinks?: readonly string[];
}

async function writePolicy(
  { name, job, paused, sinks = ["sink"] }: TestPolicy,
  directory = "policies",
): Promise<void> {
  const policy = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: {
      name,
      namespace: "default",
      ...(paused !== undefined && { annotations: { "telemetry.platformapis/paused": paused } }),
    },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: `{job="${job}"}` } }],
      sinks: sinks.map((sink) => ({
        name: sink,
        sources: ["all"],
        target: {
          prometheusRemoteWrite: {
            endpoint: `${receiver.url}?sink=${sink}`,
            batch: { timeout: "1s", maxSize: 2_000 },
            retry: { maxAttempts: 1, backoffDuration: "1s" },
          },
        },
      })),
    },
  };
  const file = join(folder, directory, `${name}.json`);
  await writeFile(`${file}.new`, JSON.stringify(policy));
  await rename(`${file}.new`, file);
}

/** Longer than VictoriaMetrics takes to make a sample visible. */
const delayMs = 5_000;

async function writeConfig(more: readonly string[] = [], directory = "./policies"): Promise<void> {
  const lines = [
    `policies: { directory: ${directory} }`,
    `metrics: { url: "${store.url}", interval: 1s, delay: ${delayMs}ms }`,
    "state: { directory: ./state }",
    ...more,
  ];
  await writeFile(join(folder, "telemetryd.yaml"), lines.join("\n"));
}

/** @param prepare shell commands to run before the daemon, in a separate mount namespace */
async function startDaemon(prepare?: string): Promise<Child> {
  const port = await freePort();
  opsUrl = `http://127.0.0.1:${port}`;
  const run = [process.execPath, builtCli, "run", "--config", join(folder, "telemetryd.yaml")];
  const [program = "", ...args] =
    prepare === undefined ? run : ["unshare", "-Urm", "sh", "-c", `${prepare} && exec "$0" "$@"`, ...run];
  child = await startChild({
    ...{ name: "telemetryd", program, args },
    env: { TELEMETRYD_OPS_LISTEN: `127.0.0.1:${port}` },
  });
  await until("telemetryd is ready", async () => (await readyz()).startsWith("ready"));
  return child;
}

async function readyz(): Promise<string> {
  return (await fetch(`${opsUrl}/readyz`)).text();
}

async function status(): Promise<DaemonStatus> {
  return (await (await fetch(`${opsUrl}/api/v1/status`)).json()) as DaemonStatus;
}

async function sinkOf(policy: string): Promise<SinkView | undefined> {
  return (await status()).policies.find(({ name }) => name === policy)?.sinks[0];
}

async function delivering(policy: string): Promise<string | undefined> {
  return (await sinkOf(policy))?.conditions.find(({ type }) => type === "Delivering")?.reason;
}

/** Writes this many series with one sample each, `ageMs` old. */
async function write(job: string, count: number, ageMs = 0): Promise<void> {
  const timestamp = Date.now() - ageMs;
  function* lines(): Generator<string> {
    for (let index = 0; index < count; index++) {
      const metric = { __name__: "daemon_test", job, series: String(index) };
      yield `${JSON.stringify({ metric, values: [index], timestamps: [timestamp] })}\n`;
    }
  }
  await importLines(store.url, lines(), never);
}

/**
 * Makes these series known to the store before they are queried, since a new series becomes visible late. The
 * sinks start at the current time and do not send these samples.
 */
async function writeSeries(job: string, count: number): Promise<void> {
  await write(job, count, 60_000);
  await seriesAreShown(store.url, `{job="${job}"}`, count);
}

/**
 * Remounts the state directory of a daemon in a separate mount namespace.
 * @throws when the directory is in use
 */
function remountState(daemon: Child, options: string): void {
  const enter = [`--target=${daemon.pid}`, "--user", "--preserve-credentials", "--mount"];
  const mount = ["mount", "-o", `remount,${options}`, join(folder, "state")];
  const { status: exitStatus, stderr } = spawnSync("nsenter", [...enter, ...mount]);
  if (exitStatus !== 0) throw new Error(`remount,${options}: ${stderr.toString()}`);
}

test.skipIf(!mayMount)(
  "a disk that is full, and then read-only: exporting goes on, /readyz says so, and it is written again",
  async () => {
    await writeSeries("full", 1_000);
    await writePolicy({ name: "export", job: "full" });
    await mkdir(join(folder, "state"));
    await writeConfig();
    const daemon = await startDaemon(`mount -t tmpfs -o size=1m tmpfs ${join(folder, "state")}`);
    const filler = `/proc/${daemon.pid}/root${join(folder, "state", "filler")}`;
    const file = await open(filler, "w");
    await expect(
      (async () => {
        for (;;) await file.write(Buffer.alloc(4_096));
      })(),
    ).rejects.toThrow("ENOSPC");
    await file.close();
    // More than the free space of the log's last page.
    await write("full", 1_000);
    await until("the samples are there", () => receiver.samples().size === 1_000);
    await until("/readyz is degraded", async () =>
      /^ready\ndegraded: .*state directory/.test(await readyz()),
    );
    expect(daemon.log()).toContain("the state cannot be written");
    remountState(daemon, "ro");
    await write("full", 10);
    await until("/readyz tells that", async () => /degraded: .*EROFS/.test(await readyz()));
    await until("the samples are there", () => receiver.samples().size === 1_010);
    remountState(daemon, "rw");
    await rm(filler);
    await until("/readyz is well", async () => (await readyz()) === "ready\n");
    await write("full", 10);
    await until("the samples are there", () => receiver.samples().size === 1_020);
    const directory = `/proc/${daemon.pid}/root${join(folder, "state")}`;
    expect(await readdir(directory)).not.toContain("state.log.new");
    const bytes = await readFile(join(directory, "state.log"));
    const { records, soundBytes } = decodeRecords(bytes);
    expect(soundBytes).toBe(bytes.length);
    expect(records.map(({ type }) => type)).toContain("close");
  },
);

test("SIGHUP: a new configuration is taken, one with a fault is not", async () => {
  await writeSeries("hup", 5);
  await mkdir(join(folder, "other"));
  await writePolicy({ name: "first", job: "hup" });
  await writePolicy({ name: "second", job: "hup" }, "other");
  await writeConfig();
  const daemon = await startDaemon();
  await until("the first policy runs", async () => (await delivering("first")) === "UpToDate");
  await writeConfig(["nonsense: 1"], "./other");
  daemon.signal("SIGHUP");
  await until("the fault is told", () => daemon.log().includes("the old one stays in effect"));
  expect(await delivering("first")).toBe("UpToDate");
  await writeConfig([], "./other");
  daemon.signal("SIGHUP");
  await until("the second policy runs", async () => (await delivering("second")) === "UpToDate");
  expect(await sinkOf("first")).toBeUndefined();
  await write("hup", 5);
  await until("the samples are there, once", () => receiver.samples().size === 5);
});

test("SIGHUP while a receiver hangs: the new configuration is taken when the old daemon has let go", async () => {
  await writeSeries("stuck", 5);
  await mkdir(join(folder, "other"));
  await writePolicy({ name: "first", job: "stuck" });
  await writePolicy({ name: "second", job: "stuck" }, "other");
  await writeConfig(["delivery: { shutdownTimeout: 1s, startFrom: 10m }"]);
  let hanging = 0;
  receiver.respond(() => {
    hanging++;
    return { fault: "hang" };
  });
  const daemon = await startDaemon();
  for (const [shown, directory] of [
    ["second", "./other"],
    ["first", "./policies"],
  ] as const) {
    const before = hanging;
    await write("stuck", 5);
    await until("the receiver hangs", () => hanging > before);
    await writeConfig(["delivery: { shutdownTimeout: 1s, startFrom: 10m }"], directory);
    daemon.signal("SIGHUP");
    await until("the other policy runs", async () => (await sinkOf(shown)) !== undefined);
  }
  expect(isRunning(daemon.pid)).toBe(true);
  receiver.respond(() => undefined);
  await write("stuck", 5);
  // Includes the earlier samples, which the receiver never accepted.
  await until("the samples are there", () => receiver.samples().size >= 5);
});

test("an edit with a bad query: the version before it runs on, its counts too, and the status says so", async () => {
  await writeSeries("edit", 5);
  await writePolicy({ name: "export", job: "edit" });
  await writeConfig();
  await startDaemon();
  await until("it runs", async () => (await delivering("export")) === "UpToDate");
  await write("edit", 5);
  await until("the samples are there", () => receiver.samples().size === 5);
  await writePolicy({ name: "export", job: 'edit"' });
  const accepted = async () => (await sinkOf("export"))?.conditions.find(({ type }) => type === "Accepted");
  await until("the fault is seen", async () => (await accepted())?.reason === "InvalidSource");
  expect((await accepted())?.message).toContain("; generation 1 runs on");
  await write("edit", 5);
  await until("these samples are there", () => receiver.samples().size === 10);
  expect((await sinkOf("export"))?.delivered).toBe(10);
  await writePolicy({ name: "export", job: "edit" });
  await until("the fault is mended", async () => (await accepted())?.status === "True");
});

test("the annotation pauses a sink, and it goes on from where it was", async () => {
  await writeSeries("pause", 5);
  await writePolicy({ name: "export", job: "pause" });
  await writeConfig();
  await startDaemon();
  await until("it runs", async () => (await delivering("export")) === "UpToDate");
  await writePolicy({ name: "export", job: "pause", paused: "sink" });
  await until("it is paused", async () => (await delivering("export")) === "Paused");
  await write("pause", 5);
  await sleep(delayMs + 3_000, never);
  expect(receiver.samples().size).toBe(0);
  await writePolicy({ name: "export", job: "pause" });
  await until("the samples are there", () => receiver.samples().size === 5);
});

test("ten receivers that hang and much to send: the memory stays within its bounds", async () => {
  const sinks = Array.from({ length: 10 }, (_, index) => `sink-${index}`);
  const hanging = new Set<string>();
  receiver.respond(({ path }) => {
    hanging.add(path);
    return { fault: "hang" };
  });
  for (let age = 60; age > 0; age--) await write("load", 5_000, age * 1_000);
  // A daemon that starts before the samples are visible reads an empty window and has nothing to send.
  await seriesAreShown(store.url, '{job="load"}', 5_000);
  await writePolicy({ name: "export", job: "load", sinks });
  await writeConfig(["delivery: { startFrom: 10m, memoryLimit: 32MiB }"]);
  const daemon = await startDaemon();
  // Not all at the same time: requests time out, on a slow machine perhaps before the last sink sends.
  await until("all receivers hang", () => hanging.size === sinks.length);
  let highest = 0;
  for (let turn = 0; turn < 20; turn++) {
    const text = await readFile(`/proc/${daemon.pid}/status`, "utf8");
    highest = Math.max(highest, Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]) / 1024);
    await sleep(500, never);
  }
  // Includes the base memory of Node itself.
  expect(highest).toBeLessThan(350);
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  const held = Number(/^telemetryd_export_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
  // Half of the limit for requests, plus one request per sink.
  expect(held).toBeLessThan(16 * 2 ** 20 + sinks.length * 2 ** 19);
}, 240_000);
