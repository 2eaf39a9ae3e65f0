import type { Label } from "../../series/series.ts";
import type { CapacityListener } from "./request.ts";
import { noScratch, releaseScratch, reserveScratch } from "./scratch.ts";
import { maxTextBytes, varintSize, writeText, writeVarint } from "./wire.ts";

const symbolsTag = 0x22;
const labelRefsTag = 0x0a;
/** Most bytes of a reference. */
export const maxRefBytes = 5;
/** The specification requires the empty text first, so that an absent reference (0) refers to it. */
const emptyText = Buffer.from([symbolsTag, 0]);

/**
 * The `symbols` (field 4) of a 2.0 request: each text once, in the order of first reference, the empty one
 * first. They are encoded as they are added. Uses memory only while it contains another text.
 */
export class SymbolTable {
  readonly #onCapacity: CapacityListener | undefined;
  readonly #refs = new Map<string, number>();
  #out: Buffer = noScratch;
  #at = emptyText.length;

  constructor(onCapacity?: CapacityListener) {
    this.#onCapacity = onCapacity;
    this.#refs.set("", 0);
  }

  /** Size of the fields so far. */
  get byteLength(): number {
    return this.#at;
  }

  /** The index of a text, which must be valid Unicode (no unpaired surrogate). */
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
    return this.#out === noScratch ? emptyText : this.#out.subarray(0, this.#at);
  }

  reset(): void {
    this.#refs.clear();
    this.#refs.set("", 0);
    this.#at = emptyText.length;
    this.#out = releaseScratch(this.#out, this.#onCapacity);
  }

  #reserve(bytes: number): void {
    const isFirst = this.#out === noScratch;
    this.#out = reserveScratch(this.#out, this.#at, this.#at + bytes, this.#onCapacity);
    if (isFirst) emptyText.copy(this.#out);
  }
}

/** The field `labels_refs` (number 1) of a 2.0 message for all labels; adds their texts to the symbols. */
export function labelRefsField(labels: readonly Label[], symbols: SymbolTable): Buffer {
  if (labels.length === 0) return emptyRefs;
  const refs = labels.flatMap(({ name, value }) => [symbols.ref(name), symbols.ref(value)]);
  const length = refs.reduce((sum, ref) => sum + varintSize(ref), 0);
  const field = Buffer.alloc(1 + varintSize(length) + length);
  field[0] = labelRefsTag;
  let at = writeVarint(field, length, 1);
  for (const ref of refs) at = writeVarint(field, ref, at);
  return field;
}

const emptyRefs = Buffer.alloc(0);
