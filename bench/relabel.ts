import { sleep } from "../src/base/core/clock.ts";
import { Releasers } from "../src/base/core/service.ts";
import { startVictoriaMetrics } from "../test/support/servers.ts";
import { type CountingReceiver, startCountingReceiver } from "./support/counting-receiver.ts";
import { type BenchDaemon, startBenchDaemon } from "./support/daemon.ts";
import { loadSelector, writeLive } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { fiveRules } from "./support/relabel-rules.ts";
import { print, printVerdicts, round } from "./support/verdict.ts";

/**
 * What five relabelling rules cost a live sample: pairs of daemons, one of each pair with rules, which export the
 * same series of one VictoriaMetrics at the same time, so that a machine whose speed varies changes both alike.
 * The ratio is that of all rounds together. `--warm`: seconds before the first round; see `peers.ts`.
 */
const { series, interval, seconds, warm, pairs, rounds } = numberOptions({
  series: 20_000,
  interval: 5,
  /** Of a round. */
  seconds: 60,
  warm: 180,
  pairs: 2,
  rounds: 4,
});
const { signal } = new AbortController();

interface Run {
  readonly hasRules: boolean;
  readonly daemon: BenchDaemon;
  readonly receiver: CountingReceiver;
}

/** CPU time (ms), acknowledged samples and bytes sent so far. */
interface Usage {
  readonly cpuMs: number;
  readonly samples: number;
  readonly bytes: number;
}

const releasers = new Releasers();
const runs: Run[] = [];
try {
  process.exitCode = await measure();
} finally {
  await releasers.releaseAll();
}

/** @returns the exit status */
async function measure(): Promise<number> {
  const store = await startVictoriaMetrics();
  releasers.push(() => store[Symbol.asyncDispose]());
  const over = new AbortController();
  releasers.push(async () => over.abort());
  const writing = writeLive(store.url, series, interval * 1_000, over.signal);
  for (let index = 0; index < 2 * pairs; index++) runs.push(await startRun(store.url, index % 2 === 1));
  print(`warming up for ${warm} s`);
  await sleep(warm * 1_000, signal);

  const first = await usages();
  let last = first;
  for (let round = 1; round <= rounds; round++) {
    await sleep(seconds * 1_000, signal);
    const usage = await usages();
    print(`round ${round}: ${describe(last, usage)}`);
    last = usage;
  }
  over.abort();
  await writing;
  print(`all: ${describe(first, last)}`);
  return printVerdicts([
    {
      what: "CPU per live sample with five rules",
      figure: perSample(first, last, true).micros / perSample(first, last, false).micros,
      unit: "of the same without",
      atMost: 1.05,
    },
  ]);
}

async function startRun(sourceUrl: string, hasRules: boolean): Promise<Run> {
  const receiver = await startCountingReceiver();
  releasers.push(() => receiver[Symbol.asyncDispose]());
  const policy = { name: "load", selector: loadSelector, endpoints: [receiver.endpoint] };
  const daemon = await startBenchDaemon({
    sourceUrl,
    policies: [{ ...policy, ...(hasRules && { target: { relabel: fiveRules } }) }],
    metrics: `interval: ${interval}s`,
  });
  releasers.push(() => daemon[Symbol.asyncDispose]());
  return { hasRules, daemon, receiver };
}

function usages(): Promise<Usage[]> {
  return Promise.all(
    runs.map(async ({ daemon, receiver }) => ({
      cpuMs: processUsage(daemon.pid).cpuMs,
      samples: await daemon.delivered(),
      bytes: receiver.bytes,
    })),
  );
}

/** CPU (us) and bytes per sample between two times, of all daemons with rules, or without. */
function perSample(from: readonly Usage[], to: readonly Usage[], hasRules: boolean) {
  const sum = { cpuMs: 0, samples: 0, bytes: 0 };
  for (const [index, run] of runs.entries()) {
    const [before, after] = [from[index], to[index]];
    if (run.hasRules !== hasRules || before === undefined || after === undefined) continue;
    sum.cpuMs += after.cpuMs - before.cpuMs;
    sum.samples += after.samples - before.samples;
    sum.bytes += after.bytes - before.bytes;
  }
  return { micros: (sum.cpuMs * 1_000) / sum.samples, bytes: sum.bytes / sum.samples };
}

function describe(from: readonly Usage[], to: readonly Usage[]): string {
  const [without, withRules] = [perSample(from, to, false), perSample(from, to, true)];
  const ratio = round(withRules.micros / without.micros);
  return `${text(without)} a sample without rules, ${text(withRules)} with five: ${ratio}`;
}

function text({ micros, bytes }: { readonly micros: number; readonly bytes: number }): string {
  return `${round(micros)} us and ${round(bytes)} bytes`;
}
