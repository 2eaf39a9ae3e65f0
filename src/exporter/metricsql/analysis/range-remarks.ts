import type { Expr } from "../ast/ast.ts";
import { walk } from "../ast/visit.ts";
import { usesRange } from "./not-metricsql.ts";
import type { Remark } from "./warnings.ts";

/** Functions and aggregates whose value at a point depends on the result's other points or bounds. */
const ofRange =
  /^(?:range_(?!over_time$)\w+|running_\w+|(?:top|bottom)k_\w+|outliersk|keep_last_value|keep_next_value|interpolate|smooth_exponential|remove_resets|drop_empty_series|start|end|range)$/;

/** Functions that return a different value each time. */
const ofChance = /^(?:rand|rand_exponential|rand_normal|now)$/;

/**
 * Remarks on expressions that mean something else in an export than in a graph: an export has no range; each
 * point is evaluated alone, and possibly again.
 */
export function rangeRemarks(expr: Expr): readonly Remark[] {
  const remarks: Remark[] = [];
  walk(expr, (node) => {
    if (node.type === "rollup" && [node.window, node.step, node.offset].some(usesRange))
      remarks.push({
        message: "range() looks at the whole range of a graph, and is zero here",
        pos: node.pos,
      });
    if (node.type !== "call" && node.type !== "aggregate") return;
    const { name, pos } = node;
    if (ofRange.test(name)) {
      remarks.push({
        message: `${name}() looks at the whole range of a graph; here each point is evaluated alone`,
        pos,
      });
    } else if (ofChance.test(name)) {
      remarks.push({
        message: `${name}() gives another value each time, so a point that is read again differs`,
        pos,
      });
    }
  });
  return remarks;
}
