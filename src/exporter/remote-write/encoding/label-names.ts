export const metricNameLabel = "__name__";

const legalMetricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/**
 * A metric's name (the value of `__name__`) as remote write 1.0 allows it: as a label's (`core/label-name.ts`), and
 * the colon.
 *
 * @returns the very same text where it is legal already
 */
export function legalizeMetricName(name: string): string {
  if (legalMetricName.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_:]/gu, "_").replace(/^[0-9]/, "_");
}

/** Order by UTF-8 bytes, as receivers compare: that of code points. JavaScript's own differs above U+D7FF only. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA !== unitB) return codePointOrder(unitA) - codePointOrder(unitB);
  }
  return a.length - b.length;
}

/** Lifts surrogates, which stand for code points above U+FFFF, over the code units behind them. */
function codePointOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** True when the text has a surrogate without its partner: it cannot be written as UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
