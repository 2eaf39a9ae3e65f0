import type { Expr } from "./ast.ts";

/**
 * The way an expression is read from a store: a plain series selector (no window, offset, `@`) by raw export,
 * anything else by evaluation.
 */
export function kind(expr: Expr): "selector" | "expression" {
  return expr.type === "selector" ? "selector" : "expression";
}
