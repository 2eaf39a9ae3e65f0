import { expect, test } from "vitest";
import { StoreClock } from "./store-clock.ts";

function at(seconds: number): string {
  return new Date(seconds * 1_000).toUTCString();
}

test.each([
  { name: "nothing yet", responses: [], atMs: 500, expected: undefined },
  { name: "carried forward", responses: [[0, at(100)]], atMs: 2_500, expected: 102_500 },
  {
    name: "the second has not ended: time does not go back",
    responses: [
      [0, at(100)],
      [700, at(100)],
    ],
    atMs: 800,
    expected: 100_800,
  },
  {
    name: "a sharper bound: the next second had begun already",
    responses: [
      [0, at(100)],
      [300, at(101)],
    ],
    atMs: 400,
    expected: 101_100,
  },
  {
    name: "the store's clock was set back: followed",
    responses: [
      [0, at(100)],
      [1_000, at(50)],
    ],
    atMs: 1_500,
    expected: 50_500,
  },
  { name: "no date: ignored", responses: [[0, "yesterday"]], atMs: 1, expected: undefined },
  { name: "no header: ignored", responses: [[0, undefined]], atMs: 1, expected: undefined },
  { name: "two headers: ignored", responses: [[0, [at(1), at(2)]]], atMs: 1, expected: undefined },
] as const)("$name", ({ responses, atMs, expected }) => {
  let nowMs = 0;
  const clock = new StoreClock({ nowMs: () => 1e9, monotonicMs: () => nowMs });
  for (const [whenMs, header] of responses) {
    nowMs = whenMs;
    clock.observe(header);
  }
  nowMs = atMs;
  expect(clock.nowMs()).toBe(expected);
});

test.each([
  { name: "both agree", storeSeconds: 1_000, ownStepMs: 0, expected: 1_005_000 },
  {
    name: "the store's clock is ahead: ours bounds it",
    storeSeconds: 91_000,
    ownStepMs: 0,
    expected: 1_005_000,
  },
  {
    name: "ours was set forwards: the store's bounds it",
    storeSeconds: 1_000,
    ownStepMs: 90_000_000,
    expected: 1_005_000,
  },
  {
    name: "ours was set backwards: that holds nothing up",
    storeSeconds: 1_000,
    ownStepMs: -3_600_000,
    expected: 1_005_000,
  },
])("our own clock: $name", ({ storeSeconds, ownStepMs, expected }) => {
  let monotonicMs = 0;
  let stepMs = 0;
  const clock = new StoreClock({
    nowMs: () => 1_000_000 + monotonicMs + stepMs,
    monotonicMs: () => monotonicMs,
  });
  clock.observe(at(storeSeconds));
  monotonicMs = 5_000;
  stepMs = ownStepMs;
  expect(clock.nowMs()).toBe(expected);
});

test("the skew is the store's time minus ours, to half a second", () => {
  const clock = new StoreClock({ nowMs: () => 1_000_000, monotonicMs: () => 0 });
  expect(clock.skewMs()).toBeUndefined();
  for (const seconds of [1_000, 2_000, 400]) {
    clock.observe(at(seconds));
    expect(clock.skewMs()).toBe(seconds * 1_000 + 500 - 1_000_000);
  }
});
