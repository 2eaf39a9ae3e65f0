import type { Expr, LabelFilter, Rollup, Selector } from "../ast/ast.ts";
import { walk } from "../ast/visit.ts";
import { emptyTest } from "./matcher.ts";

/** A remark about a place in an expression. */
export interface Remark {
  readonly message: string;
  /** Offset in the parsed text. */
  readonly pos: number;
}

interface WarningLimits {
  /** Longer look-behind windows cause a warning. */
  readonly maxWindowMs: number;
  /** Subqueries with more points cause a warning. */
  readonly maxSubqueryPoints: number;
  /** Whether selectors that name labels but no metric cause a warning. */
  readonly nameless: boolean;
}

const defaultLimits: WarningLimits = {
  maxWindowMs: 86_400_000,
  maxSubqueryPoints: 10_000,
  nameless: true,
};

/** Warns of costs to a store: selectors that match (nearly) everything, very long windows. */
export function warnings(expr: Expr, limits: Partial<WarningLimits> = {}): readonly Remark[] {
  const applied = { ...defaultLimits, ...limits };
  const remarks: Remark[] = [];
  const remark = (message: string | undefined, pos: number) => {
    if (message !== undefined) remarks.push({ message, pos });
  };
  const matchesEmpty = emptyTest();
  walk(expr, (node) => {
    if (node.type === "selector") remark(selectorWarning(node, applied, matchesEmpty), node.pos);
    if (node.type === "rollup") remark(windowWarning(node, applied), node.pos);
  });
  return remarks;
}

function selectorWarning(
  { groups }: Selector,
  { nameless }: WarningLimits,
  matchesEmpty: (filter: LabelFilter) => boolean,
): string | undefined {
  const alternative = groups.length > 1 ? "an alternative of the selector" : "the selector";
  for (const group of groups) {
    if (group.length === 0) return `${alternative} has no filters and matches every series`;
    if (group.every(matchesEmpty)) {
      return `${alternative} has only filters that also match a missing label, so it matches nearly every series`;
    }
  }
  if (nameless && groups.some((group) => !group.some((filter) => namesMetric(filter, matchesEmpty)))) {
    return `${alternative} names no metric, so the filters are looked up in the series of all metrics`;
  }
  return undefined;
}

/** Whether the filter narrows down the metric's name. `.+` does not. */
function namesMetric(filter: LabelFilter, matchesEmpty: (filter: LabelFilter) => boolean): boolean {
  if (filter.label === "__graphite__") return true;
  return (
    filter.label === "__name__" &&
    !matchesEmpty(filter) &&
    !filter.op.startsWith("!") &&
    !/^\.[+*]$/.test(filter.value)
  );
}

function windowWarning({ window, step, subquery }: Rollup, limits: WarningLimits): string | undefined {
  if (!window) return undefined;
  if (window.ms > limits.maxWindowMs) {
    return `the window of ${window.text} is long: every point reads that much of each series again`;
  }
  if (!subquery || !step || step.ms <= 0) return undefined;
  const points = Math.floor(window.ms / step.ms);
  if (points <= limits.maxSubqueryPoints) return undefined;
  return `the subquery [${window.text}:${step.text}] evaluates ${points} points for every point of the result`;
}
