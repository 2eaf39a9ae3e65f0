/**
 * `npm run prove -- faults`: no sample is lost or invented, whatever the fault. Like `npm run prove -- equality`,
 * with faults in every part, by a random schedule that a seed reproduces: the daemon is killed, stopped, and
 * its disk fills up; receivers and store are behind proxies that are down, slow, respond with 500 and 429,
 * and break connections; policies are edited, and passwords change before the Secret does.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { numberOption, seedOption, type ValuesOf } from "../../scripts/run/options.ts";
import { describeExit } from "../../scripts/servers/child.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { formatExactCount } from "../../src/base/core/human.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import { listRejected } from "../../src/exporter/remote-write/rejected/rejected-store.ts";
import { agrees } from "../equality/comparison.ts";
import { drained } from "../equality/drained.ts";
import { loginOf, manifest, randomVariant, secretManifest, writeManifest } from "../equality/policy.ts";
import { writeLive } from "../equality/writer.ts";
import { type FaultProxy, startFaultProxy } from "../support/net/fault-proxy.ts";
import { runProof } from "../support/proof.ts";
import { randomInteger, seededRandom } from "../support/random.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { lanes, wrongPassword } from "./bounds.ts";
import { DaemonTroubles } from "./daemon-troubles.ts";
import { ProxiedReceiver } from "./proxied-receiver.ts";
import { storeFault, storeTroubles, troubles } from "./schedule.ts";

const delayMs = 15_000;
const drainLimitMs = 120_000;
/** Upper limit of the whole test. */
const limitMs = 470_000;
/** An edit of a Secret takes effect within this time. */
const takesEffectMs = 2_500;
const options = {
  series: numberOption(1500, "series of 11 labels each"),
  seconds: numberOption(150, "how long"),
  every: numberOption(3, "seconds between two samples of a series"),
  seed: seedOption(),
};
const secretName = "login";
/** Set in the mount namespace: the mount point of a small tmpfs. */
const namespaceKey = "TELEMETRYD_FAULTS_IN_NAMESPACE";

async function run(args: ValuesOf<typeof options>, folder: string, releasers: Releasers): Promise<boolean> {
  await ensureBuilt(new AbortController().signal, () => console.log("building telemetryd"));
  const startMs = Date.now();
  const source = await started(startVictoriaMetrics(), releasers);
  const receivers = [
    await ProxiedReceiver.start("victoria-metrics", await started(startVictoriaMetrics(), releasers)),
    await ProxiedReceiver.start("prometheus", await started(startPrometheus(), releasers)),
  ];
  for (const { proxy } of receivers) releasers.push(() => proxy[Symbol.asyncDispose]());
  const store = await startFaultProxy(source.port);
  releasers.push(() => store[Symbol.asyncDispose]());

  let password = "first";
  const policies = join(folder, "policies");
  const editRandom = seededRandom(args.seed + 1);
  const sinks = receivers.map(({ name, proxy }) => ({ name, endpoint: `${proxy.url}/api/v1/write` }));
  const wake = () => {
    for (const receiver of receivers) receiver.noteWake();
  };
  const edit = async (number: number): Promise<void> => {
    wake();
    await writeManifest(policies, manifest(randomVariant(number, editRandom), sinks, secretName));
  };
  await mkdir(policies);
  await writeManifest(policies, secretManifest(secretName, password), "login.json");
  await edit(0);

  const daemons = new DaemonTroubles({
    configFile: await writeConfig(folder, store.url),
    stateDirectory: join(folder, "state"),
    canFillDisk: process.env[namespaceKey] !== undefined,
    start: async (configFile) => {
      wake();
      return startDaemon({
        configFile,
        opsPort: await freePort(),
        logFile: join(folder, "telemetryd.log"),
        signal: new AbortController().signal,
      });
    },
    onKilled: () => {
      for (const receiver of receivers) receiver.noteKill();
    },
  });
  await daemons.start();
  releasers.push(() => daemons.close());

  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), args.seconds * 1000);
  const until = end.signal;
  const parts = {
    written: writeLive({ kind: "victoria-metrics", url: source.url }, args.series, args.every * 1000, until),
    interruptions: daemons.run(seededRandom(args.seed), until),
    edits: repeatedly(editRandom, [3_000, 9_000], until, (number) => edit(number + 1)),
    rotations: repeatedly(seededRandom(args.seed + 2), [10_000, 20_000], until, async (number) => {
      // The receivers' password changes first, as in practice; until the Secret follows they reject the
      // login.
      password = `password-${number}`;
      const open = receivers.map((receiver) => receiver.begin(wrongPassword));
      await pause(randomInteger(editRandom, 300, 3_000), until);
      await writeManifest(policies, secretManifest(secretName, password), "login.json");
      await pause(takesEffectMs, until);
      for (const { end } of open) end();
    }),
    store: troubleStore(store, seededRandom(args.seed + 3), until),
    receivers: Promise.all(
      receivers.map((receiver, index) =>
        receiver.run(() => loginOf(password), seededRandom(args.seed + 4 + index), until),
      ),
    ),
  };
  // A failing part aborts the others.
  for (const part of Object.values(parts)) part.catch(() => end.abort());
  const [written, , edits, rotations, ofStore] = await Promise.all([
    parts.written,
    parts.interruptions,
    parts.edits,
    parts.rotations,
    parts.store,
    parts.receivers,
  ]);
  clearTimeout(timer);
  console.log(
    `written: ${formatExactCount(written.samples)} samples in ${written.ticks} ticks; ${daemons.describe()}, ${edits} edits, ${rotations} rotations, ${ofStore.troubles} troubles of the store, ${receivers.map(({ name, troubles }) => `${troubles} of ${name}`).join(", ")}`,
  );
  if (written.slowestMs > delayMs - 12_000) {
    throw new Error(
      `this machine is too slow for the test: a tick took ${written.slowestMs} ms to be written`,
    );
  }

  const lastMs = Date.now();
  const names = receivers.map(({ name }) => name);
  await drained(daemons.daemon, names, lastMs, drainLimitMs);
  const status = await daemons.daemon.status(new AbortController().signal);
  const exit = await daemons.daemon.child.stop(30_000);
  console.log(`telemetryd, after SIGTERM: ${describeExit(exit)}`);

  let isGood = exit.code === 0;
  for (const receiver of receivers) {
    const repeats = receiver.kind === "prometheus" ? 0 : receiver.lostSamples;
    const allowed = { repeats, missing: 0 };
    const span = { fromMs: startMs - 60_000, toMs: lastMs };
    isGood =
      (await agrees(receiver, { kind: "victoria-metrics", url: source.url }, written, span, allowed)) &&
      isGood;
    isGood = receiver.keepsToBounds(written, ofStore.disturbedReads) && isGood;
  }
  const kept = await listRejected(join(folder, "state", "rejected"));
  // Repeats are there already: the receiver is compared with the store above.
  for (const { sink, sampleCount, message } of kept.filter(({ isRepeat }) => isRepeat !== true)) {
    console.log(`REJECTED ${sink}: ${sampleCount} samples, ${message}`);
    isGood = false;
  }
  // Includes invalid series, which are not stored.
  const rejected = status.policies.flatMap((policy) => policy.sinks).filter((sink) => sink.rejected > 0);
  for (const sink of rejected)
    console.log(`REJECTED ${sink.name}: ${sink.rejected}, ${sink.lastError?.message}`);
  return isGood && rejected.length === 0;
}

async function started(start: Promise<RunningServer>, releasers: Releasers): Promise<RunningServer> {
  const server = await start;
  releasers.push(() => server[Symbol.asyncDispose]());
  return server;
}

async function writeConfig(folder: string, storeUrl: string): Promise<string> {
  const file = join(folder, "telemetryd.yaml");
  await writeFile(
    file,
    [
      "policies: { directory: ./policies }",
      `metrics: { url: "${storeUrl}", interval: 1s, delay: ${delayMs}ms }`,
      `delivery: { startFrom: 1h, concurrency: ${lanes}, shutdownTimeout: 5s }`,
      "state: { directory: ./state }",
      "log: { level: info }",
    ].join("\n"),
  );
  return file;
}

interface StoreTroubleCount {
  readonly troubles: number;
  /** Reads that were delayed or cut. */
  readonly disturbedReads: number;
}

async function troubleStore(
  proxy: FaultProxy,
  random: () => number,
  until: AbortSignal,
): Promise<StoreTroubleCount> {
  const limits = { pauseMs: [3_000, 10_000], lengthMs: [1_000, 5_000] } as const;
  let count = 0;
  let disturbedReads = 0;
  for (const { kind, afterMs, forMs } of troubles(storeTroubles, random, limits)) {
    await pause(afterMs, until);
    if (until.aborted) break;
    count++;
    if (kind === "down") {
      // Breaks open connections: at most one read per sink.
      disturbedReads += 2;
      await proxy.down();
    }
    proxy.plan(({ path }) => {
      const fault = path.startsWith("/api/v1/export")
        ? storeFault(kind, random)
        : ({ kind: "pass" } as const);
      if (fault.kind !== "pass") disturbedReads++;
      return fault;
    });
    await pause(forMs, until);
    proxy.plan(() => ({ kind: "pass" }));
    if (kind === "down") await proxy.up();
  }
  return { troubles: count, disturbedReads };
}

async function repeatedly(
  random: () => number,
  pauseMs: readonly [number, number],
  until: AbortSignal,
  act: (number: number) => Promise<void>,
): Promise<number> {
  for (let count = 0; ; count++) {
    await pause(randomInteger(random, ...pauseMs), until);
    if (until.aborted) return count;
    await act(count);
  }
}

function pause(ms: number, until: AbortSignal): Promise<void> {
  return sleep(ms, until).catch(() => undefined);
}

/**
 * Runs this program again in a namespace where it may mount a tmpfs.
 * @returns its exit status, or undefined where that is not permitted
 */
async function runInNamespace(): Promise<number | undefined> {
  if (process.env[namespaceKey] !== undefined) return undefined;
  if (spawnSync("unshare", ["-Urm", "true"]).status !== 0) return undefined;
  const child = spawn("unshare", ["-Urm", process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, [namespaceKey]: "yes" },
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

// The disk fills up only in a namespace that may mount one.
const status = process.argv.includes("--help") ? undefined : await runInNamespace();
if (status !== undefined) process.exit(status);
await runProof({
  name: "faults",
  about: `Writes samples into a VictoriaMetrics while telemetryd exports them to two receivers, with random faults in telemetryd,
store and receivers. Then compares what source and receivers hold.`,
  options,
  limitMs: () => limitMs,
  run: async (args, { folder, releasers }) => {
    if (process.env[namespaceKey] === undefined) {
      console.log("!!! NO MOUNT NAMESPACE IS ALLOWED HERE: the disk is never full in this run");
    }
    return run(args, folder, releasers);
  },
});
