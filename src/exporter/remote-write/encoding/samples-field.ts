import type { SampleBuffer } from "../../series/series.ts";
import { int64Size, writeInt64, writeVarint } from "./wire.ts";

/**
 * The field `samples` (number 2) of a `TimeSeries`, equal in remote write 1.0 and 2.0: value (double, 1) and
 * timestamp (int64, 2). As proto3 requires, a value of +0 and a timestamp of 0 are omitted; -0 is not zero.
 */
const samplesTag = 0x12;
const valueTag = 0x09;
const timestampTag = 0x10;

/** Tag, length, value with tag, timestamp with tag and at most ten bytes. */
const maxSampleFieldBytes = 2 + 9 + 11;

/** Size for a sample between 1971 and 2109 whose value is not zero. */
export const usualSampleFieldBytes = 18;

/** From 1971 to 2109 a timestamp in ms takes six bytes. */
const sixBytesFromMs = 2 ** 35;
const sixBytesUntilMs = 2 ** 42;
const lowBits = 2 ** 28;

/**
 * Writes the samples from `start` up to, not including, `end` at `offset`, where there is room for
 * {@link maxSampleFieldBytes} each. Values are copied byte by byte, so that stale markers are preserved.
 *
 * @returns the offset after them
 */
export function writeSamples(
  out: Uint8Array,
  offset: number,
  samples: SampleBuffer,
  start: number,
  end: number,
): number {
  const { timestampsMs, values, valueBytes } = samples;
  let at = offset;
  for (let index = start; index < end; index++) {
    const timestampMs = timestampsMs[index] ?? 0;
    const value = values[index] ?? 0;
    const isZero = value === 0 && 1 / value > 0;
    const usual = timestampMs >= sixBytesFromMs && timestampMs < sixBytesUntilMs;
    const timestampBytes = usual ? 7 : timestampMs === 0 ? 0 : 1 + int64Size(timestampMs);
    out[at] = samplesTag;
    out[at + 1] = timestampBytes + (isZero ? 0 : 9);
    at += 2;
    if (!isZero) {
      // Eight plain stores: a call to copy() is slower, and a DataView's setFloat64 may change NaNs.
      const from = index * 8;
      out[at] = valueTag;
      out[at + 1] = valueBytes[from] ?? 0;
      out[at + 2] = valueBytes[from + 1] ?? 0;
      out[at + 3] = valueBytes[from + 2] ?? 0;
      out[at + 4] = valueBytes[from + 3] ?? 0;
      out[at + 5] = valueBytes[from + 4] ?? 0;
      out[at + 6] = valueBytes[from + 5] ?? 0;
      out[at + 7] = valueBytes[from + 6] ?? 0;
      out[at + 8] = valueBytes[from + 7] ?? 0;
      at += 9;
    }
    if (usual) {
      // Bit operations are limited to 32 bits: the number is split at bit 28, four bytes of a varint.
      const high = Math.floor(timestampMs / lowBits);
      const low = timestampMs - high * lowBits;
      out[at] = timestampTag;
      out[at + 1] = low | 0x80;
      out[at + 2] = (low >>> 7) | 0x80;
      out[at + 3] = (low >>> 14) | 0x80;
      out[at + 4] = (low >>> 21) | 0x80;
      out[at + 5] = high | 0x80;
      out[at + 6] = high >>> 7;
      at += 7;
    } else if (timestampMs !== 0) {
      out[at] = timestampTag;
      at = writeInt64(out, timestampMs, at + 1);
    }
  }
  return at;
}

/** Most bytes of the samples from `start` up to, not including, `end`, as fields. */
export function maxSamplesBytes(
  { histograms, valueHalves }: SampleBuffer,
  start: number,
  end: number,
): number {
  if (histograms === undefined) return (end - start) * maxSampleFieldBytes;
  // They lie one behind the other, or further apart.
  let bytes = 0;
  for (let index = start; index < end; index++) bytes += maxHeadBytes + lengthAt(valueHalves, index);
  return bytes;
}

/**
 * Writes the histograms of a buffer of histograms as {@link writeSamples} writes numbers, where there is room
 * for {@link maxSamplesBytes}. The message is equal in remote write 1.0 and 2.0, the number of the field is
 * not.
 *
 * @param tag of the field `histograms`
 * @returns the offset after them
 */
export function writeHistograms(
  out: Uint8Array,
  offset: number,
  tag: number,
  { histograms, valueHalves }: SampleBuffer,
  start: number,
  end: number,
): number {
  if (histograms === undefined) throw new TypeError("the buffer is not one of histograms");
  let at = offset;
  for (let index = start; index < end; index++) {
    const from = valueHalves[index * 2] ?? 0;
    const length = lengthAt(valueHalves, index);
    out[at] = tag;
    at = writeVarint(out, length, at + 1);
    out.set(histograms.bytes.subarray(from, from + length), at);
    at += length;
  }
  return at;
}

/** Tag and length of a histogram. */
const maxHeadBytes = 6;

function lengthAt(valueHalves: Int32Array, index: number): number {
  return (valueHalves[index * 2 + 1] ?? 0) - (valueHalves[index * 2] ?? 0);
}
