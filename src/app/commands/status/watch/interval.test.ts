import { expect, test } from "vitest";
import { intervalRule, parseInterval } from "./interval.ts";

test.each([
  ["2s", 2_000],
  ["500ms", 500],
  ["1m30s", 90_000],
  ["1h", 3_600_000],
  ["0.5s", 500],
  ["499ms", undefined],
  ["1h1ms", undefined],
  ["0", undefined],
  ["-2s", undefined],
  ["2", undefined],
  ["", undefined],
  ["soon", undefined],
])("%j", (text, expected) => {
  expect(parseInterval(text)).toBe(expected);
});

test("the rule names the bounds", () => {
  expect(intervalRule).toBe("It must be a duration from 500ms to 1h, such as 5s.");
});
