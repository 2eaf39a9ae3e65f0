import { MalformedMessage, safeInteger } from "./message-cursor.ts";

/** Maximum bytes to read past the end before `isPastEnd` is checked: one sample with its start time. */
const padding = 64;

/** Bits of a varbit number (tsdb/chunkenc/varbit.go), by the number of ones before it. */
const varbitWidths = [0, 3, 6, 9, 12, 18, 25, 56, 64] as const;

/**
 * Reads big-endian bits. Reads do not check for the end: the decoder checks `isPastEnd` after each sample,
 * and bits too near the end of their memory are copied to a larger one.
 */
export class BitReader {
  /** Signed halves of the number that was read last by a function that says so. */
  high = 0;
  low = 0;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;
  #spare = Buffer.alloc(4_096);

  /** @param view of the same memory as `bytes`; must not change while bits of it are read */
  open(bytes: Buffer, view: DataView, start: number, end: number): void {
    const length = end - start;
    if (end + padding <= bytes.length) {
      this.#view = view;
      this.#at = start * 8;
    } else {
      if (length + padding > this.#spare.length) this.#spare = Buffer.alloc(2 * length + padding);
      bytes.copy(this.#spare, 0, start, end);
      this.#view = new DataView(this.#spare.buffer, this.#spare.byteOffset, this.#spare.length);
      this.#at = 0;
    }
    this.#end = this.#at + length * 8;
  }

  /**
   * Opens a chunk whose head of `headBytes` bytes begins with the number of its samples.
   *
   * @returns that number
   * @throws MalformedMessage when the head is incomplete
   */
  openChunk(bytes: Buffer, view: DataView, start: number, end: number, headBytes: number): number {
    if (end - start < headBytes) throw new MalformedMessage("a chunk has no count");
    this.open(bytes, view, start, end);
    return this.read(16);
  }

  get isPastEnd(): boolean {
    return this.#at > this.#end;
  }

  /** The next 32 bits, as a signed number; does not advance. */
  peek32(): number {
    const byte = this.#at >>> 3;
    const shift = this.#at & 7;
    return (this.#view.getInt32(byte) << shift) | (this.#view.getUint8(byte + 4) >>> (8 - shift));
  }

  skip(count: number): void {
    this.#at += count;
  }

  /** Reads 1 to 32 bits. */
  read(count: number): number {
    const bits = this.peek32() >>> (32 - count);
    this.#at += count;
    return bits;
  }

  /** Reads 32 bits as a signed number. */
  read32(): number {
    const bits = this.peek32();
    this.#at += 32;
    return bits;
  }

  /** Counts the ones that come next, at most `most`; if fewer, also reads the zero that ends them. */
  ones(most: number): number {
    const count = Math.min(most, Math.clz32(~this.peek32()));
    this.#at += count === most ? most : count + 1;
    return count;
  }

  /** Reads 64 bits in two's complement. @throws MalformedMessage */
  int64(): number {
    const high = this.read32();
    return safeInteger(high, this.read32());
  }

  /**
   * Reads a uvarint of Go's encoding/binary: seven bits a byte, the low ones first.
   *
   * @throws MalformedMessage
   */
  uvarint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.read(8);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new MalformedMessage("a chunk's time is out of range");
  }

  /** @throws MalformedMessage */
  varint(): number {
    const value = this.uvarint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Number of bits left. */
  get left(): number {
    return this.#end - this.#at;
  }

  /** Reads 64 bits as two halves. */
  read64(): void {
    this.high = this.read32();
    this.low = this.read32();
  }

  /** Reads an unsigned varbit number (tsdb/chunkenc/varbit.go) as two halves. */
  varbitUint(): void {
    const width = varbitWidths[this.ones(8)] as number;
    this.high = width > 32 ? this.read(width - 32) | 0 : 0;
    this.low = width > 32 ? this.read32() : width === 0 ? 0 : this.read(width);
  }

  /** The same for a signed one: not in two's complement, the middle value is the largest positive one. */
  varbitInt(): void {
    const width = varbitWidths[this.ones(8)] as number;
    if (width > 32) {
      this.high = this.read(width - 32) | 0;
      this.low = this.read32();
      const middle = 2 ** (width - 33);
      const isAbove = this.high > middle || (this.high === middle && this.low !== 0);
      if (width < 64 && isAbove) this.high -= 2 * middle;
      return;
    }
    const value = width === 0 ? 0 : this.read(width);
    this.low = value > 2 ** (width - 1) ? value - 2 ** width : value;
    this.high = this.low >> 31;
  }

  /** The next varbit number, at most ±2^53. @throws MalformedMessage */
  safeVarbitInt(): number {
    this.varbitInt();
    return safeInteger(this.high, this.low);
  }

  /** @throws MalformedMessage */
  safeVarbitUint(): number {
    this.varbitUint();
    if (this.high < 0) throw new MalformedMessage("a number of a chunk is out of range");
    return safeInteger(this.high, this.low);
  }

  skipVarbit(): void {
    this.skip(varbitWidths[this.ones(8)] as number);
  }

  /** Skips a varint of up to 64 bits, of any value. */
  skipVarint(): void {
    for (let bytes = 0; bytes < 10; bytes++) if (this.read(8) < 128) return;
  }
}
