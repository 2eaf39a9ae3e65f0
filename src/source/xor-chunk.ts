import type { SampleBuffer } from "../core/series.ts";
import { MalformedMessage, safeInteger } from "./message-cursor.ts";

/**
 * Decodes a chunk of Prometheus' XOR encoding (tsdb/docs/format/chunks.md, "XOR chunk data", and tsdb/chunkenc/xor.go): a 16-bit
 * count; the first time and value in full; then delta, delta of delta, and the value as what differs from the one before.
 * The samples are added to the buffer; values are moved as bits.
 *
 * @throws MalformedMessage when the bytes end before the last sample
 */
export class XorChunkDecoder {
  readonly #bits = new BitReader();

  decode(bytes: Buffer, start: number, end: number, samples: SampleBuffer): void {
    const bits = this.#bits;
    bits.open(bytes, start, end);
    const count = bits.read(16);
    if (bits.isPastEnd) throw new MalformedMessage("a chunk has no count");
    const base = samples.length;
    samples.reserve(base + count);
    const { timestampsMs } = samples;
    let timeMs = 0;
    let deltaMs = 0;
    let high = 0;
    let low = 0;
    let leading = 0;
    let meaningful = 64;
    for (let index = 0; index < count; index++) {
      if (index === 0) {
        timeMs = bits.varint();
        high = bits.read32();
        low = bits.read32();
      } else {
        deltaMs = index === 1 ? bits.uvarint() : deltaMs + deltaOfDelta(bits);
        timeMs += deltaMs;
        if (bits.read(1) === 1) {
          if (bits.read(1) === 1) {
            leading = bits.read(5);
            // 64 does not fit in 6 bits, and 0 would be of no use: it stands for it.
            meaningful = bits.read(6) || 64;
          }
          const trailing = 64 - leading - meaningful;
          if (trailing < 0) throw new MalformedMessage("a chunk's value has more than 64 bits");
          if (meaningful <= 32) {
            const changed = meaningful === 32 ? bits.read32() : bits.read(meaningful);
            high ^=
              trailing >= 32 ? changed << (trailing - 32) : trailing === 0 ? 0 : changed >>> (32 - trailing);
            low ^= trailing >= 32 ? 0 : changed << trailing;
          } else {
            const upper = bits.read(meaningful - 32);
            const lower = bits.read32();
            high ^= trailing === 0 ? upper : (upper << trailing) | (lower >>> (32 - trailing));
            low ^= lower << trailing;
          }
        }
      }
      if (bits.isPastEnd) throw new MalformedMessage("a chunk ends before its last sample");
      if (!Number.isSafeInteger(timeMs)) throw new MalformedMessage("a chunk's times run out of range");
      timestampsMs[base + index] = timeMs;
      samples.setBits(base + index, high, low);
    }
    samples.length = base + count;
  }
}

/** How many bits a delta of delta has, by the number of ones before it. */
const deltaWidths = [0, 14, 17, 20] as const;

function deltaOfDelta(bits: BitReader): number {
  let ones = 0;
  while (ones < 4 && bits.read(1) === 1) ones++;
  if (ones === 4) {
    const high = bits.read32();
    return safeInteger(high, bits.read32());
  }
  const width = deltaWidths[ones] as number;
  if (width === 0) return 0;
  const value = bits.read(width);
  // Not two's complement: the middle value is the largest positive one.
  return value > 2 ** (width - 1) ? value - 2 ** width : value;
}

/** The most that is read past the end before `isPastEnd` is asked: one sample. */
const padding = 64;

/** Reads big-endian bits. The bytes are copied to where zeroes follow, so that no read has to ask how many are left. */
class BitReader {
  #padded = Buffer.alloc(4_096);
  #at = 0;
  #end = 0;

  open(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length + padding > this.#padded.length) this.#padded = Buffer.alloc(2 * length + padding);
    bytes.copy(this.#padded, 0, start, end);
    this.#padded.fill(0, length, length + padding);
    this.#at = 0;
    this.#end = length * 8;
  }

  get isPastEnd(): boolean {
    return this.#at > this.#end;
  }

  /** Up to 31 bits. */
  read(count: number): number {
    if (count > 24) {
      const upper = this.read(count - 16);
      return upper * 65_536 + this.read(16);
    }
    const byte = this.#at >>> 3;
    const shift = this.#at & 7;
    this.#at += count;
    const padded = this.#padded;
    const word =
      ((padded[byte] as number) << 24) |
      ((padded[byte + 1] as number) << 16) |
      ((padded[byte + 2] as number) << 8) |
      (padded[byte + 3] as number);
    return (word << shift) >>> (32 - count);
  }

  /** 32 bits as a signed number. */
  read32(): number {
    const upper = this.read(16);
    return (upper << 16) | this.read(16);
  }

  /** Go's encoding/binary: seven bits a byte, the low ones first. */
  uvarint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.read(8);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new MalformedMessage("a chunk's time is out of range");
  }

  varint(): number {
    const value = this.uvarint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
