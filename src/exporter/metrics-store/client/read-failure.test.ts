import { expect, test } from "vitest";
import {
  failure,
  failureOfStatus,
  type ReadFailureReason,
  retryAfterMs,
  tenantMessage,
} from "./read-failure.ts";

const nowMs = Date.parse("2026-11-21T00:00:00Z");

test.each([
  [302, "redirected"],
  [400, "bad_request"],
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "not_found"],
  [405, "not_found"],
  [408, "timeout"],
  [413, "answer_too_large"],
  [422, "bad_request"],
  [429, "overloaded"],
  [500, "server_error"],
  [503, "overloaded"],
  [504, "timeout"],
  [599, "server_error"],
  [199, "unexpected_status"],
])("status %i is %s", (status, reason) => {
  expect(failureOfStatus(status, {}, "", nowMs).reason).toBe(reason);
});

const unreachableNode =
  'error when exporting data for query="{}": error occured during search: cannot fetch query results from ' +
  "vmstorage nodes: cannot perform search on vmstorage vmstorage-1:8401: cannot obtain connection from a pool";

test.each([
  ["a vmselect without one of its nodes", unreachableNode, "partial_answer"],
  [
    "the same, of the query API",
    JSON.stringify({ status: "error", errorType: "503", error: unreachableNode }),
    "partial_answer",
  ],
  [
    "a busy VictoriaMetrics",
    "cannot handle more than 16 concurrent search requests during 10s; possible solutions: …",
    "overloaded",
  ],
  ["a proxy without a store", "upstream connect error", "overloaded"],
])("503 of %s", (_, body, reason) => {
  const found = failureOfStatus(503, { "retry-after": "7" }, body, nowMs);
  expect(found).toMatchObject({ reason, retryAfterMs: 7_000 });
  if (reason === "partial_answer") expect(tenantMessage(found)).not.toContain("vmstorage-1");
});

test("the message holds the store's words, or where it redirects to", () => {
  expect(failureOfStatus(422, {}, "too many series", nowMs).message).toBe(
    "the store responded with 422: too many series",
  );
  expect(failureOfStatus(301, { location: "/login" }, "", nowMs).message).toBe(
    "the store responded with 301 to /login",
  );
});

test.each([
  ["7", 7_000],
  ["0", 0],
  ["Sat, 21 Nov 2026 00:01:00 GMT", 60_000],
  ["Fri, 20 Nov 2026 00:01:00 GMT", 0],
  ["soon", undefined],
  ["-1x", undefined],
  [undefined, undefined],
])("Retry-After %s is %s ms", (header, expected) => {
  expect(retryAfterMs(header, nowMs)).toBe(expected);
});

test.each<[ReadFailureReason, string, string]>([
  [
    "unreachable",
    "the store at http://vm:8428 cannot be reached: ECONNREFUSED 10.0.0.1",
    "the metrics store cannot be read at present",
  ],
  [
    "server_error",
    "the store responded with 500: vmstorage-1:8400 is away",
    "the metrics store cannot be read at present",
  ],
  ["credentials_unreadable", "the file /etc/x cannot be used", "the metrics store cannot be read at present"],
  [
    "not_found",
    "the store responded with 404; is the path prefix of metrics.url right?",
    "the metrics store cannot be read at present",
  ],
  ["overloaded", "the store responded with 503: vmselect:8481", "the metrics store is overloaded"],
  // The writer of a query must fix its faults, so the message is kept.
  ["unsupported_selector", "unexpected ]", "unexpected ]"],
  [
    "bad_request",
    "the store responded with 422: 10.0.0.1:8400: too many series",
    "the store responded with 422: …: too many series",
  ],
  [
    "answer_too_large",
    "the store responded with 413: store-gateway 10.0.0.1:9095 has more than that",
    "the store responded with 413: store-gateway … has more than that",
  ],
])("of %s (%s) a tenant learns: %s", (reason, message, told) => {
  expect(tenantMessage(failure(reason, message))).toBe(told);
});
