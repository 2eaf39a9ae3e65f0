import { isInfoOfAll } from "../../metricsql/analysis/scope.ts";
import type { Expr } from "../../metricsql/ast/ast.ts";
import { walk } from "../../metricsql/ast/visit.ts";
import { MetricsqlSyntaxError, parse } from "../../metricsql/parse/parser.ts";
import { caret } from "../../metricsql/parse/syntax-error.ts";
import { namesTenantLabel } from "./tenant-label.ts";

/**
 * The reason a source's MetricsQL cannot be exported, or undefined.
 *
 * @param tenantLabel is forced on every query of the policy's tenant, who must not name it, and so cannot
 *   write it
 */
export function checkMetricsql(
  text: string,
  tenantLabel?: string,
): { message: string; excerpt?: string } | undefined {
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
  if (!tenantLabel) return undefined;
  let info: Expr | undefined;
  walk(expr, (node) => {
    if (isInfoOfAll(node)) info ??= node;
  });
  if (info !== undefined) {
    return {
      message: `must name the labels that info() adds, as in info(v, {version=~".+"}): without, those of all projects' target_info would count`,
      excerpt: caret(text, { message: "", offset: info.pos }).trimEnd(),
    };
  }
  if (!namesTenantLabel(expr, tenantLabel)) return undefined;
  return {
    message: `must not name the label ${tenantLabel}, nor one that becomes it when names are made legal: it distinguishes projects, and is added to every query by itself`,
  };
}
