import { isJsonObject, type Json } from "../object.ts";

/** The patch costs more than one request may; becomes an outcome at the boundary of the patch. */
export class PatchTooLarge extends Error {}

/** Bytes that the copies of one patch may make in total, as a Kubernetes API server allows. */
const maxCopyBytes = 3 * 2 ** 20;

/** Values that they may make, which take more time and memory than their bytes where they are small. */
const maxCopiedValues = 20_000;

/**
 * Elements of lists that one patch may shift in total. One addition in front of a large list is cheap, but thousands of
 * them would hold the event loop for seconds.
 */
const maxShifts = 5_000_000;

/** How deep a copied value may be: what is copied into itself again and again grows without bound. */
const maxCopyDepth = 100;

/** What one JSON patch has cost so far. Counted while the work is done, so that it stops at the limit. */
export class PatchBudget {
  #copiedBytes = 0;
  #copiedValues = 0;
  #shifts = 0;

  /** Counts the elements behind a place of a list that is inserted or removed. @throws PatchTooLarge */
  shift(elements: number): void {
    this.#shifts += elements;
    if (this.#shifts <= maxShifts) return;
    throw new PatchTooLarge("the patch shifts too many elements of lists; send a merge patch instead");
  }

  /** A copy that shares nothing with the original. @throws PatchTooLarge */
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
