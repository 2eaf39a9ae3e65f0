import type { LabelFilter, Selector } from "../../metricsql/ast/ast.ts";
import { print } from "../../metricsql/print/printer.ts";

/** Names in one query of a store that takes a name's series separately. */
const namesAtOnce = 100;

/**
 * The query that counts a selector's samples in a range.
 *
 * @param rollup the function over a range, such as `count_over_time`
 * @param range as a duration
 */
export function countQuery(selectors: readonly Selector[], rollup: string, range: string): string {
  const sums = selectors.map((selector) => `sum(${rollup}(${print(selector)}[${range}]))`);
  const [only] = sums;
  // A sum of nothing has no point, and neither has a sum with it.
  return sums.length === 1 && only !== undefined
    ? only
    : sums.map((sum) => `(${sum} or vector(0))`).join(" + ");
}

/** Whether each alternative of the selector is about one metric name. */
export function hasNames({ groups }: Selector): boolean {
  return groups.every((group) => group.some(({ label, op }) => label === "__name__" && op === "="));
}

/** A selector for each alternative, since PromQL has no `or` within a selector. */
export function alternatives(selector: Selector): Selector[] {
  return selector.groups.map((group) => ({ ...selector, groups: [group] }));
}

/**
 * Selectors for the given metric names, in groups for one query each. PromQL's `count_over_time` drops the
 * name, and refuses two series that differ in nothing else.
 */
export function selectorsOfNames(selector: Selector, names: readonly string[]): Selector[][] {
  const all = names.flatMap((name) => {
    const filter: LabelFilter = { label: "__name__", op: "=", value: name };
    return selector.groups.map((group) => ({ ...selector, groups: [[filter, ...group]] }));
  });
  const pieces: Selector[][] = [];
  for (let at = 0; at < all.length; at += namesAtOnce) pieces.push(all.slice(at, at + namesAtOnce));
  return pieces;
}
