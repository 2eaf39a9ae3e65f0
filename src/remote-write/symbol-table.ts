import type { CapacityListener } from "./request.ts";
import { giveScratch, growScratch, takeScratch } from "./scratch.ts";
import { maxTextBytes, writeText } from "./wire.ts";

const symbolsTag = 0x22;
/** The specification wants the empty text first, so that an absent reference (0) means it. */
const emptyText = Buffer.from([symbolsTag, 0]);
const empty = Buffer.alloc(0);

/**
 * The `symbols` (field 4) of a 2.0 request: each text once, in the order in which it was first referred to, the empty one
 * first, written as it comes. Holds memory only while there is another text in it.
 */
export class SymbolTable {
  readonly #onCapacity: CapacityListener | undefined;
  readonly #refs = new Map<string, number>();
  #out: Buffer = empty;
  #at = 0;

  constructor(onCapacity?: CapacityListener) {
    this.#onCapacity = onCapacity;
    this.#refs.set("", 0);
  }

  /** Size of the fields so far. */
  get byteLength(): number {
    return Math.max(emptyText.length, this.#at);
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
    return this.#out === empty ? emptyText : this.#out.subarray(0, this.#at);
  }

  reset(): void {
    this.#refs.clear();
    this.#refs.set("", 0);
    this.#at = 0;
    if (this.#out === empty) return;
    this.#onCapacity?.(-this.#out.length);
    giveScratch(this.#out);
    this.#out = empty;
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#out.length) return;
    const before = this.#out.length;
    if (this.#out === empty) {
      this.#out = takeScratch();
      this.#at = emptyText.copy(this.#out);
    }
    const atLeast = this.#at + bytes;
    if (atLeast > this.#out.length) this.#out = growScratch(this.#out, this.#at, atLeast);
    this.#onCapacity?.(this.#out.length - before);
  }
}
