import { describe, expect, test } from "vitest";
import { adaptWindow, nextWindow } from "./next-window.ts";

describe("nextWindow", () => {
  const limits = { delayMs: 30_000, maxWindowMs: 300_000 };
  test.each([
    { name: "up to the watermark", checkpointMs: 0, nowMs: 90_000, expected: { fromMs: 0, toMs: 60_000 } },
    {
      name: "at most the longest",
      checkpointMs: 0,
      nowMs: 10_000_000,
      expected: { fromMs: 0, toMs: 300_000 },
    },
    { name: "the watermark is the checkpoint", checkpointMs: 60_000, nowMs: 90_000, expected: undefined },
    { name: "a clock that went back", checkpointMs: 60_000, nowMs: 5_000, expected: undefined },
    {
      name: "one millisecond",
      checkpointMs: 59_999,
      nowMs: 90_000,
      expected: { fromMs: 59_999, toMs: 60_000 },
    },
  ])("$name", ({ checkpointMs, nowMs, expected }) => {
    expect(nextWindow(checkpointMs, nowMs, limits)).toEqual(expected);
  });

  test.each([
    { name: "the last multiple", checkpointMs: 0, nowMs: 250_000, expected: { fromMs: 0, toMs: 180_000 } },
    { name: "no multiple yet", checkpointMs: 180_000, nowMs: 269_999, expected: undefined },
    {
      name: "the next multiple",
      checkpointMs: 179_999,
      nowMs: 269_999,
      expected: { fromMs: 179_999, toMs: 180_000 },
    },
    {
      name: "at most the longest",
      checkpointMs: 59_000,
      nowMs: 1e7,
      expected: { fromMs: 59_000, toMs: 300_000 },
    },
    {
      name: "one interval, though it is longer than a window",
      ...{ checkpointMs: 60_000, nowMs: 1e7, maxWindowMs: 1_000 },
      expected: { fromMs: 60_000, toMs: 120_000 },
    },
  ])("on a grid of a minute: $name", ({ checkpointMs, nowMs, expected, ...others }) => {
    expect(nextWindow(checkpointMs, nowMs, { ...limits, gridMs: 60_000, ...others })).toEqual(expected);
  });
});

describe("adaptWindow", () => {
  const cost = { lengthMs: 300_000, samples: 1_200_000, readMs: 6_000, outgrewMemory: false };
  test.each([
    { name: "fits: stays", current: 300_000, change: {}, expected: 300_000 },
    { name: "the most samples: stays", current: 300_000, change: { samples: 2_000_000 }, expected: 300_000 },
    { name: "the longest read: stays", current: 300_000, change: { readMs: 10_000 }, expected: 300_000 },
    { name: "few samples, read slowly: stays", current: 60_000, change: { samples: 10 }, expected: 60_000 },
    { name: "many samples, read quickly: stays", current: 60_000, change: { readMs: 5 }, expected: 60_000 },
    {
      name: "half of the samples: stays",
      current: 60_000,
      change: { samples: 1_000_000, readMs: 5 },
      expected: 60_000,
    },
    {
      name: "half of the time: stays",
      current: 60_000,
      change: { samples: 10, readMs: 5_000 },
      expected: 60_000,
    },
    { name: "too many samples: half", current: 300_000, change: { samples: 2_100_000 }, expected: 150_000 },
    { name: "too slow: half", current: 300_000, change: { readMs: 11_000 }, expected: 150_000 },
    {
      name: "outgrew memory: half of what was read",
      current: 300_000,
      change: { outgrewMemory: true, lengthMs: 60_000 },
      expected: 30_000,
    },
    {
      name: "too many samples, and planned before the limit was made smaller: half of it, not of the limit",
      current: 150_000,
      change: { samples: 2_100_000 },
      expected: 150_000,
    },
    { name: "never below a second", current: 1_000, change: { outgrewMemory: true }, expected: 1_000 },
    { name: "roomy: doubled", current: 60_000, change: { samples: 10, readMs: 5 }, expected: 120_000 },
    {
      name: "roomy: at most the configured",
      current: 200_000,
      change: { samples: 10, readMs: 5 },
      expected: 300_000,
    },
  ])("$name", ({ current, change, expected }) => {
    expect(adaptWindow(current, { ...cost, ...change }, 300_000)).toBe(expected);
  });
});
