import { expect, test } from "vitest";
import { isDateTime, isInRange } from "./formats.ts";

test.each([
  ["2026-11-20T10:00:00Z", true],
  ["2026-11-20t10:00:00z", true],
  ["2026-11-20T10:00:00.123456789+05:30", true],
  ["2024-02-29T00:00:00Z", true],
  ["2026-02-29T00:00:00Z", false],
  ["2026-13-01T00:00:00Z", false],
  ["2026-11-20T24:00:00Z", false],
  ["2026-11-20T10:60:00Z", false],
  ["2026-11-20T23:59:60Z", false],
  ["2026-11-20T10:00:00", false],
  ["2026-11-20 10:00:00Z", false],
  ["2026-11-20", false],
  ["yesterday", false],
  ["", false],
])("the time %s", (text, isGood) => {
  expect(isDateTime(text)).toBe(isGood);
});

test.each([
  [2 ** 31 - 1, "int32", true],
  [2 ** 31, "int32", false],
  [-(2 ** 31), "int32", true],
  [2 ** 31, "int64", true],
  [2 ** 63, "int64", false],
  [1e30, undefined, true],
])("%d as %s", (value, format, isGood) => {
  expect(isInRange(value, format)).toBe(isGood);
});
