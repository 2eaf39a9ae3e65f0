/** Bytes that are not the expected message. Internal to this room: readers turn it into a ReadFailure. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

/** https://protobuf.dev/programming-guides/encoding/#structure; groups are treated as unknown. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Iterates over the fields of one protobuf message within larger bytes, without copying. After `next()`
 * returns true, `field` and `wireType` describe the field, and `start` to `end` are its payload: for a
 * `bytes` field without its length. The caller ignores unknown fields.
 */
export class MessageCursor {
  field = 0;
  wireType = 0;
  /** Offset of the field's tag. */
  tagStart = 0;
  start = 0;
  end = 0;
  readonly #bytes: Buffer;
  readonly #limit: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = end;
  }

  /** @throws MalformedMessage */
  next(): boolean {
    if (this.#at >= this.#limit) return false;
    this.tagStart = this.#at;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field === 0) throw new MalformedMessage("a field has the number 0");
    let length = 0;
    switch (this.wireType) {
      case wireTypes.varint: {
        this.start = this.#at;
        while ((this.#bytes[this.#at] as number) >= 128 && this.#at < this.#limit) this.#at++;
        length = 1;
        break;
      }
      case wireTypes.fixed64:
        this.start = this.#at;
        length = 8;
        break;
      case wireTypes.bytes:
        length = this.#varint();
        this.start = this.#at;
        break;
      case wireTypes.fixed32:
        this.start = this.#at;
        length = 4;
        break;
      default:
        throw new MalformedMessage(`a field has the wire type ${this.wireType}`);
    }
    this.#at += length;
    if (this.#at > this.#limit) throw new MalformedMessage("a field is longer than its message");
    this.end = this.#at;
    return true;
  }

  /** Whether this is the field, with this type. A known field with another type is a fault of the message. */
  is(field: number, wireType: number): boolean {
    if (this.field !== field) return false;
    if (this.wireType === wireType) return true;
    throw new MalformedMessage(`field ${field} has the wire type ${this.wireType}, not ${wireType}`);
  }

  /**
   * The varint field as a two's complement 64-bit number, the encoding of int64 and int32.
   *
   * @throws MalformedMessage
   */
  int64(): number {
    return signed64(this.#bytes, this.start, this.end);
  }

  /** A cursor over the message that the field holds. */
  message(): MessageCursor {
    return new MessageCursor(this.#bytes, this.start, this.end);
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.#at >= this.#limit) throw new MalformedMessage("the message ends within a number");
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
      // Tags and lengths: longer ones cannot fit in memory.
      if (scale > 2 ** 35) throw new MalformedMessage("a length has too many bytes");
    }
  }
}

/** A varint of up to ten bytes; the tenth holds only the sign. */
function signed64(bytes: Buffer, start: number, end: number): number {
  if (end - start > 10) throw new MalformedMessage("a number has more than 64 bits");
  let low = 0;
  let high = 0;
  for (let at = start, shift = 0; at < end; at++, shift += 7) {
    const part = (bytes[at] as number) & 127;
    if (shift < 28) low |= part << shift;
    else if (shift === 28) {
      low |= part << 28;
      high |= part >>> 4;
    } else high |= part << (shift - 32);
  }
  return safeInteger(high, low);
}

/** The number with these two's complement halves. @throws MalformedMessage where a double cannot hold it */
export function safeInteger(high: number, low: number): number {
  const value = (high | 0) * 2 ** 32 + (low >>> 0);
  if (!Number.isSafeInteger(value)) throw new MalformedMessage("a time is beyond 285 thousand years");
  return value;
}
