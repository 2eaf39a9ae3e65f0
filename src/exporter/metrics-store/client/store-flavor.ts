import type { PrometheusMajor } from "../../metricsql/analysis/promql.ts";
import type { ReadFailure } from "./read-failure.ts";
import { failure } from "./read-failure.ts";
import type { StoreFlavor } from "./store-settings.ts";

/**
 * Detects the store's flavor from its response to `/api/v1/status/buildinfo`. VictoriaMetrics sends its host
 * name in every response, and no build details but a version for Grafana; Prometheus and its derivatives
 * (Thanos, Mimir, Cortex) report their revision.
 *
 * @returns undefined when the response is from none of these
 */
export function flavorOfBuildInfo(
  headers: Readonly<Record<string, unknown>>,
  body: string,
): StoreFlavor | undefined {
  if (headers["x-server-hostname"] !== undefined) return "victoriametrics";
  const response = parsed(body);
  if (!isObject(response) || response["status"] !== "success" || !isObject(response["data"]))
    return undefined;
  const { data } = response;
  return "revision" in data || "goVersion" in data || "application" in data
    ? "prometheus"
    : "victoriametrics";
}

/**
 * Detects the store's PromQL version from the same response. Defaults to Prometheus 3: for a build without a
 * version, and for derivatives of Prometheus with version numbers of their own. These stores themselves
 * reject expressions that they do not support.
 */
export function promqlOfBuildInfo(body: string): PrometheusMajor {
  const response = parsed(body);
  const data = isObject(response) ? response["data"] : undefined;
  if (!isObject(data) || "application" in data) return 3;
  return /^v?2\./.test(String(data["version"])) ? 2 : 3;
}

/** Detects the store's flavor from its response to a small raw export, which Prometheus does not have. */
export function flavorOfExport(
  response: { readonly kind: "response" } | ReadFailure,
): StoreFlavor | ReadFailure {
  if (response.kind === "response") return "victoriametrics";
  if (response.reason === "not_found") {
    return failure(
      "unknown_flavor",
      "the store knows neither /api/v1/status/buildinfo nor /api/v1/export nor /api/v1/query; is the path prefix of metrics.url right?",
    );
  }
  return response;
}

/**
 * Detects the store's flavor from its response to the query `1`, where it has no raw export: Cortex reports
 * its build only where that is enabled.
 */
export function flavorOfQuery(body: string): StoreFlavor | undefined {
  const response = parsed(body);
  const isResult = isObject(response) && response["status"] === "success" && isObject(response["data"]);
  return isResult ? "prometheus" : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
