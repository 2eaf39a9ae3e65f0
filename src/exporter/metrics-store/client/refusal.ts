import { redact } from "../../../base/log/redact.ts";

/** Limits on one query that a shorter span keeps, in Mimir's catalog of errors ("err-mimir-…" in its runbooks). */
const spanLimits: ReadonlySet<string> = new Set([
  "max-chunks-per-query",
  "max-chunks-bytes-per-query",
  "max-estimated-chunks-per-query",
  "max-estimated-memory-consumption-per-query",
  "max-query-length",
  "max-total-query-length",
]);

const mimirError = /\berr-mimir-([a-z-]{1,60})/;

/** Whether a store's error body, as `refusalText` gives it, names a limit that a shorter span keeps. */
export function namesSpanLimit(text: string): boolean {
  return spanLimits.has(mimirError.exec(text)?.[1] ?? "");
}

/**
 * Whether the text of a 503 says that nodes are missing: a vmselect that denies a partial response ("cannot
 * fetch query results from vmstorage nodes: …") responds with the status that it has for too many queries.
 */
export function namesMissingNodes(text: string): boolean {
  return text.includes(" from vmstorage nodes: ");
}

/**
 * The text of a store's error body: the message within the JSON of Prometheus' API (its `error`), which
 * Prometheus, Thanos, Mimir and Cortex share; any other body unchanged.
 */
export function refusalText(body: string): string {
  if (!body.startsWith("{")) return body;
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    // Unescaped, the text may show what redaction did not recognize before.
    return typeof error === "string"
      ? redact(error)
          .replace(/[\s\p{Cc}]+/gu, " ")
          .trim()
      : body;
  } catch {
    return body;
  }
}

/** For a person; nothing is decided by these texts. Mimir's messages name the setting themselves. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /\bno org id\b/,
    "the store wants a tenant: set metrics.tenancy: header for one per project, or X-Scope-OrgID in metrics.headers",
  ],
  [/max number of series limit/, "select fewer series, or raise -querier.max-fetched-series-per-query"],
  [/max number of chunks limit/, "select fewer series, or raise -querier.max-fetched-chunks-per-query"],
  [/chunks size limit/, "select fewer series, or raise -querier.max-fetched-chunk-bytes-per-query"],
  [/data size limit/, "select fewer series, or raise -querier.max-fetched-data-bytes-per-query"],
  [/query time range exceeds the limit/, "raise -store.max-query-length, or lower delivery.maxWindow"],
  [
    /response larger than the max message size/,
    "select fewer series, or raise -querier.frontend-client.grpc-max-send-msg-size",
  ],
  [/exceeded sample limit/, "select fewer series, or raise --storage.remote.read-sample-limit"],
  [
    /too many outstanding requests/,
    "lower metrics.concurrency, or raise the store's max-outstanding-requests",
  ],
];

/** The setting to change after a refusal with this text, if it is known and the text does not name it. */
export function remedyOf(text: string): string | undefined {
  return mimirError.test(text) ? undefined : remedies.find(([pattern]) => pattern.test(text))?.[1];
}
