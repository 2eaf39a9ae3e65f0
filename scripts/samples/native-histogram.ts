/** A native histogram as the generic codec takes it: `Histogram` of proto/remote-write-1.0.proto. */
export interface NativeHistogram {
  readonly countInt?: number;
  readonly countFloat?: number;
  readonly sum: number;
  readonly schema: number;
  readonly zeroThreshold: number;
  readonly zeroCountInt?: number;
  readonly zeroCountFloat?: number;
  readonly negativeSpans: readonly Span[];
  readonly negativeDeltas?: readonly number[];
  readonly negativeCounts?: readonly number[];
  readonly positiveSpans: readonly Span[];
  readonly positiveDeltas?: readonly number[];
  readonly positiveCounts?: readonly number[];
}

interface Span {
  readonly offset: number;
  readonly length: number;
}

/** A counter starts again after this. */
const resetSeconds = 100;

/**
 * Native histogram number `index` at a time, a counter: a third are of floats; they grow and are reset, and
 * their buckets change, so that a store has to begin new chunks and to write old ones again. No gauges:
 * Prometheus 2.42 cannot stream a chunk of them that it is still writing ("detected unexpected counter
 * reset").
 */
export function nativeHistogramAt(index: number, timestampMs: number): NativeHistogram {
  const second = Math.floor(timestampMs / 1_000);
  const isFloat = index % 3 === 2;
  const age = second % resetSeconds;
  const positive = bucketCounts(2 + (index % 9) + Math.floor(age / 20), age + index);
  const negative = index % 4 === 0 ? bucketCounts(3, age) : [];
  const zeroCount = age * 2;
  const count = [...positive, ...negative].reduce((sum, one) => sum + one, zeroCount);
  const sum = age === 0 && index % 2 === 0 ? 0 : age * 1.25 + index;
  const common = {
    ...{ sum, schema: (index % 13) - 4, zeroThreshold: index % 5 === 0 ? 0 : 2 ** -128 },
    ...{ positiveSpans: spansOf(positive.length, index), negativeSpans: spansOf(negative.length, 0) },
  };
  if (isFloat) {
    const half = (value: number): number => value / 2;
    return {
      ...{ ...common, countFloat: half(count), zeroCountFloat: half(zeroCount) },
      ...{ positiveCounts: positive.map(half), negativeCounts: negative.map(half) },
    };
  }
  return {
    ...{ ...common, countInt: count, zeroCountInt: zeroCount },
    ...{ positiveDeltas: deltasOf(positive), negativeDeltas: deltasOf(negative) },
  };
}

/**
 * What a histogram says, whatever its layout: a store may add empty buckets to it. Without its time and its
 * reset hint, which depends on the chunks of a store.
 */
export function describeHistogram(histogram: NativeHistogram): string {
  const { countFloat, sum, schema, zeroThreshold } = histogram;
  if (Number.isNaN(sum)) return "stale histogram";
  // Decoded messages inherit the default of the count that they do not have.
  const isFloat = Object.hasOwn(histogram, "countFloat");
  const negative = isFloat ? histogram.negativeCounts : countsOf(histogram.negativeDeltas);
  const positive = isFloat ? histogram.positiveCounts : countsOf(histogram.positiveDeltas);
  return JSON.stringify({
    kind: isFloat ? "float" : "integer",
    count: Number(isFloat ? countFloat : histogram.countInt),
    ...{ sum, schema, zeroThreshold },
    zeroCount: Number(isFloat ? histogram.zeroCountFloat : histogram.zeroCountInt),
    negative: bucketsOf(histogram.negativeSpans, negative),
    positive: bucketsOf(histogram.positiveSpans, positive),
  });
}

function bucketCounts(length: number, n: number): number[] {
  return Array.from({ length }, (_, bucket) => Math.floor(n / (bucket + 1)));
}

/** Some have a gap. */
function spansOf(length: number, index: number): Span[] {
  if (length === 0) return [];
  if (index % 3 !== 0 || length < 3) return [{ offset: index % 4, length }];
  return [
    { offset: -2, length: 2 },
    { offset: 3, length: length - 2 },
  ];
}

function deltasOf(counts: readonly number[]): number[] {
  return counts.map((count, bucket) => count - (counts[bucket - 1] ?? 0));
}

function countsOf(deltas: readonly number[] = []): number[] {
  let count = 0;
  return deltas.map((delta) => {
    count += Number(delta);
    return count;
  });
}

/** The counts that are not zero, by the index of their bucket. */
function bucketsOf(spans: readonly Span[], counts: readonly number[] = []): [number, number][] {
  const found: [number, number][] = [];
  let bucket = 0;
  let next = 0;
  for (const { offset, length } of spans) {
    bucket += offset;
    for (let end = bucket + length; bucket < end; bucket++) {
      const count = counts[next++] ?? 0;
      if (count !== 0) found.push([bucket, count]);
    }
  }
  return found;
}
