import type { LabelFilter, Selector } from "../../metricsql/ast/ast.ts";
import { print } from "../../metricsql/print/printer.ts";

/** Names in one query of a store that takes a name's series separately. */
const namesAtOnce = 100;

/**
 * The query that counts a selector's samples in a range.
 *
 * @param selectors of one name each, unless there is only one; those of one name may match the same series
 * @param rollup the function over a range, such as `count_over_time`
 * @param range as a duration
 */
export function countQuery(selectors: readonly Selector[], rollup: string, range: string): string {
  const byName = new Map<string | undefined, string[]>();
  for (const selector of selectors) {
    const name = nameOf(selector.groups[0] ?? []);
    const counts = byName.get(name) ?? [];
    byName.set(name, counts);
    counts.push(`${rollup}(${print(selector)}[${range}])`);
  }
  // A series of several selectors counts once: `or` compares the labels, without the name.
  const sums = [...byName.values()].map((counts) => `sum(${counts.join(" or ")})`);
  const [only] = sums;
  // A sum of nothing has no point, and neither has a sum with it.
  return sums.length === 1 && only !== undefined
    ? only
    : sums.map((sum) => `(${sum} or vector(0))`).join(" + ");
}

/** Whether each alternative of the selector is about one metric name. */
export function hasNames({ groups }: Selector): boolean {
  return groups.every((group) => nameOf(group) !== undefined);
}

function nameOf(group: readonly LabelFilter[]): string | undefined {
  return group.find(({ label, op, value }) => label === "__name__" && op === "=" && value !== "")?.value;
}

/** A selector for each alternative, since PromQL has no `or` within a selector. */
export function alternatives(selector: Selector): Selector[] {
  return selector.groups.map((group) => ({ ...selector, groups: [group] }));
}

/**
 * The same for PromQL's `match[]`, which rejects a selector that matches the series without labels. Each
 * series has a name.
 */
export function namedAlternatives({ groups, ...selector }: Selector): Selector[] {
  const named: LabelFilter = { label: "__name__", op: "!=", value: "" };
  return groups.map((group) => ({ ...selector, groups: [[...group, named]] }));
}

/**
 * The same selector for a VictoriaMetrics, which (1.150) takes the name of one alternative for all of them if
 * another has none: to it, `{__name__="a" or job="b"}` is of the name `a`. A regular expression is no name.
 */
export function withoutMixedNames(selector: Selector): Selector {
  if (selector.groups.length < 2 || hasNames(selector)) return selector;
  const asRegex = (filter: LabelFilter): LabelFilter =>
    filter.label === "__name__" && filter.op === "="
      ? { ...filter, op: "=~", value: filter.value.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&") }
      : filter;
  return { ...selector, groups: selector.groups.map((group) => group.map(asRegex)) };
}

/**
 * Selectors for the given metric names, in groups for one query each. PromQL's `count_over_time` drops the
 * name, and refuses two series that differ in nothing else.
 */
export function selectorsOfNames(selector: Selector, names: readonly string[]): Selector[][] {
  const pieces: Selector[][] = [];
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const selectors = names.slice(at, at + namesAtOnce).flatMap((name) => {
      const filter: LabelFilter = { label: "__name__", op: "=", value: name };
      const groups = selector.groups.filter((group) => (nameOf(group) ?? name) === name);
      return groups.map((group) => {
        const others = group.filter(
          ({ label, op, value }) => label !== "__name__" || op !== "=" || value !== name,
        );
        return { ...selector, groups: [[filter, ...others]] };
      });
    });
    pieces.push(selectors);
  }
  return pieces.filter((selectors) => selectors.length > 0);
}
