import { kind } from "../metricsql/ast/kind.ts";
import { MetricsqlSyntaxError, parse } from "../metricsql/parse/parser.ts";

/**
 * How a source's MetricsQL is read: a plain series selector as the raw samples that are stored, any other expression by
 * evaluation on a grid of times, which must stay further behind now. What is no MetricsQL fails when it is read, however
 * that would be.
 */
export function sourceKind(metricsql: string): "raw" | "expression" {
  try {
    return kind(parse(metricsql)) === "selector" ? "raw" : "expression";
  } catch (error) {
    if (error instanceof MetricsqlSyntaxError) return "raw";
    throw error;
  }
}
