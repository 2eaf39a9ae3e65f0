import { sleep } from "../../src/core/clock.ts";
import { importLines, makeLabels, valueAt } from "../support/samples.ts";
import { jobs } from "./policy.ts";

/** One series in so many is replaced by a new one every so many ticks, as if its pod had been restarted. */
const churnShare = 50;
const churnTicks = 8;

export interface WriterResult {
  readonly ticks: number;
  readonly samples: number;
  /** How long after its timestamp the last sample of the slowest tick was in the store, in ms. */
  readonly slowestMs: number;
}

/**
 * Writes a sample of every series at each multiple of `everyMs`, with the time at which it is written, as a scraper
 * does, until the signal. Resolves when the last tick is written.
 */
export async function writeLive(
  url: string,
  seriesCount: number,
  everyMs: number,
  signal: AbortSignal,
): Promise<WriterResult> {
  const metrics = jobs.flatMap((job, half) => {
    const count = half === 0 ? Math.ceil(seriesCount / 2) : Math.floor(seriesCount / 2);
    return makeLabels({ count, labels: 11, job }).map((labels) =>
      JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value]))),
    );
  });
  let ticks = 0;
  let slowestMs = 0;
  for (;;) {
    const tickMs = Math.ceil((Date.now() + 1) / everyMs) * everyMs;
    await sleep(tickMs - Date.now(), signal).catch(() => undefined);
    if (signal.aborted) return { ticks, samples: ticks * metrics.length, slowestMs };
    // A tick that has begun is written whole: half of it would be a source of doubt, not of load.
    await importLines(
      url,
      linesAt(metrics, tickMs, Math.floor(ticks / churnTicks)),
      new AbortController().signal,
    );
    ticks++;
    slowestMs = Math.max(slowestMs, Date.now() - tickMs);
  }
}

function* linesAt(metrics: readonly string[], timestampMs: number, round: number): Generator<string> {
  for (const [index, original] of metrics.entries()) {
    const isChurning = index % churnShare === 0;
    const metric = isChurning ? original.replace('"pod":"', `"pod":"round-${round}-`) : original;
    const value = valueAt(index, timestampMs);
    const text = Number.isFinite(value) ? String(value) : value > 0 ? "Inf" : "-Inf";
    yield `{"metric":${metric},"values":[${text}],"timestamps":[${timestampMs}]}\n`;
  }
}
