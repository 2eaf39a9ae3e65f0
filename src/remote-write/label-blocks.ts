/** Small, since a slab is kept as long as a single series in it is: what others leave is lost until then. */
const slabBytes = 16 * 1_024;

/** Bytes within a larger buffer. */
export interface Span {
  readonly slab: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps encoded labels one after another in slabs: a Buffer for each would be two objects of a hundred bytes that the
 * garbage collector looks at (bench/memory.ts).
 */
export class LabelBlocks {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** Copies a block. */
  place(block: Uint8Array): Span {
    if (this.#used + block.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, block.length));
      this.#used = 0;
    }
    const start = this.#used;
    this.#slab.set(block, start);
    this.#used += block.length;
    return { slab: this.#slab, start, end: this.#used };
  }
}
