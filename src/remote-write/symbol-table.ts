import { maxTextBytes, writeText } from "./wire.ts";

const symbolsTag = 0x22;

/**
 * The `symbols` (field 4) of a 2.0 request: each text once, in the order in which it was first referred to, the empty one
 * first, written as it comes.
 */
export class SymbolTable {
  #out = Buffer.allocUnsafeSlow(16 * 1024);
  #at = 0;
  readonly #refs = new Map<string, number>();

  constructor() {
    this.reset();
  }

  /** Size of the fields so far. */
  get byteLength(): number {
    return this.#at;
  }

  /** The index of a text, which must be Unicode (no lone surrogate). */
  ref(text: string): number {
    const known = this.#refs.get(text);
    if (known !== undefined) return known;
    this.#reserve(1 + maxTextBytes(text));
    this.#out[this.#at] = symbolsTag;
    this.#at = writeText(this.#out, text, this.#at + 1);
    const ref = this.#refs.size;
    this.#refs.set(text, ref);
    return ref;
  }

  /** The fields; valid until the table changes. */
  bytes(): Buffer {
    return this.#out.subarray(0, this.#at);
  }

  reset(): void {
    this.#at = 0;
    this.#refs.clear();
    // The specification wants the empty text first, so that an absent reference (0) means it.
    this.ref("");
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#at + bytes, this.#out.length * 2));
    larger.set(this.#out.subarray(0, this.#at));
    this.#out = larger;
  }
}
