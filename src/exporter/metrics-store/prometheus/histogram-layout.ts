import { customBucketsSchema, type Halves } from "../../series/encoded-histograms.ts";
import type { BitReader } from "./bit-reader.ts";
import { MalformedMessage } from "./message-cursor.ts";

/** What all histograms of a chunk have in common. */
export interface HistogramLayout {
  readonly schema: number;
  /** A double. */
  readonly zeroThreshold: Halves;
  /** Offset and length of each span, one behind the other. */
  readonly positiveSpans: Int32Array;
  readonly negativeSpans: Int32Array;
  readonly positiveBuckets: number;
  readonly negativeBuckets: number;
  /** Doubles: low and high half of each. */
  readonly customValues: Int32Array;
}

/** The head of a chunk of histograms. */
interface HistogramHead {
  readonly count: number;
  /** Gauge histograms: a smaller count is no reset. */
  readonly isGauge: boolean;
  readonly startTimes: StartTimes;
}

/** Which samples of a chunk are followed by a start timestamp (tsdb/chunkenc/st.go); they are skipped. */
interface StartTimes {
  readonly hasFirst: boolean;
  /** Index of the first sample with one of its own; all later ones have it too. */
  readonly from: number;
}

const none: StartTimes = { hasFirst: false, from: Number.POSITIVE_INFINITY };
const gaugeFlags = 3;

/**
 * Opens a chunk of histograms: a 16-bit count and 8 bits whose upper two are the kind of counter. With start
 * timestamps, these two are the upper bits of the count.
 *
 * @throws MalformedMessage
 */
export function openHistogramChunk(
  bits: BitReader,
  [bytes, view, start, end]: readonly [Buffer, DataView, number, number],
  hasStartTimes: boolean,
): HistogramHead {
  const count = bits.openChunk(bytes, view, start, end, 3);
  const flags = bits.read(8);
  if (!hasStartTimes) return { count, isGauge: flags >>> 6 === gaugeFlags, startTimes: none };
  const startTimes = { hasFirst: flags >= 0x80, from: flags & 0x7f || Number.POSITIVE_INFINITY };
  return { count: count & 0x3fff, isGauge: count >>> 14 === gaugeFlags, startTimes };
}

export function skipStartTime(bits: BitReader, { hasFirst, from }: StartTimes, index: number): void {
  if (index === 0 && hasFirst) bits.skipVarint();
  else if (index >= from) bits.skipVarbit();
}

/**
 * Reads the layout that precedes a chunk's first histogram (tsdb/chunkenc/histogram_meta.go).
 *
 * @throws MalformedMessage
 */
export function readHistogramLayout(bits: BitReader): HistogramLayout {
  const zeroThreshold = readZeroThreshold(bits);
  const schema = int32(bits.safeVarbitInt());
  const positiveSpans = readSpans(bits);
  const negativeSpans = readSpans(bits);
  const positiveBuckets = countBuckets(positiveSpans);
  const negativeBuckets = countBuckets(negativeSpans);
  const customValues = schema === customBucketsSchema ? readCustomValues(bits) : new Int32Array(0);
  // Each bucket of the first histogram takes at least one bit.
  if (bits.isPastEnd || positiveBuckets + negativeBuckets > bits.left) throw new MalformedMessage(tooShort);
  return {
    schema,
    zeroThreshold,
    customValues,
    positiveSpans,
    negativeSpans,
    positiveBuckets,
    negativeBuckets,
  };
}

export const tooShort = "a chunk ends before its last sample";

/** One byte: 0 for zero, the exponent of a power of two, or 255 before a double. */
function readZeroThreshold(bits: BitReader): Halves {
  const first = bits.read(8);
  if (first === 255) {
    bits.read64();
    return { high: bits.high, low: bits.low };
  }
  // 2^(first - 244): the exponent of a double begins at bit 20 of its upper half, with a bias of 1023.
  return { high: first === 0 ? 0 : (first - 244 + 1023) << 20, low: 0 };
}

function readSpans(bits: BitReader): Int32Array {
  const count = bits.safeVarbitUint();
  if (bits.isPastEnd || count * 2 > bits.left) throw new MalformedMessage(tooShort);
  const spans = new Int32Array(count * 2);
  for (let index = 0; index < spans.length; index += 2) {
    const length = bits.safeVarbitUint();
    if (length > 0x7fffffff) throw new MalformedMessage("a span of a histogram is too long");
    spans[index] = int32(bits.safeVarbitInt());
    spans[index + 1] = length;
    if (bits.isPastEnd) throw new MalformedMessage(tooShort);
  }
  return spans;
}

function countBuckets(spans: Int32Array): number {
  let count = 0;
  for (let index = 1; index < spans.length; index += 2) count += spans[index] ?? 0;
  return count;
}

/** A varbit number: thousandths plus 1, or 0 before a double. */
function readCustomValues(bits: BitReader): Int32Array {
  const count = bits.safeVarbitUint();
  if (bits.isPastEnd || count > bits.left) throw new MalformedMessage(tooShort);
  const values = new Float64Array(count);
  const halves = new Int32Array(values.buffer);
  for (let index = 0; index < count; index++) {
    const thousandths = bits.safeVarbitUint();
    if (thousandths === 0) {
      bits.read64();
      halves[index * 2] = bits.low;
      halves[index * 2 + 1] = bits.high;
    } else values[index] = (thousandths - 1) / 1_000;
    if (bits.isPastEnd) throw new MalformedMessage(tooShort);
  }
  return halves;
}

function int32(value: number): number {
  if ((value | 0) !== value) throw new MalformedMessage("a number of a histogram is out of range");
  return value;
}
