import { isJsonObject, type Json } from "../object.ts";

/** The patch costs more than one request may; becomes an outcome at the boundary of the patch. */
export class PatchTooLarge extends Error {}

/** Bytes that the copies of one patch may make in total, as a Kubernetes API server allows. */
const maxCopyBytes = 3 * 2 ** 20;

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
      this.#countBytes(value.length + 2);
      return value.map((item) => this.copy(item, depth + 1));
    }
    if (!isJsonObject(value)) {
      this.#countBytes(typeof value === "string" ? value.length + 2 : 4);
      return value;
    }
    const copy = { ...value };
    for (const [name, child] of Object.entries(copy)) {
      this.#countBytes(name.length + 4);
      copy[name] = this.copy(child, depth + 1);
    }
    return copy;
  }

  #countBytes(bytes: number): void {
    this.#copiedBytes += bytes;
    if (this.#copiedBytes <= maxCopyBytes) return;
    throw new PatchTooLarge(
      `the copy operations of the patch add more than ${maxCopyBytes} bytes; send the values in a merge patch`,
    );
  }
}
