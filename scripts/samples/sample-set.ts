import type { Label } from "../../src/exporter/series/series.ts";

/** A number (NaN represents a staleness marker), or the text of a native histogram. */
export type SampleValue = number | string;

/** Samples of one series: `timestampsMs[i]` belongs to `values[i]`. */
export interface SeriesSamples {
  readonly timestampsMs: number[];
  readonly values: SampleValue[];
}

/**
 * Samples by series, compact enough for a million of them. Duplicates are kept, since tests look for them.
 */
export class SampleSet {
  readonly series = new Map<string, SeriesSamples>();
  /** Total number of samples, duplicates included. */
  size = 0;

  /** Adds a sample of the series with that key (see `seriesKey`), in any order of time. */
  add(key: string, timestampMs: number, value: SampleValue): void {
    let samples = this.series.get(key);
    if (samples === undefined) {
      samples = { timestampsMs: [], values: [] };
      this.series.set(key, samples);
    }
    samples.timestampsMs.push(timestampMs);
    samples.values.push(value);
    this.size++;
  }

  /** Up to `limit` samples as text, for messages. */
  examples(limit: number): string[] {
    const lines: string[] = [];
    for (const [key, { timestampsMs, values }] of this.series) {
      for (const [index, timestampMs] of timestampsMs.entries()) {
        if (lines.length === limit) return lines;
        lines.push(`${key} ${values[index]} @ ${new Date(timestampMs).toISOString()}`);
      }
    }
    return lines;
  }
}

/** Identity of a series: its labels sorted by name, written as a selector. */
export function seriesKey(labels: readonly Label[]): string {
  const sorted = [...labels].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return `{${sorted.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(",")}}`;
}

/** Differences between the samples of a receiver and of the source. */
export interface SampleDiff {
  /** In the source; the receiver has no sample of that series and time. */
  readonly missing: SampleSet;
  /** In the receiver; the source has no sample of that series and time. */
  readonly extra: SampleSet;
  /** In the receiver, with a value that the source does not have for that series and time. */
  readonly different: SampleSet;
  /** Copies that the receiver has beyond the source's of the same series, time and value. */
  readonly repeated: SampleSet;
}

/** Whether two values are considered equal. */
export type SameValue = (a: SampleValue, b: SampleValue) => boolean;

/**
 * For values that do not survive VictoriaMetrics' decimal storage: each merge of blocks may round them, so
 * that two reads of one sample differ in the last digits.
 */
export const sameUpToRounding: SameValue = (a, b) =>
  Object.is(a, b) ||
  (typeof a === "number" &&
    typeof b === "number" &&
    Number.isFinite(a) &&
    Number.isFinite(b) &&
    Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)));

/**
 * Compares two sets of (series, timestamp, value). They are equal as sets when `missing`, `extra` and
 * `different` are empty; an extra copy in the source is not a difference. Sorts both in place.
 */
export function diffSamples(
  source: SampleSet,
  receiver: SampleSet,
  isSame: SameValue = Object.is,
): SampleDiff {
  const diff: SampleDiff = {
    missing: new SampleSet(),
    extra: new SampleSet(),
    different: new SampleSet(),
    repeated: new SampleSet(),
  };
  for (const key of new Set([...source.series.keys(), ...receiver.series.keys()])) {
    diffSeries(key, byTime(source.series.get(key)), byTime(receiver.series.get(key)), isSame, diff);
  }
  return diff;
}

function diffSeries(
  key: string,
  source: SeriesSamples,
  receiver: SeriesSamples,
  isSame: SameValue,
  diff: SampleDiff,
): void {
  let s = 0;
  let r = 0;
  while (s < source.timestampsMs.length || r < receiver.timestampsMs.length) {
    const timestampMs = Math.min(
      source.timestampsMs[s] ?? Number.POSITIVE_INFINITY,
      receiver.timestampsMs[r] ?? Number.POSITIVE_INFINITY,
    );
    const sourceEnd = endOfTime(source, s, timestampMs);
    const receiverEnd = endOfTime(receiver, r, timestampMs);
    const isOneEach = sourceEnd - s === 1 && receiverEnd - r === 1;
    // Avoids an array in the most frequent case.
    if (!(isOneEach && isSame(source.values[s] ?? Number.NaN, receiver.values[r] ?? Number.NaN))) {
      const wanted = source.values.slice(s, sourceEnd);
      diffTime(key, timestampMs, wanted, receiver.values.slice(r, receiverEnd), isSame, diff);
    }
    s = sourceEnd;
    r = receiverEnd;
  }
}

/** Compares the values of one series and time; either list may be empty. */
function diffTime(
  key: string,
  timestampMs: number,
  source: readonly SampleValue[],
  receiver: readonly SampleValue[],
  isSame: SameValue,
  diff: SampleDiff,
): void {
  const copies = (values: readonly SampleValue[], value: SampleValue): number =>
    values.filter((one) => isSame(one, value)).length;
  const seen: SampleValue[] = [];
  for (const value of receiver) {
    seen.push(value);
    if (source.length === 0) diff.extra.add(key, timestampMs, value);
    else if (copies(source, value) === 0) diff.different.add(key, timestampMs, value);
    else if (copies(seen, value) > copies(source, value)) diff.repeated.add(key, timestampMs, value);
  }
  // Includes a value missing at the receiver although it has another one at that time.
  for (const value of source) if (copies(receiver, value) === 0) diff.missing.add(key, timestampMs, value);
}

function endOfTime(samples: SeriesSamples, start: number, timestampMs: number): number {
  let end = start;
  while (samples.timestampsMs[end] === timestampMs) end++;
  return end;
}

const noSamples: SeriesSamples = { timestampsMs: [], values: [] };

function byTime(samples: SeriesSamples | undefined): SeriesSamples {
  if (samples === undefined) return noSamples;
  const { timestampsMs, values } = samples;
  if (
    timestampsMs.every((timestampMs, index) => index === 0 || timestampMs >= (timestampsMs[index - 1] ?? 0))
  ) {
    return samples;
  }
  const order = timestampsMs.map((_, index) => index);
  order.sort((a, b) => (timestampsMs[a] ?? 0) - (timestampsMs[b] ?? 0));
  const pick = <Value>(from: readonly Value[]): Value[] => order.map((index) => from[index] as Value);
  const [sortedTimes, sortedValues] = [pick(timestampsMs), pick(values)];
  for (const index of order.keys()) {
    timestampsMs[index] = sortedTimes[index] ?? Number.NaN;
    values[index] = sortedValues[index] ?? Number.NaN;
  }
  return samples;
}

/** Whether both contain the same set of (series, timestamp, value); duplicates do not count. */
export function isSameSet(diff: SampleDiff): boolean {
  return diff.missing.size === 0 && diff.extra.size === 0 && diff.different.size === 0;
}

/** A short report: the counts, and examples of the differences. */
export function describeDiff(diff: SampleDiff, exampleLimit = 5): string {
  const kinds = ["missing", "extra", "different", "repeated"] as const;
  const counts = kinds.map((kind) => `${diff[kind].size} ${kind}`).join(", ");
  const examples = kinds.flatMap((kind) =>
    diff[kind].examples(exampleLimit).map((example) => `\n  ${kind}: ${example}`),
  );
  return counts + examples.join("");
}
