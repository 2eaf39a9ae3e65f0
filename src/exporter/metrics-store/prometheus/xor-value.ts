import type { BitReader } from "./bit-reader.ts";
import { MalformedMessage } from "./message-cursor.ts";

/**
 * The next value in an XOR chunk (tsdb/docs/format/chunks.md): its difference from the preceding one is in a
 * window of bits, after `leading` zeroes; the window applies until a new one is written. Moved as bits, in
 * two signed halves.
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
    // 64 does not fit in 6 bits; 0, otherwise unused, represents it.
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
