import { expect, test } from "vitest";
import { BackfillLimit } from "./backfill-limit.ts";

const hour = 3_600_000;

test("the oldest time moves with the clock", () => {
  const limit = new BackfillLimit(() => 24 * hour);
  expect(limit.oldestMs(100 * hour, 0)).toBe(76 * hour);
  expect(limit.oldestMs(101 * hour, hour)).toBe(77 * hour);
});

test.each([
  ["forwards by an hour", hour, 76 * hour],
  ["forwards by 25 h", 25 * hour, 76 * hour],
  ["backwards by an hour", -hour, 75 * hour],
])("a clock that is set %s makes nothing too old", (_, stepMs, oldestMs) => {
  const limit = new BackfillLimit(() => 24 * hour);
  limit.oldestMs(100 * hour, 0);
  expect(limit.oldestMs(100 * hour + stepMs + 15_000, 15_000)).toBe(oldestMs + 15_000);
});

test("once the sink has caught up, what was leapt over counts again", () => {
  const limit = new BackfillLimit(() => 24 * hour);
  limit.oldestMs(100 * hour, 0);
  limit.oldestMs(125 * hour, 0);
  limit.caughtUp();
  expect(limit.oldestMs(125 * hour, 0)).toBe(101 * hour);
});

test("two cycles in a row have to agree", () => {
  const limit = new BackfillLimit(() => 24 * hour);
  expect([true, false, true, true, true, true].map((isTooOld) => limit.agrees(isTooOld))).toEqual([
    false,
    false,
    false,
    true,
    false,
    true,
  ]);
});

test("time that has passed is no leap, nor is a difference of ten seconds", () => {
  const limit = new BackfillLimit(() => 24 * hour);
  limit.oldestMs(100 * hour, 1 * hour);
  expect(limit.oldestMs(126 * hour, 2 * hour)).toBe((126 - 24 - 25) * hour);
  const still = new BackfillLimit(() => 0);
  still.oldestMs(0, 0);
  expect(still.oldestMs(10_000, 0)).toBe(10_000);
  expect(still.oldestMs(20_001, 0)).toBe(10_000);
});
