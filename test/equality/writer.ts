import { sleep } from "../../src/base/core/clock.ts";
import {
  importLines,
  makeLabels,
  type NativeHistogram,
  nativeHistogramAt,
  type RemotelyWrittenSeries,
  valueAt,
  writeByRemoteWrite,
} from "../support/samples.ts";
import { jobs } from "./policy.ts";

/**
 * One in `churnShare` series is replaced by a new one every `churnTicks` ticks, as if its pod had been
 * restarted.
 */
const churnShare = 50;
const churnTicks = 8;

export interface WriterResult {
  readonly ticks: number;
  readonly samples: number;
  /** How many of them were late. */
  readonly late: number;
  /** How many of them were native histograms, of series with {@link histogramLabel}. */
  readonly histograms: number;
  /** Delay of the slowest tick from its timestamp until its last sample was in the store, in ms. */
  readonly slowestMs: number;
}

/** A label that only series of native histograms have. */
export const histogramLabel = { name: "native", value: "yes" };

export type SourceKind = "victoria-metrics" | "prometheus";

/** The store that samples are written to and exported from. */
export interface Source {
  readonly kind: SourceKind;
  readonly url: string;
}

/**
 * Writes a sample of every series at each multiple of `everyMs`, with the current time, as a scraper does,
 * until the signal aborts. Resolves when the last tick is written.
 */
export async function writeLive(
  source: Source,
  seriesCount: number,
  everyMs: number,
  signal: AbortSignal,
  late: LateShare = { percent: 0, maxMs: 0, random: () => 0 },
  histogramCount = 0,
): Promise<WriterResult> {
  const numberSets = labelSetsOf(seriesCount);
  const labelSets = [
    ...numberSets,
    ...labelSetsOf(histogramCount).map((labels) => [...labels, histogramLabel]),
  ];
  const write =
    source.kind === "prometheus" ? prometheusWriter(source.url) : importWriter(source.url, labelSets);
  let ticks = 0;
  let slowestMs = 0;
  let delayed: DelayedTick[] = [];
  let lateSamples = 0;
  for (;;) {
    const tickMs = Math.ceil((Date.now() + 1) / everyMs) * everyMs;
    await sleep(tickMs - Date.now(), signal).catch(() => undefined);
    if (signal.aborted) break;
    // A tick that has begun is completed, so that the set of written samples is known.
    const inTime: Tick[] = [];
    const lateness = latenessOf(late, numberSets.length);
    for (const tick of seriesAt(labelSets, numberSets.length, tickMs, Math.floor(ticks / churnTicks))) {
      // Prometheus 2.x takes no late histograms.
      const lateMs = tick.index < numberSets.length ? lateness(tick.index) : 0;
      if (lateMs === 0) inTime.push(tick);
      else delayed.push({ tick, dueMs: tickMs + lateMs });
    }
    lateSamples += labelSets.length - inTime.length;
    await write(inTime);
    ticks++;
    slowestMs = Math.max(slowestMs, Date.now() - tickMs);
    const nowMs = Date.now();
    const due = delayed.filter(({ dueMs }) => dueMs <= nowMs);
    delayed = delayed.filter(({ dueMs }) => dueMs > nowMs);
    if (due.length > 0) await write(due.map(({ tick }) => tick));
  }
  if (delayed.length > 0) await write(delayed.map(({ tick }) => tick));
  const histograms = ticks * histogramCount;
  return { ticks, samples: ticks * labelSets.length, late: lateSamples, histograms, slowestMs };
}

function labelSetsOf(seriesCount: number): Labels[] {
  return jobs.flatMap((job, half) => {
    const count = half === 0 ? Math.ceil(seriesCount / 2) : Math.floor(seriesCount / 2);
    return makeLabels({ count, labels: 11, job });
  });
}

/** Which part of the samples is late, and by how much at most. */
export interface LateShare {
  readonly percent: number;
  readonly maxMs: number;
  readonly random: () => number;
}

interface DelayedTick {
  readonly tick: Tick;
  readonly dueMs: number;
}

/** Half of the late samples are single ones, the other half a run of series: a target that was cut off. */
function latenessOf({ percent, maxMs, random }: LateShare, seriesCount: number): (index: number) => number {
  if (percent === 0) return () => 0;
  const share = percent / 100 / 2;
  const lateMs = (): number => 1_000 + Math.floor(random() * maxMs);
  const targetStart = Math.floor(random() * seriesCount * (1 - share));
  const targetMs = lateMs();
  return (index) => {
    if (index >= targetStart && index < targetStart + share * seriesCount) return targetMs;
    return random() < share ? lateMs() : 0;
  };
}

type Labels = RemotelyWrittenSeries["labels"];

interface Tick {
  readonly index: number;
  /** Number of the current pod of a series that is replaced periodically; undefined for other series. */
  readonly round: number | undefined;
  readonly labels: Labels;
  readonly timestampMs: number;
  readonly value: number | NativeHistogram;
}

/** @param numbers of the series are of numbers, the rest are histograms */
function* seriesAt(
  labelSets: readonly Labels[],
  numbers: number,
  timestampMs: number,
  round: number,
): Generator<Tick> {
  for (const [index, labels] of labelSets.entries()) {
    const isChurning = index % churnShare === 0;
    yield {
      index,
      round: isChurning ? round : undefined,
      labels,
      timestampMs,
      value: index < numbers ? valueAt(index, timestampMs) : nativeHistogramAt(index - numbers, timestampMs),
    };
  }
}

type Writer = (ticks: Iterable<Tick>) => Promise<void>;

function prometheusWriter(url: string): Writer {
  function* written(ticks: Iterable<Tick>): Generator<RemotelyWrittenSeries> {
    for (const { round, labels, timestampMs, value } of ticks) {
      const own =
        round === undefined
          ? labels
          : labels.map((label) =>
              label.name === "pod" ? { name: "pod", value: `round-${round}-${label.value}` } : label,
            );
      yield { labels: own, samples: [{ timestampMs, value }] };
    }
  }
  return (ticks) => writeByRemoteWrite(`${url}/api/v1/write`, written(ticks), new AbortController().signal);
}

function importWriter(url: string, labelSets: readonly Labels[]): Writer {
  const metrics = labelSets.map((labels) =>
    JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value]))),
  );
  function* lines(ticks: Iterable<Tick>): Generator<string> {
    for (const { index, round, timestampMs, value } of ticks) {
      const original = metrics[index] ?? "";
      const metric = round === undefined ? original : original.replace('"pod":"', `"pod":"round-${round}-`);
      if (typeof value !== "number") throw new TypeError("VictoriaMetrics has no native histograms");
      const text = Number.isFinite(value) ? String(value) : value > 0 ? "Inf" : "-Inf";
      yield `{"metric":${metric},"values":[${text}],"timestamps":[${timestampMs}]}\n`;
    }
  }
  return (ticks) => importLines(url, lines(ticks), new AbortController().signal);
}
