import { expect, test } from "vitest";
import { type RequestHead, routeOf } from "./route.ts";

function routeFor(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  hasWebhook = false,
): unknown {
  const all = { host: "a", ...headers };
  const request: RequestHead = {
    ...{ method, url, headers: all, httpVersion: "1.1" },
    rawHeaders: Object.entries(all).flat(),
  };
  const route = routeOf(request, hasWebhook);
  return typeof route === "string" ? route : route.status;
}

test.each([
  ["/roadmap", "page"],
  ["/roadmap?a=%zz", "page"],
  ["/%72oadmap", "page"],
  ["http://a/roadmap", "page"],
  ["HTTPS://a:1/roadmap?a", "page"],
  ["/api/roadmap/backlog-meta", "legacyStatus"],
  ["/roadmap/", 404],
  ["//a/roadmap", 404],
  ["/roadmap%2f", 404],
  ["/roadmap%3fa", 404],
  ["/__proto__", 404],
  ["http://a", 404],
  ["*", 404],
  ["/%zz", 400],
  ["/%e2%82", 400],
  [`/${"x".repeat(9_000)}`, 414],
])("GET %s: %s", (url, expected) => {
  expect(routeFor("GET", url)).toBe(expected);
});

test.each([
  ["HEAD", "/roadmap", "page"],
  ["OPTIONS", "/roadmap", 204],
  ["POST", "/roadmap", 405],
  ["POST", "/%72oadmap", 405],
  ["POST", "/nowhere", 404],
  ["OPTIONS", "*", 404],
])("%s %s: %s", (method, url, expected) => {
  expect(routeFor(method, url)).toBe(expected);
});

test.each([
  ["content-length", "3", "status"],
  ["content-length", "20000", 413],
  ["transfer-encoding", "chunked", 411],
])("a body by %s: %s gets %s", (name, value, expected) => {
  expect(routeFor("GET", "/api/v1/roadmap/backlog-meta", { [name]: value })).toBe(expected);
});

test("a refusal of a request with a body ends the connection, one without does not", () => {
  const head = { url: "/nowhere", method: "POST", httpVersion: "1.1", rawHeaders: ["Host", "a"] };
  expect(routeOf({ ...head, headers: { "content-length": "1" } }, false)).toMatchObject({
    headers: ["Connection", "close", "Cache-Control", "no-store"],
  });
  expect(routeOf({ ...head, headers: {} }, false)).toMatchObject({ headers: ["Cache-Control", "no-store"] });
});

test.each([
  ["POST", "/api/webhooks/board", "webhook"],
  ["POST", "/api/webhooks/board?a", "webhook"],
  ["GET", "/api/webhooks/board", 405],
  ["OPTIONS", "/api/webhooks/board", 405],
  ["POST", "/api/webhooks/board/", 404],
  ["GET", "/roadmap", "page"],
])("with webhooks, %s %s: %s", (method, url, expected) => {
  expect(routeFor(method, url, { "transfer-encoding": "chunked" }, true)).toBe(
    expected === "webhook" || expected === 405 ? expected : 411,
  );
  expect(routeFor(method, url, {}, true)).toBe(expected);
});

test("without webhooks, their path is an unknown one", () => {
  for (const method of ["POST", "GET"]) expect(routeFor(method, "/api/webhooks/board")).toBe(404);
});
