import { expect, test } from "vitest";
import { githubFailure } from "./github-failure.ts";

const nowMs = Date.UTC(2026, 10, 1, 12);
const inTenMinutes = String(nowMs / 1_000 + 600);

function http(status: number, headers: Record<string, string> = {}, message = "no"): Error {
  return Object.assign(new Error(message), { status, response: { headers } });
}

function inside200(type: string, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error("response errors"), { errors: [{ type, message: "no" }], headers });
}

test.each([
  ["primary limit", http(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inTenMinutes }), 601_000],
  [
    "primary limit in a 200",
    inside200("RATE_LIMITED", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inTenMinutes }),
    601_000,
  ],
  ["secondary limit with a time", http(403, { "retry-after": "30" }), 30_000],
  ["secondary limit without a time", http(403, {}, "You have exceeded a secondary rate limit"), 60_000],
  [
    "429 with both: retry-after rules",
    http(429, { "retry-after": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset": inTenMinutes }),
    5_000,
  ],
  ["429 with nothing", http(429), 60_000],
  ["a reset that has passed", http(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }), 1_000],
  ["an absurd time", http(429, { "retry-after": "999999999" }), 7_200_000],
])("%s: waits", (_name, error, retryAfterMs) => {
  expect(githubFailure(error, nowMs)).toMatchObject({ kind: "rate-limited", retryAfterMs });
});

test("the reset is counted by the service's own clock", () => {
  const theirs = new Date(nowMs + 300_000).toUTCString();
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inTenMinutes, date: theirs };
  expect(githubFailure(http(403, headers), nowMs - 9e9).retryAfterMs).toBe(301_000);
});

test.each([
  [http(401), "unauthorized"],
  [http(403), "forbidden"],
  [http(404), "not-found"],
  [http(502), "unavailable"],
  [inside200("NOT_FOUND"), "not-found"],
  [inside200("FORBIDDEN"), "forbidden"],
  [inside200("SOMETHING"), "unavailable"],
  [new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }), "unavailable"],
  ["text", "unavailable"],
])("%s is %s and names no pause", (error, kind) => {
  const failure = githubFailure(error, nowMs);
  expect(failure.kind).toBe(kind);
  expect(failure.retryAfterMs).toBeUndefined();
});

test("without a response there is no HTTP status", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { status: 500 });
  expect(githubFailure(refused, nowMs)).toEqual({
    kind: "unavailable",
    message: "connect ECONNREFUSED 127.0.0.1:1",
  });
  expect(githubFailure(http(500), nowMs).message).toBe("HTTP 500: no");
});

test("an unavailable service that says when is left alone until then", () => {
  expect(githubFailure(http(503, { "retry-after": "10" }), nowMs).retryAfterMs).toBe(10_000);
});

test("a long or secret text is cut", () => {
  const { message } = githubFailure(http(500, {}, `https://u:p4ss@h/ ${"x".repeat(999)}`), nowMs);
  expect(message.length).toBeLessThan(330);
  expect(message).not.toContain("p4ss");
});
