import { expect, test } from "vitest";
import { formatAge, formatCount, formatExactCount, formatRate } from "./human.ts";

test.each([
  [0, "0"],
  [9_999, "9,999"],
  [12_345, "12.3K"],
  [4_560_000, "4.56M"],
  [7_890_000_000, "7.89B"],
])("formatCount(%d)", (count, expected) => {
  expect(formatCount(count)).toBe(expected);
});

test("formatExactCount keeps every digit", () => {
  expect(formatExactCount(12_345_678)).toBe("12,345,678");
});

test.each([
  [0, "0/s"],
  [0.25, "0.25/s"],
  [3.44, "3.4/s"],
  [12_345, "12.3K/s"],
])("formatRate(%d)", (rate, expected) => {
  expect(formatRate(rate)).toBe(expected);
});

test.each([
  [-5, "0s"],
  [119_999, "119s"],
  [120_000, "2m"],
  [250_000, "4m10s"],
  [42 * 60_000, "42m"],
  [3 * 3_600_000 + 60_000, "3h1m"],
  [40 * 3_600_000, "40h"],
  [74 * 3_600_000, "3d2h"],
  [400 * 86_400_000, "400d"],
])("formatAge(%d)", (ageMs, expected) => {
  expect(formatAge(ageMs)).toBe(expected);
});
