import { expect, test } from "vitest";
import { failureOfStatus } from "./read-failure.ts";
import { refusalText } from "./refusal.ts";

const json = (errorType: string, error: string) => JSON.stringify({ status: "error", errorType, error });
const mimirLimit = (what: string, id: string, flag: string) =>
  `the query ${what} (err-mimir-${id}). To adjust the related per-tenant limit, configure -${flag}, or contact your service administrator.`;
const mimirChunks = mimirLimit(
  "exceeded the maximum number of chunks (limit: 5 chunks)",
  "max-chunks-per-query",
  "querier.max-fetched-chunks-per-query",
);
const mimirSeries = mimirLimit(
  "exceeded the maximum number of series (limit: 5 series)",
  "max-series-per-query",
  "querier.max-fetched-series-per-query",
);
const mimirLength = mimirLimit(
  "time range exceeds the limit (query length: 5m0s, limit: 2m0s)",
  "max-total-query-length",
  "query-frontend.max-total-query-length",
);

// Bodies of the real programs, shortened.
test.each([
  ["Mimir, remote read: chunks", 400, mimirChunks, "answer_too_large", mimirChunks],
  ["Mimir, expression: chunks", 422, json("execution", mimirChunks), "answer_too_large", mimirChunks],
  [
    "Mimir, remote read: a long span",
    400,
    json("bad_data", `remote read error (matchers_0: {a="b"}): ${mimirLength}`),
    "answer_too_large",
    `remote read error (matchers_0: {a="b"}): ${mimirLength}`,
  ],
  ["Mimir: series", 400, mimirSeries, "bad_request", mimirSeries],
  [
    "Mimir: an identifier that is not known",
    422,
    "no (err-mimir-query-blocked)",
    "bad_request",
    "no (err-mimir-query-blocked)",
  ],
  [
    "Mimir, Cortex: no tenant",
    401,
    "no org id",
    "unauthorized",
    "no org id; the store wants a tenant: set metrics.tenancy: header for one per project, or X-Scope-OrgID in metrics.headers",
  ],
  [
    "Mimir: a full queue",
    429,
    json("too_many_requests", "too many outstanding requests"),
    "overloaded",
    "too many outstanding requests; lower metrics.concurrency, or raise the store's max-outstanding-requests",
  ],
  [
    "Mimir: a large response",
    413,
    "response larger than the max message size (49883 vs 30000)",
    "answer_too_large",
    "response larger than the max message size (49883 vs 30000); select fewer series, or raise -querier.frontend-client.grpc-max-send-msg-size",
  ],
  [
    "Cortex: series",
    400,
    "the query hit the max number of series limit (limit: 5 series)",
    "bad_request",
    "the query hit the max number of series limit (limit: 5 series); select fewer series, or raise -querier.max-fetched-series-per-query",
  ],
  [
    "Cortex: chunks",
    400,
    "the query hit the max number of chunks limit (limit: 5 chunks)",
    "bad_request",
    "the query hit the max number of chunks limit (limit: 5 chunks); select fewer series, or raise -querier.max-fetched-chunks-per-query",
  ],
  [
    "Cortex: bytes of chunks",
    400,
    "the query hit the aggregated chunks size limit (limit: 100 bytes)",
    "bad_request",
    "the query hit the aggregated chunks size limit (limit: 100 bytes); select fewer series, or raise -querier.max-fetched-chunk-bytes-per-query",
  ],
  [
    "Cortex: bytes of data",
    422,
    json("execution", "expanding series: the query hit the aggregated data size limit (limit: 100 bytes)"),
    "bad_request",
    "expanding series: the query hit the aggregated data size limit (limit: 100 bytes); select fewer series, or raise -querier.max-fetched-data-bytes-per-query",
  ],
  [
    "Cortex: a long span",
    400,
    "the query time range exceeds the limit (query length: 5m0s, limit: 2m0s)",
    "bad_request",
    "the query time range exceeds the limit (query length: 5m0s, limit: 2m0s); raise -store.max-query-length, or lower delivery.maxWindow",
  ],
  [
    "Prometheus, remote read: samples",
    400,
    "exceeded sample limit (5)",
    "bad_request",
    "exceeded sample limit (5); select fewer series, or raise --storage.remote.read-sample-limit",
  ],
  [
    "Prometheus: syntax",
    400,
    json("bad_data", 'invalid parameter "query": 1:5: parse error: unclosed left parenthesis'),
    "bad_request",
    'invalid parameter "query": 1:5: parse error: unclosed left parenthesis',
  ],
])("%s", (_, status, body, reason, text) => {
  expect(failureOfStatus(status, {}, body, 0)).toMatchObject({
    reason,
    message: `the store responded with ${status}: ${text}`,
  });
});

test.each([
  ["a page", "<html>", "<html>"],
  ["JSON that is cut off", '{"status":"error","error":"a', '{"status":"error","error":"a'],
  ["JSON of another kind", '{"message":"no"}', '{"message":"no"}'],
  ["an error that is no text", '{"error":{"code":7}}', '{"error":{"code":7}}'],
  ["lines and control characters", json("x", "one\n two\u001b[31m three"), "one two [31m three"],
  [
    "a credential that only shows unescaped",
    '{"error":"at http\\u003a//me\\u003asecret\\u0040vm/"}',
    "at http://***@vm/",
  ],
])("the text of %s", (_, body, text) => {
  expect(refusalText(body)).toBe(text);
});
