import { sleep } from "../../src/base/core/clock.ts";
import {
  flushVictoriaMetrics,
  importLines,
  type WrittenSeries,
  writeByRemoteWrite,
} from "../../test/support/samples.ts";
import { metricLabels, metricText } from "../export-body.ts";

/** Matches every series of the load. */
export const loadSelector = '{job="node-exporter"}';

/**
 * `series` series, each with a sample at every multiple of `everyMs` after `fromMs`, up to and including
 * `toMs`.
 */
export interface Backlog {
  readonly series: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly everyMs: number;
}

export function backlogOf(series: number, samplesPerSeries: number, everyMs: number, toMs: number): Backlog {
  const lastMs = toMs - (toMs % everyMs);
  return { series, everyMs, fromMs: lastMs - samplesPerSeries * everyMs, toMs: lastMs };
}

export function samplesOf({ series, fromMs, toMs, everyMs }: Backlog): number {
  return series * (Math.floor(toMs / everyMs) - Math.floor(fromMs / everyMs));
}

/** Writes a backlog; resolves when the store's queries return it. */
export async function writeBacklog(
  url: string,
  backlog: Backlog,
  signal: AbortSignal,
  metric: (index: number) => string = metricText,
): Promise<void> {
  await importLines(url, backlogLines(backlog, metric), signal);
  await flushVictoriaMetrics(url, signal);
}

/**
 * Writes a backlog to a Prometheus by remote write, in order of time, since Prometheus rejects samples an
 * hour older than its newest.
 */
export async function writeBacklogByRemoteWrite(
  endpoint: string,
  { series, fromMs, toMs, everyMs }: Backlog,
  signal: AbortSignal,
): Promise<void> {
  const spanMs = 20 * everyMs;
  for (let spanFromMs = fromMs; spanFromMs < toMs; spanFromMs += spanMs) {
    const times = timesOf({ series, everyMs, fromMs: spanFromMs, toMs: Math.min(toMs, spanFromMs + spanMs) });
    const written = function* (): Generator<WrittenSeries> {
      for (let index = 0; index < series; index++) {
        const labels = Object.entries(metricLabels(index)).map(([name, value]) => ({ name, value }));
        labels.sort((a, b) => (a.name < b.name ? -1 : 1));
        yield {
          labels,
          samples: times.map((timestampMs) => ({
            timestampMs,
            value: valueAt(index, timestampMs / everyMs),
          })),
        };
      }
    };
    await writeByRemoteWrite(endpoint, written(), signal);
  }
}

function timesOf({ fromMs, toMs, everyMs }: Backlog): number[] {
  const times: number[] = [];
  for (let at = fromMs - (fromMs % everyMs) + everyMs; at <= toMs; at += everyMs) times.push(at);
  return times;
}

function* backlogLines(backlog: Backlog, metric: (index: number) => string) {
  const { series, everyMs } = backlog;
  const times = timesOf(backlog);
  const timesText = times.join(",");
  for (let index = 0; index < series; index++) {
    const values = times.map((at) => valueAt(index, at / everyMs));
    yield `{"metric":${metric(index)},"values":[${values}],"timestamps":[${timesText}]}\n`;
  }
}

/** Half counters, half gauges with up to three decimals; values change often. */
function valueAt(index: number, step: number): number {
  return index % 2 === 0
    ? index * 1_009 + (step % 1_000_000) * 17
    : Math.round(((index * 7 + step * 13) % 100_000) * 1_234.5) / 1_000;
}

/**
 * Writes a sample of every series at each multiple of `everyMs`, as a scraper does, until the signal aborts.
 * A tick that has begun is completed.
 * @returns the number of samples written
 */
export async function writeLive(
  url: string,
  series: number,
  everyMs: number,
  signal: AbortSignal,
  metric: (index: number) => string = metricText,
): Promise<number> {
  const heads = Array.from({ length: series }, (_, index) => `{"metric":${metric(index)},"values":[`);
  for (let ticks = 0; ; ticks++) {
    const tickMs = Math.ceil((Date.now() + 1) / everyMs) * everyMs;
    await sleep(tickMs - Date.now(), signal).catch(() => undefined);
    if (signal.aborted) return ticks * series;
    await importLines(url, liveLines(heads, tickMs, tickMs / everyMs), new AbortController().signal);
  }
}

function* liveLines(heads: readonly string[], tickMs: number, step: number) {
  for (const [index, head] of heads.entries())
    yield `${head}${valueAt(index, step)}],"timestamps":[${tickMs}]}\n`;
}
