import { legalizeLabelName, legalizeMetricName } from "../../series/label-name.ts";
import type { Label } from "../../series/series.ts";

/**
 * The form of names that an endpoint gets, in both protocols: as they are, or made legal for the receivers
 * that know only `[a-zA-Z_][a-zA-Z0-9_]*`.
 */
export type Names = "utf8" | "legacy";

export const metricNameLabel = "__name__";

/**
 * The labels with legal names, sorted; two of them may have become equal.
 *
 * @returns the same array if all names are legal already
 */
export function legalLabels(labels: readonly Label[]): readonly Label[] {
  let legal: Label[] | undefined;
  for (const [index, label] of labels.entries()) {
    const name = legalizeLabelName(label.name);
    const value = name === metricNameLabel ? legalizeMetricName(label.value) : label.value;
    if (name === label.name && value === label.value) continue;
    // Text that is not valid UTF-8 is rejected, not repaired: it stays as it is for the check that follows.
    if (hasLoneSurrogate(label.name) || hasLoneSurrogate(label.value) || label.name === "") continue;
    legal ??= [...labels];
    legal[index] = { name, value };
  }
  return legal === undefined ? labels : sortedByName(legal);
}

/** @returns the same array if it is sorted already */
export function sortedByName(labels: readonly Label[]): readonly Label[] {
  return isSorted(labels) ? labels : [...labels].sort((a, b) => compareNames(a.name, b.name));
}

function isSorted(labels: readonly Label[]): boolean {
  for (let index = 1; index < labels.length; index++) {
    const before = labels[index - 1];
    const label = labels[index];
    if (before !== undefined && label !== undefined && compareNames(before.name, label.name) > 0)
      return false;
  }
  return true;
}

/** Orders by UTF-8 bytes, that is by code points, like receivers. JavaScript's order differs above U+D7FF. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA !== unitB) return codePointOrder(unitA) - codePointOrder(unitB);
  }
  return a.length - b.length;
}

/** Moves surrogates, which represent code points above U+FFFF, above the code units that follow them. */
function codePointOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** True when the text has an unpaired surrogate, which cannot be encoded as UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
