import { staleNanHigh, staleNanLow } from "./stale-marker.ts";

/**
 * A 64-bit integer or double as two signed halves. Counts of histograms use all 64 bits, which a number does
 * not have.
 */
export interface Halves {
  high: number;
  low: number;
}

/** The schema of histograms with custom buckets, which remote write 1.0 does not have. */
export const customBucketsSchema = -53;

/** Numbers of fields of `Histogram`: prometheus/prompb/types.proto, equal in remote write 2.0. */
export const histogramFields = {
  countInt: 1,
  countFloat: 2,
  sum: 3,
  schema: 4,
  zeroThreshold: 5,
  zeroCountInt: 6,
  zeroCountFloat: 7,
  negativeSpans: 8,
  negativeDeltas: 9,
  negativeCounts: 10,
  positiveSpans: 11,
  positiveDeltas: 12,
  positiveCounts: 13,
  resetHint: 14,
  timestamp: 15,
  customValues: 16,
} as const;

/** `Histogram.ResetHint` */
export const resetHints = { unknown: 0, yes: 1, no: 2, gauge: 3 } as const;

const wire = { varint: 0, fixed64: 1, bytes: 2 } as const;
const maxVarintBytes = 10;

/**
 * Native histograms of one series, each as the `Histogram` message of remote write, one behind the other in
 * memory that is reused for the next series. They are written field by field, in the order of the fields'
 * numbers, and as proto3 requires: a number of 0 is left out, but not the chosen one of a `oneof`.
 */
export class EncodedHistograms {
  bytes: Buffer = Buffer.allocUnsafe(4_096);
  /** End of the last histogram. */
  length = 0;
  /** Whether some have custom buckets. */
  hasCustomBuckets = false;
  /** Whether some are of integers, some of floats; see `SampleBuffer.followsOtherKind`. */
  hasIntegers = false;
  hasFloats = false;

  clear(): void {
    this.length = 0;
    this.hasIntegers = false;
    this.hasFloats = false;
    this.hasCustomBuckets = false;
  }

  /** Whether the histogram from `start` up to, not including, `end` is a staleness marker, by its sum. */
  isStale(start: number, end: number): boolean {
    const at = this.#fieldAt(start, end, histogramFields.sum);
    if (at === -1) return false;
    return this.bytes.readInt32LE(at) === staleNanLow && this.bytes.readInt32LE(at + 4) === staleNanHigh;
  }

  /** Whether the histogram that begins there is of floats: its first field is the count. */
  isOfFloats(start: number): boolean {
    return this.bytes[start] === histogramFields.countFloat * 8 + wire.fixed64;
  }

  isCustomBuckets(start: number, end: number): boolean {
    if (!this.hasCustomBuckets) return false;
    const at = this.#fieldAt(start, end, histogramFields.schema);
    return at !== -1 && this.bytes[at] === zigzag(customBucketsSchema);
  }

  /**
   * Sets the reset hint of a counter histogram to unknown: it compares with the preceding histogram of its
   * chunk, which another chunk's may have come after.
   */
  forgetReset(start: number, end: number): void {
    const at = this.#fieldAt(start, end, histogramFields.resetHint);
    if (at !== -1 && this.bytes[at] !== resetHints.gauge) this.bytes[at] = resetHints.unknown;
  }

  /** Adds a histogram of others, from `start` up to, not including, `end`, at another time (ms). */
  copyFrom(others: EncodedHistograms, start: number, end: number, timestampMs: number): void {
    const { bytes, hasCustomBuckets } = others;
    const [tagAt, restAt] = others.#placeOf(start, end, histogramFields.timestamp);
    this.hasCustomBuckets ||= hasCustomBuckets;
    this.field(bytes, start, tagAt);
    this.varint(histogramFields.timestamp, timestampMs);
    this.field(bytes, restAt, end);
  }

  /** A message that another encoder wrote: copies one of its fields, with its tag. */
  field(bytes: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    bytes.copy(this.bytes, this.length, start, end);
    this.length += end - start;
  }

  /** uint64, of a `oneof` */
  uint64(field: number, { high, low }: Halves): void {
    this.#reserve(2 + maxVarintBytes);
    this.#tag(field, wire.varint);
    this.length = writeVarint64(this.bytes, high, low, this.length);
  }

  /** double, of a `oneof` */
  chosenDouble(field: number, { high, low }: Halves): void {
    this.#reserve(10);
    this.#tag(field, wire.fixed64);
    this.length = writeHalves(this.bytes, high, low, this.length);
  }

  double(field: number, value: Halves): void {
    if (value.high !== 0 || value.low !== 0) this.chosenDouble(field, value);
  }

  /** sint32 */
  sint32(field: number, value: number): void {
    this.varint(field, zigzag(value));
  }

  /** An enum, or an int64 of up to ±2^53. */
  varint(field: number, value: number): void {
    if (value === 0) return;
    this.#reserve(2 + maxVarintBytes);
    this.#tag(field, wire.varint);
    const high = Math.floor(value / 2 ** 32);
    this.length = writeVarint64(this.bytes, high, value - high * 2 ** 32, this.length);
  }

  /** @param spans offset and length of each span, one behind the other */
  spans(field: number, spans: Int32Array): void {
    this.#reserve((spans.length / 2) * 14);
    const { bytes } = this;
    for (let index = 0; index < spans.length; index += 2) {
      this.#tag(field, wire.bytes);
      const offset = zigzag(spans[index] ?? 0);
      const length = (spans[index + 1] ?? 0) >>> 0;
      const contentAt = this.length + 1;
      let at = contentAt;
      if (offset !== 0) {
        bytes[at] = 0x08;
        at = writeVarint64(bytes, 0, offset, at + 1);
      }
      if (length !== 0) {
        bytes[at] = 0x10;
        at = writeVarint64(bytes, 0, length, at + 1);
      }
      bytes[this.length] = at - contentAt;
      this.length = at;
    }
  }

  /** Packed sint64. @param halves low and high half of each, one behind the other */
  sint64s(field: number, halves: Int32Array): void {
    if (halves.length === 0) return;
    this.#reserve(2 + 5 + (halves.length / 2) * maxVarintBytes);
    this.#tag(field, wire.bytes);
    let length = 0;
    for (let index = 0; index < halves.length; index += 2) {
      const low = halves[index] ?? 0;
      const high = halves[index + 1] ?? 0;
      const sign = high >> 31;
      length += varint64Size(((high << 1) | (low >>> 31)) ^ sign, (low << 1) ^ sign);
    }
    let at = writeVarint64(this.bytes, 0, length, this.length);
    for (let index = 0; index < halves.length; index += 2) {
      const low = halves[index] ?? 0;
      const high = halves[index + 1] ?? 0;
      const sign = high >> 31;
      at = writeVarint64(this.bytes, ((high << 1) | (low >>> 31)) ^ sign, (low << 1) ^ sign, at);
    }
    this.length = at;
  }

  /** Packed doubles. @param halves low and high half of each, one behind the other */
  doubles(field: number, halves: Int32Array): void {
    if (halves.length === 0) return;
    this.#reserve(2 + 5 + halves.length * 4);
    this.#tag(field, wire.bytes);
    let at = writeVarint64(this.bytes, 0, halves.length * 4, this.length);
    for (let index = 0; index < halves.length; index += 2) {
      at = writeHalves(this.bytes, halves[index + 1] ?? 0, halves[index] ?? 0, at);
    }
    this.length = at;
  }

  #tag(field: number, wireType: number): void {
    this.length = writeVarint64(this.bytes, 0, field * 8 + wireType, this.length);
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.length + bytes, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Offset of the payload of a field that is a number, or -1. */
  #fieldAt(start: number, end: number, wanted: number): number {
    const [tagAt, nextAt] = this.#placeOf(start, end, wanted);
    return tagAt === nextAt ? -1 : readVarint(this.bytes, tagAt)[1];
  }

  /** Where a field begins, and the one after it; of a field that is left out, twice where it would be. */
  #placeOf(start: number, end: number, wanted: number): [number, number] {
    const { bytes } = this;
    for (let at = start; at < end; ) {
      const [tag, payloadAt] = readVarint(bytes, at);
      const field = Math.floor(tag / 8);
      if (field > wanted) return [at, at];
      let nextAt = payloadAt;
      if (tag % 8 === wire.fixed64) nextAt += 8;
      else {
        const [value, valueEnd] = readVarint(bytes, payloadAt);
        nextAt = tag % 8 === wire.bytes ? valueEnd + value : valueEnd;
      }
      if (field === wanted) return [at, nextAt];
      at = nextAt;
    }
    return [end, end];
  }
}

/** Unsigned; sint32's encoding of a signed number. */
function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

function varint64Size(high: number, low: number): number {
  if (high === 0) {
    const value = low >>> 0;
    if (value < 0x80) return 1;
    return value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
  }
  return Math.ceil((64 - Math.clz32(high)) / 7);
}

/** Writes 64 bits as a varint. @returns the offset after it */
function writeVarint64(out: Uint8Array, high: number, low: number, offset: number): number {
  let at = offset;
  let upper = high >>> 0;
  let lower = low >>> 0;
  while (upper !== 0 || lower > 0x7f) {
    out[at++] = (lower & 0x7f) | 0x80;
    lower = ((lower >>> 7) | (upper << 25)) >>> 0;
    upper >>>= 7;
  }
  out[at++] = lower;
  return at;
}

function writeHalves(out: Buffer, high: number, low: number, offset: number): number {
  out.writeInt32LE(low | 0, offset);
  return out.writeInt32LE(high | 0, offset + 4);
}

/** A varint that this class wrote or checked. @returns its value (inexact above 2^53), and the offset after it */
function readVarint(bytes: Buffer, offset: number): [number, number] {
  let value = 0;
  let at = offset;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, at];
  }
}
