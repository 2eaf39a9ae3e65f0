/**
 * `npm run prove -- fleet`: the equality test with three replicas that share their cycles through Redis. Samples
 * are written live to a VictoriaMetrics and exported to three sinks. Replicas are killed with `kill -9` at
 * random times, Redis is killed once, and at the end all replicas are restarted one after another. Each
 * receiver must then have the same samples as the source.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../scripts/daemon/daemon.ts";
import { numberOption, seedOption, type ValuesOf } from "../../scripts/run/options.ts";
import { describeExit } from "../../scripts/servers/child.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { formatExactCount } from "../../src/base/core/human.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import type { SinkView } from "../../src/exporter/policy/status/status-view.ts";
import { agrees, countOf, type Receiver } from "../equality/comparison.ts";
import { largestBatch, manifest, randomVariant, writeManifest } from "../equality/policy.ts";
import { startReceivers } from "../equality/receivers.ts";
import { writeLive } from "../equality/writer.ts";
import { runProof } from "../support/proof.ts";
import { randomInteger, seededRandom } from "../support/random.ts";
import { freePort, type RunningServer, startRedis, startVictoriaMetrics } from "../support/servers.ts";

const replicaCount = 3;
const lanes = 4;
const writeEveryMs = 3_000;
const killPauseMs = [4_000, 12_000] as const;
const editPauseMs = [8_000, 20_000] as const;
/** A killed replica's sinks resume on another replica within this time. */
const takeoverLimitMs = 30_000;
const drainLimitMs = 120_000;
/** The store's counts are asked for by whole minutes, which are older than 45 s. */
const countableAfterMs = 110_000;
/** Late samples are found and delivered within this after a replica's start. */
const lateLimitMs = 30_000;
/** Checks for late samples are as far apart, at most. */
const nextCheckMs = 360_000;
const delayMs = 16_000;

const options = {
  series: numberOption(1_500, "series of 11 labels each"),
  seconds: numberOption(75, "how long samples are written and replicas are killed"),
  late: numberOption(0, "percentage of samples that reach the store late, by up to half of the run", 0, 50),
  seed: seedOption(),
};

/** One daemon of the fleet, across restarts. */
interface Replica {
  readonly number: number;
  daemon: RunningDaemon;
}

interface Fleet {
  readonly replicas: Replica[];
  readonly receivers: readonly Receiver[];
  readonly redis: RunningServer;
  start(number: number): Promise<RunningDaemon>;
}

async function run(args: ValuesOf<typeof options>, folder: string, releasers: Releasers): Promise<boolean> {
  await ensureBuilt(new AbortController().signal, () => console.log("building telemetryd"));
  const startMs = Date.now();
  const random = seededRandom(args.seed);
  const started = async (start: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await start;
    releasers.push(() => server[Symbol.asyncDispose]());
    return server;
  };
  const source = await started(startVictoriaMetrics());
  const receivers = await startReceivers(started);
  const redis = await started(startRedis({ persistent: true }));
  const sinks = receivers.map(({ name, server }) => ({ name, endpoint: `${server.url}/api/v1/write` }));
  const policies = join(folder, "policies");
  await mkdir(policies);
  const edit = (number: number): Promise<void> =>
    writeManifest(policies, manifest(randomVariant(number, random), sinks));
  await edit(0);

  const start = async (number: number): Promise<RunningDaemon> => {
    const state = join(folder, `state-${number}`);
    await mkdir(state, { recursive: true });
    const configFile = join(folder, `telemetryd-${number}.yaml`);
    await writeFile(
      configFile,
      [
        `policies: { directory: ${JSON.stringify(policies)} }`,
        `metrics: { url: "${source.url}", interval: 1s, delay: ${delayMs}ms }`,
        `delivery: { startFrom: 1h, concurrency: ${lanes} }`,
        `state: { directory: ${JSON.stringify(state)} }`,
        `redis: { url: "${redis.url}" }`,
        "export: { schedule: queue }",
        "log: { level: info }",
      ].join("\n"),
    );
    const daemon = await startDaemon({
      configFile,
      opsPort: await freePort(),
      logFile: join(folder, `telemetryd-${number}.log`),
      signal: new AbortController().signal,
    });
    releasers.push(() => daemon.child.kill());
    return daemon;
  };
  const replicas = await Promise.all(
    Array.from({ length: replicaCount }, async (_, number) => ({ number, daemon: await start(number) })),
  );
  const fleet: Fleet = { replicas, receivers, redis, start };

  const over = AbortSignal.timeout(args.seconds * 1_000);
  const trouble = new AbortController();
  const until = AbortSignal.any([over, trouble.signal]);
  const parts = {
    writer: writeLive({ kind: "victoria-metrics", url: source.url }, args.series, writeEveryMs, until, {
      percent: args.late,
      maxMs: args.seconds * 500,
      random: seededRandom(args.seed + 2),
    }),
    killer: killRepeatedly(fleet, random, until),
    editor: editRepeatedly(edit, seededRandom(args.seed + 1), until),
  };
  for (const part of Object.values(parts)) part.catch((error: unknown) => trouble.abort(error));
  const [written, kills, edits] = await Promise.all([parts.writer, parts.killer, parts.editor]);
  console.log(
    `written: ${formatExactCount(written.samples)} samples; ${kills} kills of replicas, 1 of Redis, ${edits} edits`,
  );
  await takesOver(fleet);
  const writtenMs = Date.now();
  if (args.late > 0) await sleep(countableAfterMs, new AbortController().signal);
  await restartAll(fleet);
  // A replica that has started looks for all late samples in the first cycle of each sink that it runs.
  if (args.late > 0) await sleep(lateLimitMs, new AbortController().signal);
  const lastMs = Date.now();
  await reached(fleet, lastMs, drainLimitMs);
  const span = { fromMs: startMs - 60_000, toMs: writtenMs };
  // What a check has missed, since its count failed or a replica was killed, is found by the next one.
  const untilMs = Date.now() + (args.late > 0 ? nextCheckMs : 0);
  for (const receiver of receivers.filter(({ kind }) => kind === "victoria-metrics")) {
    while (Date.now() < untilMs && (await countOf(receiver, span)) < written.samples) {
      await sleep(5_000, new AbortController().signal);
    }
  }
  // Late samples of that time are not sent, and its sink says so.
  for (const sink of await sinksOf(fleet)) {
    if (sink.uncheckedSeconds > 0) console.log(`${sink.name}: ${sink.uncheckedSeconds} s were not checked`);
  }
  for (const { number, daemon } of replicas) {
    console.log(`replica ${number}, after SIGTERM: ${describeExit(await daemon.child.stop(30_000))}`);
  }
  let isEqual = true;
  for (const receiver of receivers) {
    // Requests in flight at a replica's or Redis' kill may be repeated: one per lane.
    const repeats = receiver.kind === "prometheus" ? 0 : (kills + 2) * lanes * largestBatch;
    const missing = receiver.name === "prometheus" ? written.late : 0;
    const allowed = { repeats, missing };
    isEqual =
      (await agrees(receiver, { kind: "victoria-metrics", url: source.url }, written, span, allowed)) &&
      isEqual;
  }
  return isEqual;
}

/** Kills and restarts replicas after random times, and Redis once in between. */
async function killRepeatedly(fleet: Fleet, random: () => number, until: AbortSignal): Promise<number> {
  let kills = 0;
  for (let turn = 0; ; turn++) {
    await sleep(randomInteger(random, ...killPauseMs), until).catch(() => undefined);
    for (const { number, daemon } of fleet.replicas) {
      const exit = daemon.child.exit();
      if (exit !== undefined) throw new Error(`replica ${number} ended by itself: ${describeExit(exit)}`);
    }
    if (until.aborted) return kills;
    if (turn === 1) {
      await fleet.redis.kill();
      await sleep(randomInteger(random, 500, 3_000), new AbortController().signal);
      await fleet.redis.restart();
      continue;
    }
    const replica = fleet.replicas[randomInteger(random, 0, replicaCount - 1)];
    if (replica === undefined) continue;
    await replica.daemon.child.kill();
    kills++;
    await sleep(randomInteger(random, 0, 3_000), new AbortController().signal);
    replica.daemon = await fleet.start(replica.number);
  }
}

async function editRepeatedly(
  edit: (number: number) => Promise<void>,
  random: () => number,
  until: AbortSignal,
): Promise<number> {
  for (let edits = 0; ; edits++) {
    await sleep(randomInteger(random, ...editPauseMs), until).catch(() => undefined);
    if (until.aborted) return edits;
    await edit(edits + 1);
  }
}

/** Kills one replica, measures how long its sinks wait, and restarts it. */
async function takesOver(fleet: Fleet): Promise<void> {
  const [victim] = fleet.replicas;
  if (victim === undefined) return;
  await reached(fleet, Date.now() - delayMs - 1_000, drainLimitMs);
  await victim.daemon.child.kill();
  const killedMs = Date.now();
  // A window that ends after the kill was run by another replica.
  await reached({ ...fleet, replicas: fleet.replicas.slice(1) }, killedMs - delayMs + 1_000, takeoverLimitMs);
  console.log(`a replica was killed: every sink went on elsewhere within ${seconds(Date.now() - killedMs)}`);
  victim.daemon = await fleet.start(victim.number);
}

/** A rolling restart, as in an upgrade. */
async function restartAll(fleet: Fleet): Promise<void> {
  for (const replica of fleet.replicas) {
    const beganMs = Date.now();
    const exit = await replica.daemon.child.stop(30_000);
    if (exit.code !== 0) throw new Error(`replica ${replica.number}, after SIGTERM: ${describeExit(exit)}`);
    replica.daemon = await fleet.start(replica.number);
    await reached(fleet, beganMs - delayMs + 1_000, takeoverLimitMs);
    console.log(
      `replica ${replica.number} was restarted: every sink went on within ${seconds(Date.now() - beganMs)}`,
    );
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** What each replica that responds says of each sink. */
async function sinksOf({ replicas }: Pick<Fleet, "replicas">): Promise<SinkView[]> {
  const { signal } = new AbortController();
  const statuses = await Promise.all(
    replicas.map(({ daemon }) => daemon.status(signal).catch(() => undefined)),
  );
  return statuses.flatMap((status) => status?.policies.flatMap((policy) => policy.sinks) ?? []);
}

/** Waits until every sink's checkpoint is past `ms`, as reported by any replica. */
async function reached(
  fleet: Pick<Fleet, "replicas" | "receivers">,
  ms: number,
  limitMs: number,
): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  const { signal } = new AbortController();
  for (;;) {
    const sinks = await sinksOf(fleet);
    const behind = fleet.receivers.filter(
      ({ name }) => !sinks.some((sink) => sink.name === name && Date.parse(sink.checkpoint ?? "") >= ms),
    );
    if (behind.length === 0) return;
    if (performance.now() > deadlineMs) {
      const states = JSON.stringify(
        sinks.map(({ name, checkpoint, lastError }) => ({ name, checkpoint, lastError })),
      );
      throw new Error(
        `not reached within ${limitMs / 1_000} s: ${behind.map(({ name }) => name).join(", ")}; ${states}`,
      );
    }
    await sleep(250, signal);
  }
}

await runProof({
  name: "fleet",
  about: `The equality proof with ${replicaCount} replicas that share their cycles through Redis: replicas are killed with kill -9
at random, Redis once; then what source and receivers hold is compared.`,
  options,
  run: (args, { folder, releasers }) => run(args, folder, releasers),
});
