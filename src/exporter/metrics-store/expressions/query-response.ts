import { isUtf8 } from "node:buffer";
import { parseJson } from "../../../base/documents/parse-json.ts";
import { redact } from "../../../base/log/redact.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";

/** Response of a store's query API (https://prometheus.io/docs/prometheus/latest/querying/api/). */
export interface QueryResponse {
  readonly kind: "response";
  readonly resultType: "matrix" | "vector" | "scalar" | "string";
  readonly series: readonly QuerySeries[];
}

export interface QuerySeries {
  /** As received; U+FFFD replaces bytes that are not UTF-8. */
  readonly labels: Readonly<Record<string, string>>;
  readonly isUtf8: boolean;
  readonly points: readonly QueryPoint[];
  /** The series has native histograms, which are not among the points. */
  readonly hasHistograms: boolean;
}

export interface QueryPoint {
  readonly timestampMs: number;
  /** As received: a number, `NaN`, `+Inf`, `-Inf`. */
  readonly text: string;
}

/** Parses the body of a 2xx response of `/api/v1/query` or `/api/v1/query_range`. */
export function parseQueryResponse(body: Buffer): QueryResponse | ReadFailure {
  let response: unknown;
  try {
    response = parseJson(body.toString("utf8"));
  } catch {
    return malformed("it is not JSON");
  }
  if (!isObject(response)) return malformed("it is no object");
  if (response["status"] !== "success") {
    return failure(
      "store_error",
      `the store responded with 200, but with the error: ${String(response["error"])}`,
    );
  }
  if (response["isPartial"] === true) {
    return failure(
      "partial_answer",
      "the store could reach only some of its nodes: the response lacks series",
    );
  }
  const warning = storageWarning(response["warnings"]);
  if (warning !== undefined) {
    return failure("partial_answer", `the store warns of its own response: ${redact(warning).slice(0, 500)}`);
  }
  const { data } = response;
  if (!isObject(data) || !Array.isArray(data["result"])) return malformed("it has no result");
  const resultType = data["resultType"];
  const { result } = data;
  if (resultType === "scalar" || resultType === "string") {
    const point = pointOf(result);
    if (point === undefined) return malformed("its result is no point");
    const single = { labels: {}, isUtf8: true, points: [point], hasHistograms: false };
    return { kind: "response", resultType, series: [single] };
  }
  if (resultType !== "matrix" && resultType !== "vector") {
    return malformed(`its result is of the type ${String(resultType)}`);
  }
  const isText = isUtf8(body);
  const series: QuerySeries[] = [];
  for (const item of result) {
    const one = seriesOf(item, isText);
    if (one === undefined) return malformed("one of its series is none");
    series.push(one);
  }
  return { kind: "response", resultType, series };
}

/**
 * The first of a response's `warnings` about storage that could not be read in full (Prometheus' remote
 * storage, Thanos' stores, Cortex' zones), or undefined. Those about the expression begin alike (Prometheus,
 * util/annotations).
 */
export function storageWarning(warnings: unknown): string | undefined {
  if (!Array.isArray(warnings)) return undefined;
  const found: unknown = warnings.find((one) => typeof one !== "string" || !harmlessWarning.test(one));
  return found === undefined || typeof found === "string" ? found : "a warning that is no text";
}

/** Also of older Thanos Queriers whose stores have nothing of the time or the labels. */
const harmlessWarning =
  /^(?:PromQL (?:warning|info)\b|\d{1,9} more (?:warning|info) annotations omitted$|No StoreAPIs matched)/;

function seriesOf(item: unknown, isText: boolean): QuerySeries | undefined {
  if (!isObject(item) || !isObject(item["metric"])) return undefined;
  const written: [string, string][] = [];
  for (const [name, value] of Object.entries(item["metric"])) {
    if (typeof value !== "string") return undefined;
    if (value !== "") written.push([name, value]);
  }
  // Assigned one by one, a label named __proto__ would be lost.
  const labels: Readonly<Record<string, string>> = Object.fromEntries(written);
  const hasHistograms = "histograms" in item || "histogram" in item;
  const pairs = item["values"] ?? (item["value"] === undefined ? [] : [item["value"]]);
  if (!Array.isArray(pairs)) return undefined;
  const points: QueryPoint[] = [];
  for (const pair of pairs) {
    const point = pointOf(pair);
    if (point === undefined) return undefined;
    points.push(point);
  }
  return { labels, isUtf8: isText || !hasReplacement(labels), points, hasHistograms };
}

/** `[1435781430.781, "1"]` */
function pointOf(pair: unknown): QueryPoint | undefined {
  if (!Array.isArray(pair) || pair.length !== 2) return undefined;
  const [seconds, text] = pair as unknown[];
  if (typeof seconds !== "number" || typeof text !== "string") return undefined;
  return { timestampMs: Math.round(seconds * 1_000), text };
}

function hasReplacement(labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).some(([name, value]) => name.includes("\uFFFD") || value.includes("\uFFFD"));
}

/** The value of a point, or undefined if it is not a number. */
export function pointValue(text: string): number | undefined {
  switch (text) {
    case "NaN":
      return Number.NaN;
    case "Inf":
    case "+Inf":
      return Number.POSITIVE_INFINITY;
    case "-Inf":
      return Number.NEGATIVE_INFINITY;
    default: {
      const value = text.trim() === "" ? Number.NaN : Number(text);
      return Number.isNaN(value) ? undefined : value;
    }
  }
}

function malformed(what: string): ReadFailure {
  return failure("malformed_answer", `the store's response cannot be understood: ${what}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
