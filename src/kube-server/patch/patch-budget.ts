import { isJsonObject, type Json } from "../api/object.ts";

/** The patch exceeds the cost limit of a request; converted to an outcome at the patch's boundary. */
export class PatchTooLarge extends Error {}

/** Total bytes that one patch may copy, as in the Kubernetes API server. */
const maxCopyBytes = 3 * 2 ** 20;

/** Total values that one patch may copy: small values take more time and memory than their bytes. */
const maxCopiedValues = 20_000;

/**
 * Total list elements that one patch may shift: one insertion at the front of a large list is cheap, but many
 * of them would block the event loop.
 */
const maxShifts = 5_000_000;

/** Maximum depth of a copied value: repeated copies of a value into itself grow without bound. */
const maxCopyDepth = 100;

/** Cost of one JSON patch, counted as it is applied so that it stops at the limit. */
export class PatchBudget {
  #copiedBytes = 0;
  #copiedValues = 0;
  #shifts = 0;

  /** Counts the elements after an insertion or removal in a list. @throws PatchTooLarge */
  shift(elements: number): void {
    this.#shifts += elements;
    if (this.#shifts <= maxShifts) return;
    throw new PatchTooLarge("the patch shifts too many elements of lists; send a merge patch instead");
  }

  /** A deep copy. @throws PatchTooLarge */
  copy(value: Json, depth = 0): Json {
    if (depth > maxCopyDepth) throw new PatchTooLarge("the copied value is nested too deeply");
    if (Array.isArray(value)) {
      this.#count(value.length + 2, 1);
      return value.map((item) => this.copy(item, depth + 1));
    }
    if (!isJsonObject(value)) {
      this.#count(typeof value === "string" ? value.length + 2 : 4, 1);
      return value;
    }
    this.#count(2, 1);
    const copy = { ...value };
    for (const [name, child] of Object.entries(copy)) {
      this.#count(name.length + 4, 0);
      copy[name] = this.copy(child, depth + 1);
    }
    return copy;
  }

  #count(bytes: number, values: number): void {
    this.#copiedBytes += bytes;
    this.#copiedValues += values;
    if (this.#copiedBytes <= maxCopyBytes && this.#copiedValues <= maxCopiedValues) return;
    const limits = `${maxCopyBytes} bytes or ${maxCopiedValues} values`;
    throw new PatchTooLarge(
      `the copy operations of the patch add more than ${limits}; send the values in a merge patch`,
    );
  }
}
