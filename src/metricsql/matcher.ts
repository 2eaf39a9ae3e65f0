import type { Expr, LabelFilter, Selector } from "./ast.ts";
import { parseRegex } from "./regex.ts";
import { compileRegex } from "./regex-match.ts";
import { finiteTexts } from "./regex-tree.ts";
import { walk } from "./visit.ts";

/** The labels of a series; the metric name is `__name__`. A label that is not there counts as empty. */
export type LabelSet = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

function labelValue(labels: LabelSet, label: string): string {
  if (labels instanceof Map) return labels.get(label) ?? "";
  const record = labels as Readonly<Record<string, string>>;
  return Object.hasOwn(record, label) ? (record[label] ?? "") : "";
}

/**
 * Compiles a selector to a predicate over the labels of a series. The pseudo-label `__graphite__` is not known here: a
 * filter on it is taken for an ordinary label.
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

/** So many pairs of groups are compared; what has more is taken to overlap. */
const MAX_PAIRS = 10_000;

/** Of a regular expression, so many values are tried one by one. */
const MAX_VALUES = 100;

/**
 * Can the two expressions read the same series? `false` only where no selector of the one can match what a selector of
 * the other matches; when in doubt, `true`.
 */
export function mayOverlap(a: Expr, b: Expr): boolean {
  const [groupsOfA, groupsOfB] = [groupsOf(a), groupsOf(b)];
  if (groupsOfA.length * groupsOfB.length > MAX_PAIRS) return true;
  return groupsOfA.some((one) => groupsOfB.some((other) => satisfiable([...one, ...other])));
}

function groupsOf(expr: Expr): readonly (readonly LabelFilter[])[] {
  const groups: (readonly LabelFilter[])[] = [];
  walk(expr, (node) => {
    if (node.type === "selector") groups.push(...node.groups);
  });
  return groups;
}

/** Can all filters hold at once? Each label is looked at for itself. */
function satisfiable(filters: readonly LabelFilter[]): boolean {
  for (const [label, own] of byLabel(filters)) {
    // Not an ordinary label: what it matches is not its value.
    if (label === "__graphite__") continue;
    const values = own.map(possibleValues).find((known) => known !== undefined);
    if (!values) continue;
    const tests = own.map(filterTest);
    if (!values.some((value) => tests.every((test) => test(value)))) return false;
  }
  return true;
}

function byLabel(filters: readonly LabelFilter[]): Map<string, LabelFilter[]> {
  const groups = new Map<string, LabelFilter[]>();
  for (const filter of filters) groups.set(filter.label, [...(groups.get(filter.label) ?? []), filter]);
  return groups;
}

/** The values that a filter lets pass, where they are few. */
function possibleValues({ op, value }: LabelFilter): readonly string[] | undefined {
  if (op === "=") return [value];
  return op === "=~" ? finiteTexts(parseRegex(value), MAX_VALUES) : undefined;
}
