import type { LabelFilter, Selector } from "../ast/ast.ts";
import { parseRegex } from "../regex/regex.ts";
import { compileRegex } from "../regex/regex-match.ts";
import { matchesEmptyText } from "../regex/regex-tree.ts";

/** The labels of a series; the metric name is `__name__`. A missing label counts as empty. */
type LabelSet = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

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
