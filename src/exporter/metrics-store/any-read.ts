import { scope } from "../metricsql/analysis/scope.ts";
import type { Expr } from "../metricsql/ast/ast.ts";
import { MetricsqlSyntaxError, parse } from "../metricsql/parse/parser.ts";
import { print } from "../metricsql/print/printer.ts";
import { writesTenantLabel } from "../policy/spec/tenant-label.ts";
import type { Series } from "../series/series.ts";
import { failure, type ReadFailure } from "./client/read-failure.ts";
import type { ReadRequest } from "./ports/sample-reader.ts";
import type { ScopedEvaluation, ScopedRead, ThinnedRead } from "./ports/scoped-reader.ts";

/** What a request is once its query is parsed. */
export type AnyRead = ScopedRead | ThinnedRead | ScopedEvaluation;

export function queryOf(read: AnyRead): Expr {
  return read.kind === "expression" ? read.expr : read.selector;
}

/** Reads with equal keys are the same read. */
export function keyOf(read: AnyRead): string {
  const { tenant, window } = read;
  return JSON.stringify([print(queryOf(read)), tenant, window.fromMs, window.toMs, ...ownKeyOf(read)]);
}

function ownKeyOf(read: AnyRead): readonly unknown[] {
  switch (read.kind) {
    case "raw":
      return [read.exemplarsFromMs];
    case "thinned":
      return [read.stepMs, "thinned"];
    case "expression":
      return [read.stepMs, read.name];
  }
}

/** The result of an expression may lack the tenant's label (`sum(x)`), but must not have another tenant's. */
export function violationOf(series: Series, { kind, tenant }: AnyRead): ReadFailure | undefined {
  if (tenant === undefined) return undefined;
  const value = series.label(tenant.label);
  if (value === tenant.value || (value === undefined && kind === "expression")) return undefined;
  return failure(
    "tenant_violation",
    `the store gave a series without ${tenant.label}=${JSON.stringify(tenant.value)}, which was forced on the query`,
  );
}

/** Parses a request and confines it to its tenant. @returns the read, or the reason it is impossible */
export function scopedRead(request: ReadRequest): AnyRead | ReadFailure {
  const { selector: text, name, stepMs, isThinned, tenant, window, exemplarsFromMs } = request;
  if (tenant !== undefined && (tenant.label === "" || tenant.value === "")) {
    // An empty value would match the series that lack the label, which belong to everybody.
    return failure("tenant_violation", "a tenant needs a label and a value that are not empty");
  }
  try {
    const expr = parse(text);
    if (tenant !== undefined && writesTenantLabel(expr, tenant.label)) {
      return failure(
        "tenant_violation",
        `the expression writes ${tenant.label}, the label that distinguishes tenants`,
      );
    }
    const scoped = tenant === undefined ? expr : scope(expr, [tenant]);
    if (scoped.type !== "selector") return { kind: "expression", expr: scoped, name, stepMs, tenant, window };
    return isThinned === true
      ? { kind: "thinned", selector: scoped, stepMs, tenant, window }
      : { kind: "raw", selector: scoped, tenant, window, exemplarsFromMs };
  } catch (error) {
    if (error instanceof MetricsqlSyntaxError) return failure("unsupported_selector", error.message);
    throw error;
  }
}
