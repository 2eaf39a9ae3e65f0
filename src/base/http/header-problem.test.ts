import { expect, test } from "vitest";
import { headerProblem, remoteWriteHeaderProblem } from "./header-problem.ts";

test.each([
  ["X-Scope-OrgID", "acme", true, true],
  ["User-Agent", "x", true, false],
  ["Content-Encoding", "gzip", true, false],
  ["Content-Language", "en", true, false],
  ["X-Amz-Date", "x", true, false],
  ["Proxy-Connection", "close", false, false],
  ["authorization", "x", false, false],
  ["Host", "x", false, false],
  ["bad name", "x", false, false],
  ["X-A", "a\r\nX-B: b", false, false],
  ["X-A", "größe", true, true],
  ["X-A", "大", false, false],
])("header %s: %j", (name, value, toStore, toReceiver) => {
  expect(headerProblem(name, value) === undefined).toBe(toStore);
  expect(remoteWriteHeaderProblem(name, value) === undefined).toBe(toReceiver);
});
