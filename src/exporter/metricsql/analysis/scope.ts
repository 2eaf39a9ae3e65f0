import type { Call, Expr, LabelFilter } from "../ast/ast.ts";
import { rewrite } from "../ast/visit.ts";

export { labelsNamed } from "./labels.ts";

/**
 * Adds `label="value"` for each of the filters to every group of every selector in the expression, so that it
 * cannot read a series without these labels. The query's own filters on the same labels stay, so both must
 * hold. `info(v)`, which reads `target_info`, gets a selector of its own, and so adds no labels but theirs.
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
    if (isInfoOfAll(node)) {
      const own: Expr = { type: "selector", groups: [forced], pos: node.pos };
      return forced.length === 0 ? node : { ...node, args: [...node.args, own] };
    }
    if (node.type !== "selector") return node;
    return {
      ...node,
      groups: node.groups.map((group) => [...group, ...forced.filter((one) => !has(group, one))]),
    };
  });
}

/** Whether this is `info(v)`, which adds all labels of the series `target_info` whatever these belong to. */
export function isInfoOfAll(node: Expr): node is Call {
  return node.type === "call" && node.name === "info" && node.args.length === 1;
}

function has(group: readonly LabelFilter[], { label, op, value }: LabelFilter): boolean {
  return group.some((filter) => filter.label === label && filter.op === op && filter.value === value);
}
