/**
 * The parts of the protobuf wire format (https://protobuf.dev/programming-guides/encoding/) shared by the
 * encoders and the request splitter. Lengths and tags are below 2^31; timestamps have their own code.
 */

/** Size of `value` (0 to 2^31 - 1) as a varint, in bytes. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

/** Writes `value` (0 to 2^31 - 1) as a varint. @returns the offset after it */
export function writeVarint(out: Uint8Array, value: number, offset: number): number {
  let rest = value;
  let at = offset;
  while (rest > 0x7f) {
    out[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out[at++] = rest;
  return at;
}

/**
 * Writes the length of existing content into the gap reserved for it, from `lengthAt` to `contentAt`. If the
 * gap differs from the length's size, the content is moved; the buffer must have room for that.
 *
 * @returns the offset after the content
 */
export function closeMessage(
  out: Uint8Array,
  lengthAt: number,
  contentAt: number,
  contentEnd: number,
): number {
  const length = contentEnd - contentAt;
  const rightAt = lengthAt + varintSize(length);
  if (rightAt !== contentAt) out.copyWithin(rightAt, contentAt, contentEnd);
  writeVarint(out, length, lengthAt);
  return rightAt + length;
}

/** Maximum size of a text with its length: three bytes of UTF-8 per UTF-16 code unit, five for the length. */
export function maxTextBytes(text: string): number {
  return 5 + text.length * 3;
}

/** Writes the length of a text and the text, which must be valid Unicode. @returns the offset after it */
export function writeText(out: Buffer, text: string, offset: number): number {
  // Nearly all texts are ASCII: their length is known, and a loop is faster than a call into Node.js for
  // each.
  let at = writeVarint(out, text.length, offset);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) {
      at = writeVarint(out, Buffer.byteLength(text), offset);
      return at + out.write(text, at);
    }
    out[at++] = unit;
  }
  return at;
}

/** Size of an int64 field's value, in bytes. Negative values take ten: the 64-bit pattern is written. */
export function int64Size(value: number): number {
  if (value < 0) return 10;
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Writes an integer that a double holds exactly (up to ±2^53) as an int64. @returns the offset after it */
export function writeInt64(out: Uint8Array, value: number, offset: number): number {
  let at = offset;
  if (value >= 0) {
    let rest = value;
    while (rest >= 0x80) {
      out[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    out[at++] = rest;
    return at;
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    out[at++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  out[at++] = Number(rest);
  return at;
}

/** Reads protobuf fields one after another from a range of bytes. @throws RangeError for truncated bytes */
export class WireReader {
  readonly bytes: Buffer;
  readonly end: number;
  offset: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.offset = start;
    this.end = end;
  }

  get atEnd(): boolean {
    return this.offset >= this.end;
  }

  /** A varint below 2^53: tags, lengths, references. */
  varint(): number {
    let value = 0;
    for (let factor = 1; this.offset < this.end; factor *= 0x80) {
      const byte = this.bytes[this.offset++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a varint is cut off");
  }

  /** An int64, as a double: exact up to ±2^53. */
  int64(): number {
    let value = 0n;
    for (let shift = 0n; this.offset < this.end; shift += 7n) {
      const byte = this.bytes[this.offset++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new RangeError("an int64 is cut off");
  }

  /** A reader of a length-delimited field's content; this reader continues after the field. */
  message(): WireReader {
    const length = this.varint();
    const start = this.offset;
    if (start + length > this.end) throw new RangeError("a field is longer than its message");
    this.offset = start + length;
    return new WireReader(this.bytes, start, start + length);
  }

  /** Skips a field's value. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.offset += 8;
    else if (wireType === 2) this.message();
    else if (wireType === 5) this.offset += 4;
    else throw new RangeError(`unknown wire type ${wireType}`);
    if (this.offset > this.end) throw new RangeError("a field is cut off");
  }
}
