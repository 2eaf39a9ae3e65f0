import type { SampleBuffer } from "../../series/series.ts";
import { BitReader } from "./bit-reader.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { XorValue } from "./xor-value.ts";

/**
 * Decodes a chunk in Prometheus' XOR encoding (tsdb/docs/format/chunks.md, "XOR chunk data", and
 * tsdb/chunkenc/xor.go): a 16-bit count; the first time and value in full; then delta, delta of delta, and
 * the XOR of each value with the preceding one. The samples are added to the buffer; values are moved as
 * bits.
 */
export class XorChunkDecoder {
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
    const count = bits.openChunk(bytes, view, start, end, 2);
    const base = samples.reserveMore(count);
    const { timestampsMs, valueHalves } = samples;
    let timeMs = 0;
    let deltaMs = 0;
    for (let index = 0; index < count; index++) {
      if (index === 0) {
        timeMs = bits.varint();
        const high = bits.read32();
        value.reset(high, bits.read32());
      } else {
        deltaMs = index === 1 ? bits.uvarint() : deltaMs + deltaOfDelta(bits);
        timeMs += deltaMs;
        const ones = bits.ones(2);
        if (ones === 1) value.changeInWindow(bits);
        else if (ones === 2) value.changeInNewWindow(bits);
      }
      if (bits.isPastEnd) throw new MalformedMessage("a chunk ends before its last sample");
      if (!Number.isSafeInteger(timeMs)) throw new MalformedMessage("a chunk's times run out of range");
      timestampsMs[base + index] = timeMs;
      valueHalves[(base + index) * 2] = value.low;
      valueHalves[(base + index) * 2 + 1] = value.high;
    }
    samples.length = base + count;
  }
}

/** Bits of a delta of delta, by the number of ones before it. */
const deltaWidths = [0, 14, 17, 20] as const;

function deltaOfDelta(bits: BitReader): number {
  const ones = bits.ones(4);
  if (ones === 0) return 0;
  if (ones === 4) return bits.int64();
  const width = deltaWidths[ones] as number;
  const value = bits.read(width);
  // Not two's complement: the middle value is the largest positive one.
  return value > 2 ** (width - 1) ? value - 2 ** width : value;
}
