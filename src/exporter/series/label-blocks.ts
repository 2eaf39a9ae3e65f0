/** Small, since a slab is kept as long as a single series in it is: what others leave is lost until then. */
const slabBytes = 16 * 1_024;

/** Bytes within a larger piece of memory. */
export interface Span {
  readonly view: DataView;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The same memory, not a copy. */
export function bytesOf({ view, start, end }: Span): Buffer {
  return Buffer.from(view.buffer, view.byteOffset + start, end - start);
}

/** A piece of memory outside of the heap that is filled from its beginning. */
export class Slab {
  readonly bytes: Buffer;
  readonly #view: DataView;
  #used = 0;

  constructor(bytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.#view = new DataView(this.bytes.buffer);
  }

  hasRoomFor(bytes: number): boolean {
    return this.#used + bytes <= this.bytes.length;
  }

  /** Copies bytes, for which there has to be room. */
  place(from: Uint8Array): Span {
    const start = this.#used;
    this.bytes.set(from, start);
    this.#used += from.length;
    return { view: this.#view, start, end: this.#used };
  }
}

/**
 * Keeps encoded labels one after another in slabs: a Buffer for each would be two objects of a hundred bytes that the
 * garbage collector looks at (bench/memory.ts).
 */
export class LabelBlocks {
  #slab: Slab | undefined;

  /** Copies a block. */
  place(block: Uint8Array): Span {
    if (!this.#slab?.hasRoomFor(block.length)) this.#slab = new Slab(Math.max(slabBytes, block.length));
    return this.#slab.place(block);
  }
}

/**
 * Copies a span to `at`: some hundred bytes as fast as `TypedArray.set` and `Buffer.copy`, which leave a hundred bytes of garbage
 * each time, with 50,000 series half of what a cycle's scavenges collect (bench/peers.ts with `--trace-gc`).
 */
export function copySpan({ view, start, end }: Span, to: DataView, at: number): void {
  let from = start;
  let into = at;
  for (const wholeEnd = end - 16; from <= wholeEnd; from += 16, into += 16) {
    to.setInt32(into, view.getInt32(from));
    to.setInt32(into + 4, view.getInt32(from + 4));
    to.setInt32(into + 8, view.getInt32(from + 8));
    to.setInt32(into + 12, view.getInt32(from + 12));
  }
  for (const wholeEnd = end - 4; from <= wholeEnd; from += 4, into += 4)
    to.setInt32(into, view.getInt32(from));
  for (; from < end; from++, into++) to.setUint8(into, view.getUint8(from));
}
