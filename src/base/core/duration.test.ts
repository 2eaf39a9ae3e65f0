import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  test.each([
    ["250ms", 250],
    ["5s", 5_000],
    ["1m30s", 90_000],
    ["24h", 86_400_000],
    ["1.5h", 5_400_000],
    ["0", 0],
    ["0s", 0],
    ["-5s", -5_000],
    ["100us", 0.1],
    ["1ns", 1e-6],
    ["0.9ns", 0],
    [".5s", 500],
    ["1.s", 1_000],
    ["1.005s", 1_005],
    [`0.${"0".repeat(400)}1s`, 0],
    [".s", undefined],
    ["1h1m1.001s", 3_661_001],
    ["5", undefined],
    ["", undefined],
    ["s", undefined],
    ["1d", undefined],
    ["5 s", undefined],
    ["1m-30s", undefined],
    ["Infinitys", undefined],
  ])("%s", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });
});

test("what formatDuration writes, parseDuration reads", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
    }),
  );
});

test.each([
  [90_000, "1m30s"],
  [250, "250ms"],
  [0, "0s"],
  [86_400_000, "24h"],
  [61_500, "1m1.5s"],
])("formatDuration(%d)", (durationMs, expected) => {
  expect(formatDuration(durationMs)).toBe(expected);
});
