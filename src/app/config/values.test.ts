import { expect, test } from "vitest";
import { addressRangeProblem, headerProblem, nameProblem, remoteWriteHeaderProblem } from "./values.ts";

test.each([
  ["10.0.0.0/8", true],
  ["10.1.2.3", true],
  ["fd00::/8", true],
  ["::1", true],
  ["10.0.0.0/33", false],
  ["2130706433", false],
  ["localhost", false],
])("address range %s", (text, good) => {
  expect(addressRangeProblem(text) === undefined).toBe(good);
});

test.each([
  ["web", true],
  ["my.domain-1", true],
  ["Web", false],
  ["-web", false],
  ["a..b", false],
  ["a/b", false],
])("name %s", (text, good) => {
  expect(nameProblem(text) === undefined).toBe(good);
});

test.each([
  ["X-Scope-OrgID", "acme", true, true],
  ["User-Agent", "x", true, false],
  ["Content-Encoding", "gzip", true, false],
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
