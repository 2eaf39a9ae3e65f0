import type { Expr, LabelFilter } from "../ast/ast.ts";
import { rewrite } from "../ast/visit.ts";

export { labelsNamed } from "./labels.ts";

/**
 * Adds `label="value"` for each of the filters to every group of every selector in the expression, so that it
 * cannot read a series without these labels. The query's own filters on the same labels stay, so both must
 * hold.
 *
 * @throws RangeError for an empty label or value: such a filter would match the series that lack the label
 */
export function scope(
  expr: Expr,
  filters: readonly { readonly label: string; readonly value: string }[],
): Expr {
  const forced = filters.map(({ label, value }): LabelFilter => {
    if (label === "" || value === "") throw new RangeError("a scope needs a label and a value");
    return { label, op: "=", value };
  });
  return rewrite(expr, (node) => {
    if (node.type !== "selector") return node;
    return {
      ...node,
      groups: node.groups.map((group) => [...group, ...forced.filter((one) => !has(group, one))]),
    };
  });
}

function has(group: readonly LabelFilter[], { label, op, value }: LabelFilter): boolean {
  return group.some((filter) => filter.label === label && filter.op === op && filter.value === value);
}
