import type { Expr, LabelFilter, Selector } from "../ast/ast.ts";
import { walk } from "../ast/visit.ts";
import { parseRegex } from "../regex/regex.ts";
import { beginnings, finiteTexts } from "../regex/regex-tree.ts";
import { emptyTest, filterTest } from "./matcher.ts";

/** Which series two selectors have in common. */
export type Overlap =
  /** One selects everything that the other selects: both do, if they are equal. */
  | { readonly kind: "certain"; readonly wide: "first" | "second" }
  /** A series may exist that both select; whether the store has one, only the store knows. */
  | { readonly kind: "possible" }
  /** No series can match both: their filters contradict each other. */
  | { readonly kind: "impossible" };

/** By the selectors alone. In doubt, an overlap is possible. */
export function overlapOf(first: Selector, second: Selector): Overlap {
  const [one, other] = [first.groups, second.groups];
  if (!mayOverlap(first, second)) return { kind: "impossible" };
  if (one.flat().length * other.flat().length > maxPairs) return { kind: "possible" };
  if (covers(one, other)) return { kind: "certain", wide: "first" };
  return covers(other, one) ? { kind: "certain", wide: "second" } : { kind: "possible" };
}

/** What both select. Its alternatives are the product of theirs. */
export function intersectionOf(first: Selector, second: Selector): Selector {
  const groups = first.groups.flatMap((one) => second.groups.map((other) => [...one, ...other]));
  return { ...first, groups };
}

type Groups = Selector["groups"];

/** Not an ordinary label: the filter's value does not match a label's value. */
const graphite = "__graphite__";

/** Maximum pairs of groups, or filters, to compare; beyond it, the expressions count as overlapping. */
const maxPairs = 10_000;

/**
 * Maximum filters and characters of values to examine, for all pairs together and for one label of a pair.
 */
const maxWork = 500_000;

/** The same for one filter that may follow from a group. */
const maxImpliedWork = 20_000;

/** Maximum regular expressions of a label to compare with each other. */
const maxRegexes = 4;

/** Maximum values of a regular expression to try one by one. */
const maxValues = 100;

/**
 * Whether the two expressions can read the same series. `false` only if no selector of one can match anything
 * that a selector of the other matches; when in doubt, `true`.
 */
export function mayOverlap(a: Expr, b: Expr): boolean {
  const [groupsOfA, groupsOfB] = [groupsOf(a), groupsOf(b)];
  if (isTooMuch(groupsOfA, groupsOfB)) return true;
  return groupsOfA.some((one) => groupsOfB.some((other) => satisfiable([...one, ...other])));
}

function isTooMuch(one: Groups, other: Groups): boolean {
  if (one.length * other.length > maxPairs) return true;
  return sizeOf(one) * other.length + sizeOf(other) * one.length > maxWork;
}

function groupsOf(expr: Expr): Groups {
  const groups: (readonly LabelFilter[])[] = [];
  walk(expr, (node) => {
    if (node.type === "selector") groups.push(...node.groups);
  });
  return groups;
}

function sizeOf(groups: Groups): number {
  let size = 0;
  for (const group of groups) for (const { value } of group) size += 1 + value.length;
  return size;
}

/** Whether all filters can hold at once. Each label is examined on its own. */
function satisfiable(filters: readonly LabelFilter[]): boolean {
  for (const [label, own] of byLabel(filters)) {
    if (label === graphite) continue;
    if (!mayBeginAlike(own)) return false;
    const values = own.map(possibleValues).find((known) => known !== undefined);
    if (!values || sizeOf([own]) * values.join("").length > maxWork) continue;
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
  return op === "=~" ? finiteTexts(parseRegex(value), maxValues) : undefined;
}

/** Whether the texts that fulfil each of one label's first regular expressions may begin alike. */
function mayBeginAlike(filters: readonly LabelFilter[]): boolean {
  const regexes = filters.filter(({ op }) => op === "=~").slice(0, maxRegexes);
  const all = regexes.map(({ value }) => beginnings(parseRegex(value), maxValues).texts);
  return all.every((some, index) => all.slice(index + 1).every((others) => haveCommon(some, others)));
}

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((text) => others.some((other) => text.startsWith(other) || other.startsWith(text)));
}

/** Whether certainly everything that `narrow` selects is selected by `wide`, too. */
function covers(wide: Groups, narrow: Groups): boolean {
  return narrow.every((group) => wide.some((filters) => filters.every((filter) => isImplied(filter, group))));
}

/** Whether each series that fulfils the group fulfils the filter. */
function isImplied(filter: LabelFilter, group: readonly LabelFilter[]): boolean {
  const own = group.filter(({ label }) => label === filter.label);
  if (own.some(({ op, value }) => op === filter.op && value === filter.value)) return true;
  if (filter.label === graphite) return false;
  if (filter.op === "=~" && filter.value === ".*") return true;
  const isPresence = filter.op === "=~" ? filter.value === ".+" : filter.op === "!=" && filter.value === "";
  // Each series has a name.
  if (isPresence && (filter.label === "__name__" || own.some((each) => !emptyTest()(each)))) return true;
  const values = own.map(possibleValues).find((known) => known !== undefined);
  if (!values || sizeOf([[filter, ...own]]) * values.join("").length > maxImpliedWork) return false;
  const tests = own.map(filterTest);
  return values.filter((value) => tests.every((test) => test(value))).every(filterTest(filter));
}
