import { ensureBuilt } from "../scripts/daemon/build.ts";
import { sleep } from "../src/base/core/clock.ts";
import { Releasers } from "../src/base/core/service.ts";
import { startVictoriaMetrics } from "../test/support/servers.ts";
import { type LiveRun, runLive } from "./support/live-run.ts";
import { writeLive } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { telemetryd } from "./support/senders.ts";
import { print, printVerdicts } from "./support/verdict.ts";

/**
 * The cost of freshness: the same series, a sample every `scrape` seconds, exported with `metrics.interval` of
 * 15, 30, 60 and 120 s. Each daemon has a store and a receiver of its own, and all run at the same time, so
 * that the machine is the same for all. The measured time has whole cycles of each, and the number of counts
 * for late samples that there are on average.
 */
const { series, scrape, seconds, warm } = numberOptions({
  series: 10_000,
  scrape: 15,
  seconds: 360,
  warm: 270,
});
const periods = [15, 30, 60, 120];
/** The default of `batch.maxSize`. */
const batch = 500;

const releasers = new Releasers();
const { signal } = new AbortController();
const over = new AbortController();
try {
  // Once, before all of them start.
  await ensureBuilt(signal, () => print("building telemetryd"));
  const sources = await Promise.all(periods.map(() => startVictoriaMetrics()));
  const writing = sources.map((source) => writeLive(source.url, series, scrape * 1_000, over.signal));
  releasers.push(async () => {
    over.abort();
    await Promise.all(writing);
    await Promise.all(sources.map((source) => source[Symbol.asyncDispose]()));
  });
  // What a store takes without readers.
  await sleep(2 * scrape * 1_000, signal);
  const before = sources.map(({ pid }) => processUsage(pid).cpuMs);
  const idleSeconds = 4 * scrape;
  await sleep(idleSeconds * 1_000, signal);
  const idleMs = sources.map(({ pid }, at) => processUsage(pid).cpuMs - (before[at] ?? 0));
  const runs = await Promise.all(
    sources.map((source, at) => {
      const intervalSeconds = periods[at] ?? 0;
      return runLive(telemetryd(batch), { source, series, intervalSeconds, seconds, warmSeconds: warm });
    }),
  );
  const rows = runs.map((run, at) => row(run, ((idleMs[at] ?? 0) * seconds) / idleSeconds));
  console.table(Object.fromEntries(rows.map((each, at) => [`${periods[at]}s`, each])));
  const [first, , , last] = rows;
  const expected = (series * seconds) / scrape;
  const worst = Math.max(...runs.map(({ samples }) => Math.abs(samples / expected - 1)));
  print(`${series} series, a sample every ${scrape} s; measured for ${seconds} s`);
  process.exitCode = printVerdicts([
    { what: "CPU a sample at 120 s", figure: last?.cpu ?? 0, unit: "us", atMost: first?.cpu ?? 0 },
    // One cycle may fall on either side of the measured time.
    { what: "samples beside those written", figure: worst, unit: "off", atMost: 120 / seconds + 0.05 },
  ]);
} finally {
  await releasers.releaseAll();
}

function row(run: LiveRun, idleStoreMs: number) {
  const perSample = (ms: number) => Math.round((ms * 100_000) / run.samples) / 100;
  return {
    cpu: perSample(run.cpuMs),
    "store cpu": perSample(Math.max(0, run.storeCpuMs - idleStoreMs)),
    "wire bytes": Math.round((run.wireBytes * 100) / run.samples) / 100,
    "samples a request": Math.round(run.samples / run.requests),
    "mean age s": Math.round(run.meanLagMs / 100) / 10,
    "peak MB": Math.round(run.peakBytes / 1e6),
    samples: run.samples,
  };
}
