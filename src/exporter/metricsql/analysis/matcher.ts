import type { Expr, LabelFilter, Selector } from "../ast/ast.ts";
import { walk } from "../ast/visit.ts";
import { parseRegex } from "../regex/regex.ts";
import { compileRegex } from "../regex/regex-match.ts";
import { finiteTexts, matchesEmptyText } from "../regex/regex-tree.ts";

/** The labels of a series; the metric name is `__name__`. A missing label counts as empty. */
export type LabelSet = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

function labelValue(labels: LabelSet, label: string): string {
  if (labels instanceof Map) return labels.get(label) ?? "";
  const record = labels as Readonly<Record<string, string>>;
  return Object.hasOwn(record, label) ? (record[label] ?? "") : "";
}

/**
 * Compiles a selector to a predicate over the labels of a series. The pseudo-label `__graphite__` is not
 * supported: a filter on it is treated as one on an ordinary label.
 */
export function matcher(selector: Selector): (labels: LabelSet) => boolean {
  const groups = selector.groups.map((group) =>
    group.map((filter) => ({ label: filter.label, test: filterTest(filter) })),
  );
  return (labels) =>
    groups.some((group) => group.every(({ label, test }) => test(labelValue(labels, label))));
}

/** A filter as a predicate over the value of its label. */
export function filterTest({ op, value }: LabelFilter): (text: string) => boolean {
  switch (op) {
    case "=":
      return (text) => text === value;
    case "!=":
      return (text) => text !== value;
    case "=~":
      return compileRegex(value);
    case "!~": {
      const matches = compileRegex(value);
      return (text) => !matches(text);
    }
  }
}

/**
 * Returns a predicate: whether a filter matches a missing label. For the filters of one expression, in which
 * templates may repeat a regular expression many times: each is parsed once.
 */
export function emptyTest(): (filter: LabelFilter) => boolean {
  const known = new Map<string, boolean>();
  const matchesEmpty = (pattern: string): boolean => {
    const before = known.get(pattern);
    if (before !== undefined) return before;
    const matches = matchesEmptyText(parseRegex(pattern));
    known.set(pattern, matches);
    return matches;
  };
  return ({ op, value }) => {
    if (op === "=" || op === "!=") return (value === "") === (op === "=");
    return matchesEmpty(value) === (op === "=~");
  };
}

/** Maximum pairs of groups to compare; beyond it, the expressions count as overlapping. */
const MAX_PAIRS = 10_000;

/**
 * Maximum filters and characters of values to examine, for all pairs together and for one label of a pair.
 */
const MAX_WORK = 500_000;

/** Maximum values of a regular expression to try one by one. */
const MAX_VALUES = 100;

/**
 * Whether the two expressions can read the same series. `false` only if no selector of one can match anything
 * that a selector of the other matches; when in doubt, `true`.
 */
export function mayOverlap(a: Expr, b: Expr): boolean {
  const [groupsOfA, groupsOfB] = [groupsOf(a), groupsOf(b)];
  if (groupsOfA.length * groupsOfB.length > MAX_PAIRS) return true;
  if (sizeOf(groupsOfA) * groupsOfB.length + sizeOf(groupsOfB) * groupsOfA.length > MAX_WORK) return true;
  return groupsOfA.some((one) => groupsOfB.some((other) => satisfiable([...one, ...other])));
}

function groupsOf(expr: Expr): readonly (readonly LabelFilter[])[] {
  const groups: (readonly LabelFilter[])[] = [];
  walk(expr, (node) => {
    if (node.type === "selector") groups.push(...node.groups);
  });
  return groups;
}

function sizeOf(groups: readonly (readonly LabelFilter[])[]): number {
  let size = 0;
  for (const group of groups) for (const { value } of group) size += 1 + value.length;
  return size;
}

/** Whether all filters can hold at once. Each label is examined on its own. */
function satisfiable(filters: readonly LabelFilter[]): boolean {
  for (const [label, own] of byLabel(filters)) {
    // Not an ordinary label: the filter's value does not match a label's value.
    if (label === "__graphite__") continue;
    const values = own.map(possibleValues).find((known) => known !== undefined);
    if (!values || sizeOf([own]) * values.join("").length > MAX_WORK) continue;
    const tests = own.map(filterTest);
    if (!values.some((value) => tests.every((test) => test(value)))) return false;
  }
  return true;
}

function byLabel(filters: readonly LabelFilter[]): Map<string, LabelFilter[]> {
  const groups = new Map<string, LabelFilter[]>();
  for (const filter of filters) {
    const group = groups.get(filter.label);
    if (group === undefined) groups.set(filter.label, [filter]);
    else group.push(filter);
  }
  return groups;
}

/** The values that a filter matches, if they are few. */
function possibleValues({ op, value }: LabelFilter): readonly string[] | undefined {
  if (op === "=") return [value];
  return op === "=~" ? finiteTexts(parseRegex(value), MAX_VALUES) : undefined;
}
