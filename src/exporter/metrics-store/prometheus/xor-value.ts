import type { BitReader } from "./bit-reader.ts";
import { MalformedMessage } from "./message-cursor.ts";

/**
 * A value as XOR chunks go on with it (tsdb/docs/format/chunks.md): what differs from the one before lies in a window of bits,
 * with `leading` zeroes before it, which stays until a new one is written. Moved as bits, in two signed halves.
 */
export class XorValue {
  high = 0;
  low = 0;
  #leading = 0;
  #meaningful = 64;

  reset(high: number, low: number): void {
    this.high = high;
    this.low = low;
    this.#leading = 0;
    this.#meaningful = 64;
  }

  /** @throws MalformedMessage */
  changeInNewWindow(bits: BitReader): void {
    const both = bits.read(11);
    this.#leading = both >>> 6;
    // 64 does not fit in 6 bits, and 0 would be of no use: it stands for it.
    this.#meaningful = both & 63 || 64;
    if (this.#leading + this.#meaningful > 64) {
      throw new MalformedMessage("a chunk's value has more than 64 bits");
    }
    this.changeInWindow(bits);
  }

  changeInWindow(bits: BitReader): void {
    const meaningful = this.#meaningful;
    const trailing = 64 - this.#leading - meaningful;
    if (meaningful <= 32) {
      const changed = bits.read(meaningful);
      if (trailing >= 32) this.high ^= changed << (trailing - 32);
      else {
        if (trailing > 0) this.high ^= changed >>> (32 - trailing);
        this.low ^= changed << trailing;
      }
    } else {
      const upper = bits.read(meaningful - 32);
      const lower = bits.read32();
      this.high ^= trailing === 0 ? upper : (upper << trailing) | (lower >>> (32 - trailing));
      this.low ^= lower << trailing;
    }
  }
}
