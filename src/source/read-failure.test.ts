import { expect, test } from "vitest";
import { failureOfStatus, retryAfterMs } from "./read-failure.ts";

const nowMs = Date.parse("2026-11-21T00:00:00Z");

test.each([
  [302, "redirected"],
  [400, "bad_request"],
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "not_found"],
  [405, "not_found"],
  [408, "timeout"],
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

test("the message holds the store's words, or where it redirects to", () => {
  expect(failureOfStatus(422, {}, "too many series", nowMs).message).toBe(
    "the store answered 422: too many series",
  );
  expect(failureOfStatus(301, { location: "/login" }, "", nowMs).message).toBe(
    "the store answered 301 to /login",
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
