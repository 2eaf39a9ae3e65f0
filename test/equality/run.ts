/**
 * `npm run prove -- equality`: no sample is lost or invented, whatever the interruption. Samples are written live
 * to a VictoriaMetrics; telemetryd exports them to a VictoriaMetrics and to Prometheus with and without an
 * out-of-order window. It is killed with `kill -9` at random times while its policy is edited. At the end the
 * sets of (series, timestamp, value) of the source and of each receiver must be equal.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../scripts/daemon/daemon.ts";
import { choiceOption, numberOption, seedOption, type ValuesOf } from "../../scripts/run/options.ts";
import { describeExit } from "../../scripts/servers/child.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { formatExactCount } from "../../src/base/core/human.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import { runProof } from "../support/proof.ts";
import { randomInteger, seededRandom } from "../support/random.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { agrees, type Receiver } from "./comparison.ts";
import { drained } from "./drained.ts";
import { largestBatch, manifest, randomVariant, writeManifest } from "./policy.ts";
import { startReceivers } from "./receivers.ts";
import { type LateShare, type Source, type WriterResult, writeLive } from "./writer.ts";

const lanes = 4;
/**
 * A Prometheus refuses a native histogram that it has already, the newest one too. After a kill in the middle of a
 * request, each of its histograms is refused alone, at the pace of a search.
 */
const drainLimitMs = (histograms: number): number => (histograms > 0 ? 480_000 : 90_000);
/**
 * Pause between a start and the next kill: half of the kills come during the catch-up, when much is in
 * flight.
 */
const killPauseMs = { catchingUp: [0, 1500], upToDate: [3000, 9000] } as const;
/** The store's counts are asked for by whole minutes, which are older than 45 s. */
const countableAfterMs = 110_000;
const editPauseMs = [2000, 8000] as const;

const options = {
  series: numberOption(4000, "series of 11 labels each"),
  seconds: numberOption(120, "how long samples are written and telemetryd is killed"),
  every: numberOption(3, "seconds between two samples of a series"),
  source: choiceOption(["victoria-metrics", "prometheus"], "the store of the samples"),
  late: numberOption(0, "percentage of samples that reach the store late, by up to half of the run", 0, 50),
  histograms: numberOption(0, "further series that are native histograms, from Prometheus only", 0, 100_000),
  seed: seedOption(),
};
type EqualityRun = ValuesOf<typeof options>;

interface Bench {
  readonly folder: string;
  readonly source: Source;
  readonly receivers: readonly Receiver[];
  readonly delayMs: number;
  startDaemon(): Promise<RunningDaemon>;
}

async function run(args: EqualityRun, folder: string, releasers: Releasers): Promise<boolean> {
  const startMs = Date.now();
  const bench = await startBench(args, folder, releasers);
  const random = seededRandom(args.seed);
  const sinks = bench.receivers.map(({ name, server }) => ({ name, endpoint: `${server.url}/api/v1/write` }));
  const edit = (number: number): Promise<void> =>
    writeManifest(join(folder, "policies"), manifest(randomVariant(number, random), sinks));
  await edit(0);

  const over = AbortSignal.timeout(args.seconds * 1000);
  const trouble = new AbortController();
  const until = AbortSignal.any([over, trouble.signal]);
  const parts = {
    writer: writeLive(bench.source, args.series, args.every * 1000, until, lateShare(args), args.histograms),
    killer: killRepeatedly(bench, random, releasers, until),
    editor: editRepeatedly(edit, seededRandom(args.seed + 1), until),
  };
  // A failing part aborts the others.
  for (const part of Object.values(parts)) part.catch((error: unknown) => trouble.abort(error));
  const [written, killed, edits] = await Promise.all([parts.writer, parts.killer, parts.editor]);
  const { kills } = killed;
  let { daemon } = killed;
  console.log(
    `written: ${formatExactCount(written.samples)} samples in ${written.ticks} ticks; ${kills} kills, ${edits} edits`,
  );
  if (written.slowestMs > bench.delayMs - 12_000) {
    throw new Error(
      `this machine is too slow for the test: a tick took ${written.slowestMs} ms to be written`,
    );
  }

  const lastMs = Date.now();
  const names = bench.receivers.map(({ name }) => name);
  await drained(daemon, names, lastMs, drainLimitMs(args.histograms));
  if (args.late > 0) daemon = await checkedOnceMore(bench, daemon, lastMs, releasers);
  const exit = await daemon.child.stop(30_000);
  console.log(`telemetryd, after SIGTERM: ${describeExit(exit)}`);
  const isEqual = await compare(bench, written, { kills, startMs, lastMs });
  return isEqual && exit.code === 0;
}

function lateShare({ late, seconds, seed }: EqualityRun): LateShare {
  return { percent: late, maxMs: seconds * 500, random: seededRandom(seed + 2) };
}

/**
 * A daemon looks for all late samples when it starts: once what was written last is old enough to be counted,
 * it is started again, and has time to deliver what it finds.
 */
async function checkedOnceMore(
  bench: Bench,
  before: RunningDaemon,
  lastMs: number,
  releasers: Releasers,
): Promise<RunningDaemon> {
  const { signal } = new AbortController();
  await sleep(lastMs + countableAfterMs - Date.now(), signal);
  await before.child.stop(30_000);
  const daemon = await bench.startDaemon();
  releasers.push(() => daemon.child.kill());
  let late = -1;
  for (let quietSeconds = 0; quietSeconds < 10; quietSeconds++) {
    await sleep(1_000, signal);
    const now = await lateSamples(daemon);
    if (now !== late) quietSeconds = 0;
    late = now;
  }
  console.log(`delivered late after the last start: ${formatExactCount(late)}`);
  return daemon;
}

/** Late samples that the daemon has delivered, or had refused. */
async function lateSamples({ opsUrl }: RunningDaemon): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const values = text.matchAll(/^telemetryd_sink_samples_late(?:_rejected)?_total\{.*\} (\d+)$/gm);
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

async function startBench(args: EqualityRun, folder: string, releasers: Releasers): Promise<Bench> {
  await ensureBuilt(new AbortController().signal, () => console.log("building telemetryd"));
  const started = async (start: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await start;
    releasers.push(() => server[Symbol.asyncDispose]());
    return server;
  };
  // Takes late samples itself.
  const prometheus = () =>
    startPrometheus({ nativeHistograms: true, ...(args.late > 0 ? { outOfOrderWindow: "1h" } : {}) });
  const server = await started(args.source === "prometheus" ? prometheus() : startVictoriaMetrics());
  const source = { kind: args.source, url: server.url };
  const receivers = await startReceivers(started);
  // Longer than VictoriaMetrics needs to make all samples of a time visible. It caches the result of a
  // selector, so the first samples of a new series become visible late.
  const delayMs = 15_000 + Math.ceil(args.series / 10_000) * 1000;
  const configFile = join(folder, "telemetryd.yaml");
  await mkdir(join(folder, "policies"));
  await writeFile(
    configFile,
    [
      "policies: { directory: ./policies }",
      `metrics: { url: "${source.url}", interval: 1s, delay: ${delayMs}ms }`,
      `delivery: { startFrom: 1h, concurrency: ${lanes} }`,
      "state: { directory: ./state }",
      "log: { level: info }",
    ].join("\n"),
  );
  const opsPort = await freePort();
  return {
    folder,
    source,
    receivers,
    delayMs,
    startDaemon: () =>
      startDaemon({
        configFile,
        opsPort,
        logFile: join(folder, "telemetryd.log"),
        signal: new AbortController().signal,
      }),
  };
}

/** Runs the daemon and kills it after random times; leaves the last one running. */
async function killRepeatedly(
  bench: Bench,
  random: () => number,
  releasers: Releasers,
  until: AbortSignal,
): Promise<{ kills: number; daemon: RunningDaemon }> {
  let daemon = await bench.startDaemon();
  releasers.push(() => daemon.child.kill());
  for (let kills = 0; ; kills++) {
    const [shortestMs, longestMs] = random() < 0.5 ? killPauseMs.catchingUp : killPauseMs.upToDate;
    await sleep(randomInteger(random, shortestMs, longestMs), until).catch(() => undefined);
    const exit = daemon.child.exit();
    if (exit !== undefined) throw new Error(`telemetryd ended by itself: ${describeExit(exit)}`);
    if (until.aborted) return { kills, daemon };
    await daemon.child.kill();
    await sleep(randomInteger(random, 0, 1000), new AbortController().signal);
    daemon = await bench.startDaemon();
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

async function compare(
  bench: Bench,
  written: WriterResult,
  { kills, startMs, lastMs }: { readonly kills: number; readonly startMs: number; readonly lastMs: number },
): Promise<boolean> {
  const span = { fromMs: startMs - 60_000, toMs: lastMs };
  let isEqual = true;
  for (const receiver of bench.receivers) {
    // Only requests in flight when the daemon died may be sent again: one per lane.
    const repeats = receiver.kind === "prometheus" ? 0 : kills * lanes * largestBatch;
    // Without an out-of-order window, a Prometheus takes no sample that is older than its series' last one.
    const missing = receiver.name === "prometheus" ? written.late : 0;
    isEqual = (await agrees(receiver, bench.source, written, span, { repeats, missing })) && isEqual;
  }
  return isEqual;
}

await runProof({
  name: "equality",
  about: `Writes samples into a metrics store while telemetryd exports them to three receivers, is killed with kill -9 at random
and has its policy edited; then compares what source and receivers hold.
The full form: --series 50000 --seconds 600 --every 15`,
  options,
  run: async (args, { folder, releasers }) => {
    if (args.histograms > 0 && args.source !== "prometheus")
      throw new Error("--histograms: needs --source prometheus");
    return run(args, folder, releasers);
  },
});
