import {
  customBucketsSchema,
  type EncodedHistograms,
  type Halves,
  histogramFields,
  resetHints,
} from "../../series/encoded-histograms.ts";
import type { SampleBuffer } from "../../series/series.ts";
import { staleNanHigh, staleNanLow } from "../../series/stale-marker.ts";
import type { Window } from "../ports/window.ts";
import { BitReader } from "./bit-reader.ts";
import {
  type HistogramLayout,
  openHistogramChunk,
  readHistogramLayout,
  skipStartTime,
  tooShort,
} from "./histogram-layout.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { XorValue } from "./xor-value.ts";

/** More from one series' chunks in one message is not legitimate: Prometheus sends at most 1 MiB of them. */
const maxBytes = 32 * 2 ** 20;

/** The numbers of one histogram, read from a chunk one after another. */
interface HistogramNumbers {
  /** @throws MalformedMessage */
  first(bits: BitReader, layout: HistogramLayout): void;
  /** Reads the changes of count, zero count and sum; those of the buckets follow unless it is stale. */
  next(bits: BitReader): void;
  nextBuckets(bits: BitReader): void;
  readonly sum: Halves;
  /** Writes fields 1 to 13; of a staleness marker only its sum is not zero. */
  write(to: EncodedHistograms, layout: HistogramLayout): void;
  writeStale(to: EncodedHistograms): void;
}

/**
 * Decodes the histograms of a chunk in a window and adds them to the buffer. The chunk's format:
 * tsdb/chunkenc/histogram.go, float_histogram.go and their versions with start timestamps, which are skipped.
 *
 * The hint of counter resets is that of Prometheus' own readers: the first counter histogram of a chunk is
 * unknown, the others are no resets.
 */
export class HistogramChunkDecoder {
  readonly #bits = new BitReader();
  readonly #hasStartTimes: boolean;
  readonly #numbers: HistogramNumbers;

  constructor(kind: "integer" | "float", hasStartTimes: boolean) {
    this.#hasStartTimes = hasStartTimes;
    this.#numbers = kind === "integer" ? new IntegerNumbers() : new FloatNumbers();
  }

  /**
   * @param view of the same memory as `bytes`
   * @param samples a buffer of histograms
   * @throws MalformedMessage when the bytes end before the last histogram, or a number is out of range
   */
  decode(
    bytes: Buffer,
    view: DataView,
    start: number,
    end: number,
    samples: SampleBuffer,
    { fromMs, toMs }: Window,
  ): void {
    const bits = this.#bits;
    const numbers = this.#numbers;
    const head = openHistogramChunk(bits, [bytes, view, start, end], this.#hasStartTimes);
    if (head.count === 0) return;
    const layout = readHistogramLayout(bits);
    let timeMs = 0;
    let deltaMs = 0;
    for (let index = 0; index < head.count; index++) {
      if (index === 0) {
        timeMs = bits.safeVarbitInt();
        numbers.first(bits, layout);
      } else {
        deltaMs += bits.safeVarbitInt();
        timeMs += deltaMs;
        numbers.next(bits);
        if (!isStale(numbers.sum)) numbers.nextBuckets(bits);
      }
      skipStartTime(bits, head.startTimes, index);
      if (bits.isPastEnd) throw new MalformedMessage(tooShort);
      if (!Number.isSafeInteger(timeMs)) throw new MalformedMessage("a chunk's times run out of range");
      if (timeMs <= fromMs || timeMs > toMs) continue;
      const counterHint = index === 0 ? resetHints.unknown : resetHints.no;
      this.#add(samples, layout, timeMs, head.isGauge ? resetHints.gauge : counterHint);
    }
  }

  #add(samples: SampleBuffer, layout: HistogramLayout, timeMs: number, hint: number): void {
    const { histograms } = samples;
    if (histograms === undefined) throw new TypeError("the buffer is not one of histograms");
    const numbers = this.#numbers;
    const start = histograms.length;
    if (isStale(numbers.sum)) {
      numbers.writeStale(histograms);
      histograms.varint(histogramFields.timestamp, timeMs);
    } else {
      numbers.write(histograms, layout);
      histograms.varint(histogramFields.resetHint, hint);
      histograms.varint(histogramFields.timestamp, timeMs);
      histograms.doubles(histogramFields.customValues, layout.customValues);
      if (layout.schema === customBucketsSchema) histograms.hasCustomBuckets = true;
    }
    if (histograms.length > maxBytes) {
      throw new MalformedMessage(`the histograms of a series are more than ${maxBytes} bytes`);
    }
    samples.addHistogram(timeMs, start);
  }
}

/** Count, zero count and buckets as 64-bit integers; a bucket is the difference from the one before it. */
class IntegerNumbers implements HistogramNumbers {
  readonly #count = new Int32Array(2);
  readonly #zeroCount = new Int32Array(2);
  readonly #sum = new XorValue();
  readonly #countDelta = new Int32Array(2);
  readonly #zeroCountDelta = new Int32Array(2);
  #positive: Int32Array = new Int32Array(0);
  #negative: Int32Array = new Int32Array(0);
  #positiveDeltas: Int32Array = new Int32Array(0);
  #negativeDeltas: Int32Array = new Int32Array(0);

  get sum(): Halves {
    return this.#sum;
  }

  first(bits: BitReader, layout: HistogramLayout): void {
    bits.varbitUint();
    set(this.#count, 0, bits);
    bits.varbitUint();
    set(this.#zeroCount, 0, bits);
    bits.read64();
    this.#sum.reset(bits.high, bits.low);
    this.#countDelta.fill(0);
    this.#zeroCountDelta.fill(0);
    this.#positive = firstBuckets(bits, layout.positiveBuckets);
    this.#negative = firstBuckets(bits, layout.negativeBuckets);
    this.#positiveDeltas = new Int32Array(this.#positive.length);
    this.#negativeDeltas = new Int32Array(this.#negative.length);
  }

  next(bits: BitReader): void {
    bits.varbitInt();
    add(this.#countDelta, 0, bits.high, bits.low);
    add(this.#count, 0, this.#countDelta[1] ?? 0, this.#countDelta[0] ?? 0);
    bits.varbitInt();
    add(this.#zeroCountDelta, 0, bits.high, bits.low);
    add(this.#zeroCount, 0, this.#zeroCountDelta[1] ?? 0, this.#zeroCountDelta[0] ?? 0);
    changeXor(this.#sum, bits);
  }

  nextBuckets(bits: BitReader): void {
    nextBuckets(bits, this.#positive, this.#positiveDeltas);
    nextBuckets(bits, this.#negative, this.#negativeDeltas);
  }

  write(to: EncodedHistograms, layout: HistogramLayout): void {
    to.uint64(histogramFields.countInt, halves(this.#count));
    to.double(histogramFields.sum, this.#sum);
    to.sint32(histogramFields.schema, layout.schema);
    to.double(histogramFields.zeroThreshold, layout.zeroThreshold);
    to.uint64(histogramFields.zeroCountInt, halves(this.#zeroCount));
    to.spans(histogramFields.negativeSpans, layout.negativeSpans);
    to.sint64s(histogramFields.negativeDeltas, this.#negative);
    to.spans(histogramFields.positiveSpans, layout.positiveSpans);
    to.sint64s(histogramFields.positiveDeltas, this.#positive);
  }

  writeStale(to: EncodedHistograms): void {
    to.uint64(histogramFields.countInt, zero);
    to.double(histogramFields.sum, this.#sum);
    to.uint64(histogramFields.zeroCountInt, zero);
  }
}

/** The same as doubles, each an XOR with the preceding histogram's; a bucket is its own count. */
class FloatNumbers implements HistogramNumbers {
  readonly #count = new XorValue();
  readonly #zeroCount = new XorValue();
  readonly #sum = new XorValue();
  #positive: readonly XorValue[] = [];
  #negative: readonly XorValue[] = [];

  get sum(): Halves {
    return this.#sum;
  }

  first(bits: BitReader, { positiveBuckets, negativeBuckets }: HistogramLayout): void {
    // 64 bits each; checked before they are allocated.
    if ((3 + positiveBuckets + negativeBuckets) * 64 > bits.left) throw new MalformedMessage(tooShort);
    for (const value of [this.#count, this.#zeroCount, this.#sum]) firstXor(value, bits);
    this.#positive = Array.from({ length: positiveBuckets }, () => firstXor(new XorValue(), bits));
    this.#negative = Array.from({ length: negativeBuckets }, () => firstXor(new XorValue(), bits));
  }

  next(bits: BitReader): void {
    for (const value of [this.#count, this.#zeroCount, this.#sum]) changeXor(value, bits);
  }

  nextBuckets(bits: BitReader): void {
    for (const value of this.#positive) changeXor(value, bits);
    for (const value of this.#negative) changeXor(value, bits);
  }

  write(to: EncodedHistograms, layout: HistogramLayout): void {
    to.chosenDouble(histogramFields.countFloat, this.#count);
    to.double(histogramFields.sum, this.#sum);
    to.sint32(histogramFields.schema, layout.schema);
    to.double(histogramFields.zeroThreshold, layout.zeroThreshold);
    to.chosenDouble(histogramFields.zeroCountFloat, this.#zeroCount);
    to.spans(histogramFields.negativeSpans, layout.negativeSpans);
    to.doubles(histogramFields.negativeCounts, halvesOf(this.#negative));
    to.spans(histogramFields.positiveSpans, layout.positiveSpans);
    to.doubles(histogramFields.positiveCounts, halvesOf(this.#positive));
  }

  writeStale(to: EncodedHistograms): void {
    to.chosenDouble(histogramFields.countFloat, zero);
    to.double(histogramFields.sum, this.#sum);
    to.chosenDouble(histogramFields.zeroCountFloat, zero);
  }
}

const zero: Halves = { high: 0, low: 0 };

function isStale({ high, low }: Halves): boolean {
  return high === staleNanHigh && low === staleNanLow;
}

function firstXor(value: XorValue, bits: BitReader): XorValue {
  bits.read64();
  value.reset(bits.high, bits.low);
  return value;
}

function changeXor(value: XorValue, bits: BitReader): void {
  const ones = bits.ones(2);
  if (ones === 1) value.changeInWindow(bits);
  else if (ones === 2) value.changeInNewWindow(bits);
  // The reader goes a little past the end, not further.
  if (bits.isPastEnd) throw new MalformedMessage(tooShort);
}

function firstBuckets(bits: BitReader, count: number): Int32Array {
  const buckets = new Int32Array(count * 2);
  for (let index = 0; index < buckets.length; index += 2) {
    bits.varbitInt();
    set(buckets, index, bits);
    if (bits.isPastEnd) throw new MalformedMessage(tooShort);
  }
  return buckets;
}

function nextBuckets(bits: BitReader, buckets: Int32Array, deltas: Int32Array): void {
  for (let index = 0; index < buckets.length; index += 2) {
    bits.varbitInt();
    add(deltas, index, bits.high, bits.low);
    add(buckets, index, deltas[index + 1] ?? 0, deltas[index] ?? 0);
    if (bits.isPastEnd) throw new MalformedMessage(tooShort);
  }
}

/** Sets the 64-bit integer whose halves, the low one first, begin at the index. */
function set(numbers: Int32Array, index: number, { high, low }: Halves): void {
  numbers[index] = low;
  numbers[index + 1] = high;
}

/** Adds to it, as int64 does in Go: it wraps around. */
function add(numbers: Int32Array, index: number, high: number, low: number): void {
  const sum = ((numbers[index] ?? 0) >>> 0) + (low >>> 0);
  numbers[index] = sum | 0;
  numbers[index + 1] = (numbers[index + 1] ?? 0) + high + (sum > 0xffffffff ? 1 : 0);
}

function halves(number: Int32Array): Halves {
  return { high: number[1] ?? 0, low: number[0] ?? 0 };
}

function halvesOf(values: readonly XorValue[]): Int32Array {
  const numbers = new Int32Array(values.length * 2);
  for (const [index, value] of values.entries()) set(numbers, index * 2, value);
  return numbers;
}
