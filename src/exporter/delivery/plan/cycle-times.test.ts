import { expect, test } from "vitest";
import {
  cycleTimes,
  onGrid,
  sinceLastCycle,
  untilGrid,
  untilNextCycle,
  windowGridMs,
  withChecks,
} from "./cycle-times.ts";

test.each([
  [0, 15_000],
  [1, 14_999],
  [14_999, 1],
  [15_000, 15_000],
])("without an offset, at %d ms the next cycle is in %d ms", (nowMs, expected) => {
  expect(untilNextCycle({ periodMs: 15_000, offsetMs: 0 }, nowMs)).toBe(expected);
});

test("the offset moves the start", () => {
  expect(untilNextCycle({ periodMs: 15_000, offsetMs: 4_000 }, 15_000)).toBe(4_000);
});

test("the longer of interval and batch timeout is the period", () => {
  expect(cycleTimes("a", 15_000, 5_000).periodMs).toBe(15_000);
  expect(cycleTimes("a", 15_000, 60_000).periodMs).toBe(60_000);
});

test("10,000 policies spread evenly over the seconds of the period, and over the first part of each second", () => {
  const perSecond = new Array<number>(30).fill(0);
  const perTenth = new Array<number>(10).fill(0);
  for (let index = 0; index < 10_000; index++) {
    const { offsetMs } = cycleTimes(`directory/default/policy-${index}/-`, 30_000, 5_000);
    perSecond[Math.floor(offsetMs / 1_000)]!++;
    perTenth[Math.floor((offsetMs % 1_000) / 100)]!++;
  }
  for (const count of perSecond) expect(Math.abs(count - 333)).toBeLessThan(100);
  for (const count of perTenth.slice(0, 7)) expect(Math.abs(count - 1_429)).toBeLessThan(200);
  expect(perTenth.slice(7)).toEqual([0, 0, 0]);
});

test("a policy's cycles start at the same times always; where they are shorter than the grid, anywhere", () => {
  expect(cycleTimes("directory/default/web", 30_000, 5_000)).toEqual(
    cycleTimes("directory/default/web", 30_000, 5_000),
  );
  const offsets = Array.from({ length: 2_000 }, (_, index) => cycleTimes(`p${index}`, 250, 100).offsetMs);
  expect(new Set(offsets).size).toBe(250);
});

test("window ends lie on whole seconds unless cycles are shorter", () => {
  expect(onGrid(1_700_000_000_987, windowGridMs(15_000))).toBe(1_700_000_000_000);
  expect(onGrid(1_700_000_000_987, windowGridMs(1_000))).toBe(1_700_000_000_000);
  expect(onGrid(1_700_000_000_987, windowGridMs(250))).toBe(1_700_000_000_987);
});

test.each([
  [1_700_000_000_900, 1_000, 101],
  [1_700_000_000_999.5, 1_000, 2],
  [1_700_000_000_750, 1_000, 251],
  [1_700_000_000_749, 1_000, undefined],
  [1_700_000_000_500, 1_000, undefined],
  [1_700_000_000_000.875, 1, undefined],
  [1_700_000_000_000, 1_000, undefined],
  [1_700_000_000_000.5, 1, undefined],
])("%d ms is so near to the next step of %d ms that it is worth waiting: %s", (nowMs, gridMs, expected) => {
  expect(untilGrid(nowMs, gridMs)).toBe(expected);
});

test.each([
  ["late samples are not looked for", 3_600_000, undefined, 3_600_000],
  ["cycles that are frequent enough", 90_000, 90_000, 90_000],
  ["an hour", 3_600_000, 90_000, 90_000],
  ["two minutes", 120_000, 90_000, 60_000],
  ["a little more than the pause", 91_000, 90_000, 45_500],
  ["a prime number of ms, which no parts fit", 1_000_003, 90_000, 90_000],
])("checks between the cycles of a sink: %s", (_, periodMs, everyMs, expected) => {
  const times = { periodMs, offsetMs: periodMs - 1_000 };
  const checks = withChecks(times, everyMs);
  expect(checks.periodMs).toBe(expected);
  // Each cycle's start is one of theirs.
  if (periodMs % expected === 0) expect(untilNextCycle(checks, times.offsetMs - 1)).toBe(1);
});

test.each([
  [10_000, 0],
  [14_000, 0],
  [9_000, 0],
  [16_000, 6_000],
  [4_000, 54_000],
])(
  "at %d ms, the last cycle of a sink with starts at 10 s and every minute was %d ms ago",
  (nowMs, sinceMs) => {
    expect(sinceLastCycle({ periodMs: 60_000, offsetMs: 10_000 }, nowMs)).toBe(sinceMs);
  },
);
