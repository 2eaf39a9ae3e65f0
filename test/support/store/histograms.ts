import fc from "fast-check";
import { EncodedHistograms } from "../../../src/exporter/series/encoded-histograms.ts";
import { SampleBuffer } from "../../../src/exporter/series/series.ts";
import { type Histogram, remoteWrite1 } from "../receiver/protocol.ts";
import { packed, type StartedTime, StartWriter, ValueWriter, varbit, word } from "./xor-chunk.ts";

/** A native histogram whose numbers are given exactly: integers of 64 bits, doubles as their bits. */
export interface TestHistogram extends StartedTime {
  readonly kind: "integer" | "float";
  /** Integers, or the bits of doubles. A bucket of integers is the difference from the one before it. */
  readonly count: bigint;
  readonly zeroCount: bigint;
  readonly positive: readonly bigint[];
  readonly negative: readonly bigint[];
  readonly sumBits: bigint;
}

/** What the histograms of a chunk have in common. */
export interface TestLayout {
  readonly schema: number;
  readonly zeroThreshold: number;
  readonly positiveSpans: readonly TestSpan[];
  readonly negativeSpans: readonly TestSpan[];
  readonly customValues: readonly number[];
}

interface TestSpan {
  readonly offset: number;
  readonly length: number;
}

/** A layout with a few buckets. */
export const plainLayout: TestLayout = {
  schema: 3,
  zeroThreshold: 2 ** -128,
  positiveSpans: [{ offset: 0, length: 2 }],
  negativeSpans: [],
  customValues: [],
};

/** An integer histogram of this layout. */
export function plainHistogram(timestampMs: number): TestHistogram {
  return {
    ...{ kind: "integer", count: 3n, zeroCount: 1n, positive: [1n, 0n], negative: [] },
    ...{ sumBits: bitsOf(1.5), timestampMs },
  };
}

/** The messages of a buffer of histograms. */
export function messagesOf({ length, valueHalves, histograms }: SampleBuffer): Buffer[] {
  return Array.from({ length }, (_, index) =>
    Buffer.from(histograms?.bytes.subarray(valueHalves[index * 2], valueHalves[index * 2 + 1]) ?? []),
  );
}

/** In the wire's numbers: 1 and 2 are for integers, 3 for gauges. */
export const hints = { unknown: 0, no: 2, gauge: 3 } as const;
export const staleBits = 0x7ff0000000000002n;

/** Encodes a chunk as Prometheus' appenders do (tsdb/chunkenc/histogram.go, float_histogram.go, …_st.go). */
export function encodeHistogramChunk(
  layout: TestLayout,
  histograms: readonly TestHistogram[],
  { isGauge = false, hasStarts = false } = {},
): Buffer {
  const [first] = histograms;
  const writer = first?.kind === "float" ? new FloatWriter() : new IntegerWriter();
  const starts = new StartWriter();
  const bits: string[] = first === undefined ? [] : [layoutBits(layout)];
  let delta = 0n;
  for (const [index, histogram] of histograms.entries()) {
    const previous = histograms[index - 1];
    const time = BigInt(histogram.timestampMs);
    if (previous === undefined) bits.push(varbit(time));
    else {
      const newDelta = time - BigInt(previous.timestampMs);
      bits.push(varbit(newDelta - delta));
      delta = newDelta;
    }
    bits.push(writer.next(histogram));
    if (hasStarts) bits.push(starts.next(histogram, previous, index));
  }
  const count = BigInt(histograms.length);
  const head = hasStarts
    ? word(isGauge ? 3n : 0n, 2) + word(count, 14) + starts.head
    : word(count, 16) + (isGauge ? "11000000" : "00000000");
  return packed([head, ...bits]);
}

/** The message by the reference; numbers of 0 are left out, as proto3 requires. No NaN but staleness. */
export function encodeHistogram(
  layout: TestLayout,
  { kind, timestampMs, ...numbers }: TestHistogram,
  hint: number,
): Buffer {
  const isStale = numbers.sumBits === staleBits;
  const isFloat = kind === "float";
  const count = isStale ? 0n : numbers.count;
  const zeroCount = isStale ? 0n : numbers.zeroCount;
  const message = remoteWrite1.Histogram.encode({
    ...(isFloat
      ? { countFloat: double(count), zeroCountFloat: double(zeroCount) }
      : { countInt: long(count), zeroCountInt: long(zeroCount) }),
    ...(numbers.sumBits === 0n || isStale ? {} : { sum: double(numbers.sumBits) }),
    ...(timestampMs === 0 ? {} : { timestamp: timestampMs }),
    ...(isStale
      ? {}
      : {
          ...(layout.schema === 0 ? {} : { schema: layout.schema }),
          ...(layout.zeroThreshold === 0 ? {} : { zeroThreshold: layout.zeroThreshold }),
          ...(hint === 0 ? {} : { resetHint: hint }),
          negativeSpans: layout.negativeSpans.map(spanOf),
          positiveSpans: layout.positiveSpans.map(spanOf),
          ...(isFloat
            ? {
                negativeCounts: numbers.negative.map(double),
                positiveCounts: numbers.positive.map(double),
              }
            : { negativeDeltas: numbers.negative.map(long), positiveDeltas: numbers.positive.map(long) }),
          customValues: [...layout.customValues],
        }),
  } as Histogram);
  const bytes = Buffer.from(message.finish());
  return isStale ? withStaleSum(bytes) : bytes;
}

/** The sum comes after the count; the reference would change the bits of the NaN. */
function withStaleSum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(9, 0x19);
  sum.writeBigUInt64LE(staleBits, 1);
  const at = bytes[0] === 0x08 ? 2 : 9;
  return Buffer.concat([bytes.subarray(0, at), sum, bytes.subarray(at)]);
}

const anyDouble = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer({ min: 0, max: 1_000 }),
  fc.constantFrom(0, -0, Number.POSITIVE_INFINITY, Number.MIN_VALUE),
);
const anyBits = anyDouble.map(bitsOf);
const anyCount = fc.oneof(
  fc.integer({ min: 0, max: 70_000 }).map(BigInt),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(
    0n,
    7n,
    8n,
    63n,
    511n,
    4095n,
    262143n,
    33554431n,
    2n ** 53n + 1n,
    2n ** 56n - 1n,
    2n ** 56n,
  ),
);
const anyDelta = fc.oneof(
  fc.integer({ min: -300, max: 300 }).map(BigInt),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, 4n, -3n, 32n, 33n, 256n, 131072n, 2n ** 55n, 2n ** 55n + 1n, -(2n ** 55n)),
);
const anySpans = fc.array(
  fc.record({
    offset: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    length: fc.integer({ min: 0, max: 6 }),
  }),
  { maxLength: 4 },
);

export const anyLayout: fc.Arbitrary<TestLayout> = fc
  .record({
    schema: fc.oneof(fc.integer({ min: -9, max: 52 }), fc.constant(-53)),
    zeroThreshold: fc.oneof(
      fc.constantFrom(0, 2 ** -128, 2 ** -243, 2 ** 10, 0.001),
      fc.double({ noNaN: true, min: 0 }),
    ),
    positiveSpans: anySpans,
    negativeSpans: anySpans,
    customValues: fc.array(fc.oneof(fc.constantFrom(0, 0.005, 1, 33554.43, -1, 1 / 3), anyDouble), {
      maxLength: 5,
    }),
  })
  .map(({ customValues, ...layout }) => ({
    ...layout,
    customValues: layout.schema === -53 ? customValues : [],
  }));

/** Histograms of one chunk, in time order, some of them staleness markers. */
export function anyHistograms(
  layout: TestLayout,
  kind: TestHistogram["kind"],
  maxLength = 20,
): fc.Arbitrary<TestHistogram[]> {
  const count = kind === "integer" ? anyCount : anyBits;
  const bucket = kind === "integer" ? anyDelta : anyBits;
  const buckets = (spans: readonly TestSpan[]) => {
    const length = spans.reduce((sum, span) => sum + span.length, 0);
    return fc.array(bucket, { minLength: length, maxLength: length });
  };
  const one = fc.record({
    stepMs: fc.oneof(fc.constant(15_000), fc.integer({ min: 1, max: 2 ** 33 })),
    startMs: fc.constantFrom(0, 0, 1_700_000_000_000, 5),
    isStale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    count,
    zeroCount: count,
    positive: buckets(layout.positiveSpans),
    negative: buckets(layout.negativeSpans),
    sumBits: anyBits,
  });
  const first = fc.oneof(fc.constant(1_700_000_000_000), fc.integer({ min: -(2 ** 45), max: 2 ** 45 }));
  return fc.tuple(first, fc.array(one, { minLength: 1, maxLength })).map(([firstMs, list]) => {
    let timestampMs = firstMs;
    return list.map(({ stepMs, isStale, ...histogram }, index) => {
      timestampMs += index === 0 ? 0 : stepMs;
      return { ...histogram, kind, timestampMs, sumBits: isStale ? staleBits : histogram.sumBits };
    });
  });
}

/** As Go's appender: a stale histogram keeps the numbers before it, and writes no buckets. */
class IntegerWriter {
  #before: { count: bigint; zeroCount: bigint; buckets: readonly bigint[] } | undefined;
  #deltas = { count: 0n, zeroCount: 0n, buckets: [] as readonly bigint[] };
  readonly #sum = new ValueWriter();

  next({ count, zeroCount, positive, negative, sumBits }: TestHistogram): string {
    const buckets = [...positive, ...negative];
    const before = this.#before;
    if (before === undefined) {
      this.#before = { count, zeroCount, buckets };
      this.#deltas = { count: 0n, zeroCount: 0n, buckets: buckets.map(() => 0n) };
      return [
        varbitUint(count),
        varbitUint(zeroCount),
        this.#sum.first(sumBits),
        ...buckets.map(varbit),
      ].join("");
    }
    const deltas = this.#deltas;
    if (sumBits === staleBits) {
      // A delta of 0: what follows counts from the numbers before.
      const bits = varbit(int64(-deltas.count)) + varbit(int64(-deltas.zeroCount));
      this.#deltas = { ...deltas, count: 0n, zeroCount: 0n };
      return bits + this.#sum.next(sumBits, valueCodes);
    }
    const next = {
      count: int64(count - before.count),
      zeroCount: int64(zeroCount - before.zeroCount),
      buckets: buckets.map((bucket, index) => int64(bucket - (before.buckets[index] ?? 0n))),
    };
    const bits = [
      varbit(int64(next.count - deltas.count)),
      varbit(int64(next.zeroCount - deltas.zeroCount)),
      this.#sum.next(sumBits, valueCodes),
      ...next.buckets.map((delta, index) => varbit(int64(delta - (deltas.buckets[index] ?? 0n)))),
    ];
    this.#before = { count, zeroCount, buckets };
    this.#deltas = next;
    return bits.join("");
  }
}

class FloatWriter {
  readonly #count = new ValueWriter();
  readonly #zeroCount = new ValueWriter();
  readonly #sum = new ValueWriter();
  #buckets: readonly ValueWriter[] | undefined;

  next({ count, zeroCount, positive, negative, sumBits }: TestHistogram): string {
    const buckets = [...positive, ...negative];
    const heads = [
      [this.#count, count],
      [this.#zeroCount, zeroCount],
      [this.#sum, sumBits],
    ] as const;
    if (this.#buckets === undefined) {
      const writers = buckets.map(() => new ValueWriter());
      this.#buckets = writers;
      const bits = heads.map(([writer, value]) => writer.first(value));
      return [...bits, ...buckets.map((bucket, index) => writers[index]?.first(bucket))].join("");
    }
    const bits = heads.map(([writer, value]) => writer.next(value, valueCodes));
    if (sumBits === staleBits) return bits.join("");
    const changes = buckets.map((bucket, index) => this.#buckets?.[index]?.next(bucket, valueCodes));
    return [...bits, ...changes].join("");
  }
}

const valueCodes = { same: "0", inWindow: "10", inNewWindow: "11" };

function layoutBits({ schema, zeroThreshold, customValues, ...spans }: TestLayout): string {
  const custom =
    schema === -53 ? [varbitUint(BigInt(customValues.length)), ...customValues.map(boundBits)] : [];
  return [
    thresholdBits(zeroThreshold),
    varbit(BigInt(schema)),
    spansBits(spans.positiveSpans),
    spansBits(spans.negativeSpans),
    ...custom,
  ].join("");
}

function thresholdBits(threshold: number): string {
  if (threshold === 0) return word(0n, 8);
  const exponent = Math.log2(threshold);
  const isPower = Number.isInteger(exponent) && 2 ** exponent === threshold;
  if (isPower && exponent >= -243 && exponent <= 10) return word(BigInt(exponent + 244), 8);
  return word(255n, 8) + word(bitsOf(threshold), 64);
}

function spansBits(spans: readonly TestSpan[]): string {
  const each = spans.map(({ offset, length }) => varbitUint(BigInt(length)) + varbit(BigInt(offset)));
  return varbitUint(BigInt(spans.length)) + each.join("");
}

function boundBits(bound: number): string {
  const thousandths = bound * 1_000;
  const isWhole = Math.round(thousandths) / 1_000 === bound && !Object.is(bound, -0);
  if (thousandths < 0 || thousandths > 33_554_430 || !isWhole) return `0${word(bitsOf(bound), 64)}`;
  return varbitUint(BigInt(Math.round(thousandths)) + 1n);
}

function varbitUint(value: bigint): string {
  if (value === 0n) return "0";
  for (const [index, width] of [3, 6, 9, 12, 18, 25, 56].entries()) {
    if (value < 1n << BigInt(width)) return `${"1".repeat(index + 1)}0${word(value, width)}`;
  }
  return `11111111${word(value, 64)}`;
}

function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

const eight = new DataView(new ArrayBuffer(8));

export function bitsOf(value: number): bigint {
  eight.setFloat64(0, value);
  return eight.getBigUint64(0);
}

function double(bits: bigint): number {
  eight.setBigUint64(0, bits);
  return eight.getFloat64(0);
}

/** As the reference takes numbers of 64 bits. */
function long(value: bigint): number {
  const bits = BigInt.asUintN(64, value);
  return {
    low: Number(bits & 0xffffffffn) | 0,
    high: Number(bits >> 32n) | 0,
    unsigned: value >= 0n,
  } as never;
}

function spanOf({ offset, length }: TestSpan): Partial<TestSpan> {
  return { ...(offset === 0 ? {} : { offset }), ...(length === 0 ? {} : { length }) };
}

/** A buffer of these histograms, as a reader passes it on. */
export function histogramBuffer(
  layout: TestLayout,
  list: readonly TestHistogram[],
  hint: number = hints.unknown,
): SampleBuffer {
  const histograms = new EncodedHistograms();
  const samples = new SampleBuffer(histograms);
  for (const one of list) {
    const start = histograms.length;
    const message = encodeHistogram(layout, one, hint);
    histograms.field(message, 0, message.length);
    histograms.hasCustomBuckets ||= layout.schema === -53;
    samples.addHistogram(one.timestampMs, start);
  }
  return samples;
}
