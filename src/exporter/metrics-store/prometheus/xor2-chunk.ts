import type { SampleBuffer } from "../../series/series.ts";
import { staleNanHigh, staleNanLow } from "../../series/stale-marker.ts";
import { BitReader } from "./bit-reader.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { XorValue } from "./xor-value.ts";

/**
 * Decodes a chunk in Prometheus' XOR2 encoding (tsdb/chunkenc/xor2.go;
 * `storage.tsdb.chunk_encoding.floats: xor2`). Differences from XOR: one control code covers time and value;
 * a staleness marker has its own code and does not change the values after it; samples may have start
 * timestamps after their values, which are skipped.
 */
export class Xor2ChunkDecoder {
  readonly #bits = new BitReader();
  readonly #value = new XorValue();

  /**
   * @param view of the same memory as `bytes`
   * @throws MalformedMessage when the bytes end before the last sample, or a time is invalid; the buffer then
   *   holds only its earlier samples
   */
  decode(bytes: Buffer, view: DataView, start: number, end: number, samples: SampleBuffer): void {
    const bits = this.#bits;
    const value = this.#value;
    const count = bits.openChunk(bytes, view, start, end, 3);
    const hasFirstStart = bits.read(1) === 1;
    // The index of the first sample whose start timestamp differs from the first one's: from there on each
    // has its own.
    const startsFrom = bits.read(7) || Number.POSITIVE_INFINITY;
    const base = samples.reserveMore(count);
    const { timestampsMs, valueHalves } = samples;
    let timeMs = 0;
    let deltaMs = 0;
    for (let index = 0; index < count; index++) {
      let isStale = false;
      if (index === 0) {
        timeMs = bits.varint();
        const high = bits.read32();
        const low = bits.read32();
        isStale = high === staleNanHigh && low === staleNanLow;
        value.reset(isStale ? 0 : high, isStale ? 0 : low);
        if (hasFirstStart) bits.skipVarint();
      } else {
        if (index === 1) {
          deltaMs = bits.uvarint();
          isStale = changeOrMarker(bits, value);
        } else {
          const control = bits.ones(5);
          if (control >= 2 && control <= 4) {
            deltaMs += control === 4 ? bits.int64() : signed(bits, control === 2 ? 13 : 20);
            isStale = changeOrMarker(bits, value);
          } else if (control === 1) change(bits, value);
          else isStale = control === 5;
        }
        timeMs += deltaMs;
        if (index >= startsFrom) bits.skipVarbit();
      }
      if (bits.isPastEnd) throw new MalformedMessage("a chunk ends before its last sample");
      if (!Number.isSafeInteger(timeMs)) throw new MalformedMessage("a chunk's times run out of range");
      timestampsMs[base + index] = timeMs;
      valueHalves[(base + index) * 2] = isStale ? staleNanLow : value.low;
      valueHalves[(base + index) * 2 + 1] = isStale ? staleNanHigh : value.high;
    }
    samples.length = base + count;
  }
}

/** @returns whether it is a staleness marker */
function changeOrMarker(bits: BitReader, value: XorValue): boolean {
  const ones = bits.ones(3);
  if (ones === 1) value.changeInWindow(bits);
  else if (ones === 2) value.changeInNewWindow(bits);
  return ones === 3;
}

function change(bits: BitReader, value: XorValue): void {
  if (bits.read(1) === 0) value.changeInWindow(bits);
  else value.changeInNewWindow(bits);
}

/** Two's complement of up to 31 bits. */
function signed(bits: BitReader, width: number): number {
  const value = bits.read(width);
  return value >= 2 ** (width - 1) ? value - 2 ** width : value;
}
