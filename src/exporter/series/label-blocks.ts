/** Small, since a single series keeps its whole slab alive: the space of evicted ones is lost until then. */
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

/** A piece of memory outside of the heap, filled from its beginning. */
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

  /** Copies bytes; the caller ensures there is room. */
  place(from: Uint8Array): Span {
    const start = this.#used;
    this.bytes.set(from, start);
    this.#used += from.length;
    return { view: this.#view, start, end: this.#used };
  }
}

/**
 * Stores encoded labels one after another in slabs: a Buffer for each would add two objects per series for
 * the garbage collector to trace (bench/memory.ts).
 */
export class LabelBlocks {
  #slab: Slab | undefined;

  place(block: Uint8Array): Span {
    if (!this.#slab?.hasRoomFor(block.length)) this.#slab = new Slab(Math.max(slabBytes, block.length));
    return this.#slab.place(block);
  }
}

/**
 * Copies a span to `at`. As fast for short spans as `TypedArray.set` and `Buffer.copy`, which also leave
 * garbage with each call: with many series, a large share of a cycle's scavenges (bench/peers.ts with
 * `--trace-gc`).
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
