import type { Expr } from "../metricsql/ast.ts";
import { kind } from "../metricsql/kind.ts";
import { MetricsqlSyntaxError, parse } from "../metricsql/parser.ts";
import { caret } from "../metricsql/syntax-error.ts";

/** What keeps a source's MetricsQL from being exported, or undefined. */
export function checkMetricsql(text: string): { message: string; excerpt?: string } | undefined {
  let expr: Expr;
  try {
    expr = parse(text);
  } catch (error) {
    if (!(error instanceof MetricsqlSyntaxError)) throw error;
    const place = text.includes("\n")
      ? `line ${error.line}, column ${error.column}`
      : `column ${error.column}`;
    return {
      message: `is not MetricsQL: ${error.message} (${place})`,
      excerpt: caret(text, { message: "", offset: error.offset }).trimEnd(),
    };
  }
  const refusal = kindRefusal(expr);
  return refusal === undefined ? undefined : { message: refusal };
}

/** The one place that decides which kinds of MetricsQL can be a source. */
export function kindRefusal(expr: Expr): string | undefined {
  if (kind(expr) === "selector") return undefined;
  return 'must be one series selector such as {job="web"} or http_requests_total{code=~"5.."}; expressions cannot be exported yet';
}
