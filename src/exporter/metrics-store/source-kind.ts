import { kind } from "../metricsql/ast/kind.ts";
import { MetricsqlSyntaxError, parse } from "../metricsql/parse/parser.ts";

/**
 * The way a source's MetricsQL is read: a plain series selector as the raw samples stored, any other
 * expression by evaluation on a grid of times, which needs a longer delay. Invalid MetricsQL fails when it is
 * read, in either way.
 */
export function sourceKind(metricsql: string): "raw" | "expression" {
  try {
    return kind(parse(metricsql)) === "selector" ? "raw" : "expression";
  } catch (error) {
    if (error instanceof MetricsqlSyntaxError) return "raw";
    throw error;
  }
}
