/** Bytes that are not the message they should be. Stays within this room: readers make a ReadFailure of it. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

/** https://protobuf.dev/programming-guides/encoding/#structure; groups are as good as unknown. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Walks over the fields of one protobuf message within larger bytes, copying nothing. After `next()` has said true,
 * `field` and `wireType` tell what is there, and `start` to `end` are its payload: of a `bytes` field without its
 * length. What the caller does not know it just does not look at.
 */
export class MessageCursor {
  field = 0;
  wireType = 0;
  /** Where the field's tag begins. */
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

  /** Is this the field, of this type? A known field of another type is a fault of the message. */
  is(field: number, wireType: number): boolean {
    if (this.field !== field) return false;
    if (this.wireType === wireType) return true;
    throw new MalformedMessage(`field ${field} has the wire type ${this.wireType}, not ${wireType}`);
  }

  /** The varint field as a two's complement 64-bit number, as int64 and int32 are written. @throws MalformedMessage */
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
      // Tags and lengths: nothing that fits in memory has a longer one.
      if (scale > 2 ** 35) throw new MalformedMessage("a length has too many bytes");
    }
  }
}

/** A varint of up to ten bytes; the tenth holds the sign alone. */
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
