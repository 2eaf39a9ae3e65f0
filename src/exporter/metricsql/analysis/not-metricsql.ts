import type { BinaryOp, Duration, Expr } from "../ast/ast.ts";
import { functionInfo } from "../ast/functions.ts";
import { walk } from "../ast/visit.ts";
import type { Remark } from "./warnings.ts";

/**
 * The reasons VictoriaMetrics would reject the expression, in the order of the text: what only PromQL has.
 * Empty for MetricsQL; an older VictoriaMetrics may still lack a part of that.
 */
export function notMetricsql(expr: Expr): readonly Remark[] {
  const remarks: Remark[] = [];
  walk(expr, (node) => {
    const { pos } = node;
    for (const what of reasons(node)) remarks.push({ message: `${what}, which only Prometheus knows`, pos });
  });
  return remarks.sort((a, b) => a.pos - b.pos);
}

function reasons(node: Expr): readonly string[] {
  switch (node.type) {
    case "call":
    case "aggregate":
      if (functionInfo(node.name)?.promql) return [`the function ${node.name}()`];
      return node.name === "histogram_quantiles" && node.args[0]?.type !== "string"
        ? ["histogram_quantiles() with the histogram first"]
        : [];
    case "rollup": {
      const arithmetic = [node.window, node.step, node.offset].find((duration) => duration?.arithmetic);
      return [
        ...(arithmetic ? [`the duration ${arithmetic.text}`] : []),
        ...(node.extension ? [`"${node.extension}"`] : []),
      ];
    }
    case "binary":
      return isTrim(node.op) ? [`the operator "${node.op}"`] : [];
    default:
      return [];
  }
}

/** Whether the operator trims native histograms. */
export function isTrim(op: BinaryOp): boolean {
  return op === "</" || op === ">/";
}

/** Whether the duration depends on the bounds of the query. */
export function usesRange(duration: Duration | undefined): boolean {
  return duration?.arithmetic === true && duration.text.includes("range()");
}
