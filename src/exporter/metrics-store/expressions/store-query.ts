import { notMetricsql } from "../../metricsql/analysis/not-metricsql.ts";
import { type PrometheusMajor, promqlOnly } from "../../metricsql/analysis/promql.ts";
import { scope } from "../../metricsql/analysis/scope.ts";
import type { Remark } from "../../metricsql/analysis/warnings.ts";
import type { Expr } from "../../metricsql/ast/ast.ts";
import { print } from "../../metricsql/print/printer.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import type { StoreFlavor } from "../client/store-settings.ts";
import type { Tenant } from "../ports/scoped-reader.ts";
import { endSeconds, tenantFilter } from "../victoriametrics/victoriametrics-reader.ts";
import type { Grid } from "./grid.ts";
import { parseQueryResponse, type QueryResponse } from "./query-response.ts";

/** An expression to evaluate for a tenant. Requests are printed from this tree, never from a user's text. */
interface ScopedExpression {
  /** Already confined to the tenant: see `scopedExpression`. */
  readonly expr: Expr;
  readonly tenant?: Tenant | undefined;
}

/** Longer bodies are not read; the caller must request less. */
const defaultMaxResponseBytes = 32 * 2 ** 20;

export function scopedExpression(expr: Expr, tenant: Tenant | undefined): ScopedExpression {
  return { expr: tenant === undefined ? expr : scope(expr, [tenant]), tenant };
}

/** Evaluates at the points of a grid by `/api/v1/query_range`, without caching or adjusting the times. */
export function queryRange(
  client: StoreClient,
  flavor: StoreFlavor,
  query: ScopedExpression,
  grid: Grid,
  onBytes: (bytes: number) => boolean,
  signal: AbortSignal,
  maxResponseBytes: number = defaultMaxResponseBytes,
): Promise<QueryResponse | ReadFailure | "stopped"> {
  const times = { start: endSeconds(grid.firstMs), end: endSeconds(grid.lastMs), step: `${grid.stepMs}ms` };
  return request(client, flavor, "/api/v1/query_range", query, times, onBytes, signal, maxResponseBytes);
}

/** Evaluates at one time by `/api/v1/query`. */
export function queryInstant(
  client: StoreClient,
  flavor: StoreFlavor,
  query: ScopedExpression,
  timeMs: number,
  signal: AbortSignal,
): Promise<QueryResponse | ReadFailure | "stopped"> {
  return request(
    client,
    flavor,
    "/api/v1/query",
    query,
    { time: endSeconds(timeMs) },
    () => true,
    signal,
    defaultMaxResponseBytes,
  );
}

/**
 * The reason a Prometheus rejects the expression or reads it differently, or undefined. Only the store knows
 * which features are enabled.
 */
function promqlProblem(expr: Expr, major: PrometheusMajor): string | undefined {
  return problemOf(
    `Prometheus ${major}`,
    promqlOnly(expr, major).filter(({ feature }) => feature === undefined),
  );
}

/** The reason a VictoriaMetrics rejects the expression, whatever its version, or undefined. */
function metricsqlProblem(expr: Expr): string | undefined {
  return problemOf("VictoriaMetrics", notMetricsql(expr));
}

function problemOf(store: string, remarks: readonly Remark[]): string | undefined {
  const [first, ...others] = remarks.map(({ message }) => message);
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `the store is ${store}, which does not take this expression: ${first}${more}`;
}

async function request(
  client: StoreClient,
  flavor: StoreFlavor,
  path: string,
  { expr, tenant }: ScopedExpression,
  times: Readonly<Record<string, string>>,
  onBytes: (bytes: number) => boolean,
  signal: AbortSignal,
  maxResponseBytes: number,
): Promise<QueryResponse | ReadFailure | "stopped"> {
  const isPrometheus = flavor === "prometheus";
  const problem = isPrometheus ? promqlProblem(expr, await client.promql(signal)) : metricsqlProblem(expr);
  if (problem !== undefined) return failure("unsupported_selector", problem);
  const form = new URLSearchParams({
    query: print(expr, isPrometheus ? "promql" : "metricsql"),
    ...times,
    timeout: `${Math.ceil(client.timeouts.readMs / 1_000)}s`,
    // Without it, VictoriaMetrics moves the times to a grid of its own.
    nocache: "1",
    // Without it, Thanos leaves out the series of stores that it cannot reach.
    partial_response: "false",
  });
  // The expression is already confined; this confines it even if the store parses it differently.
  if (tenant !== undefined && flavor === "victoriametrics") form.set("extra_filters[]", tenantFilter(tenant));
  const pieces: Buffer[] = [];
  let held = 0;
  const response = await client.request(
    { path, form },
    (chunk) => {
      held += chunk.length;
      // A copy: a chunk's bytes are valid only until this returns.
      if (held <= maxResponseBytes) pieces.push(Buffer.from(chunk));
      return onBytes(chunk.length) && held <= maxResponseBytes;
    },
    signal,
  );
  if (response.kind !== "response") return response;
  if (held > maxResponseBytes) {
    return failure("answer_too_large", `the expression's result is more than ${maxResponseBytes} bytes`);
  }
  return response.whole ? parseQueryResponse(Buffer.concat(pieces)) : "stopped";
}
