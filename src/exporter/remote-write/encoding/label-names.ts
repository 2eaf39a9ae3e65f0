export const metricNameLabel = "__name__";

const legalMetricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/**
 * Sanitizes a metric's name (the value of `__name__`) for remote write 1.0. The rules are those of label
 * names (`core/label-name.ts`), with the colon allowed.
 *
 * @returns the same string if it is already legal
 */
export function legalizeMetricName(name: string): string {
  if (legalMetricName.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_:]/gu, "_").replace(/^[0-9]/, "_");
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
