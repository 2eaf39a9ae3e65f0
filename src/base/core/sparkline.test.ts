import fc from "fast-check";
import { expect, test } from "vitest";
import { Sparkline } from "./sparkline.ts";

test("a slot shows when it is over, and moves towards the start as time passes", () => {
  const sparkline = new Sparkline(5_000);
  sparkline.add(3, 6_000);
  sparkline.add(4, 9_999);
  expect(sparkline.points(9_999)).toEqual(new Array(60).fill(0));
  expect(sparkline.points(10_000)).toEqual([...new Array(59).fill(0), 7]);
  expect(sparkline.points(30_000).slice(-3)).toEqual([7, 0, 0]);
  expect(sparkline.points(600_000)).toEqual([7, ...new Array(59).fill(0)]);
  expect(sparkline.points(610_000)).toEqual(new Array(60).fill(0));
});

test("equals a count over all events, for any of them", () => {
  const event = fc.record({
    pauseMs: fc.integer({ min: 0, max: 200_000 }),
    amount: fc.integer({ min: 1, max: 1_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 40 }),
      fc.integer({ min: 0, max: 900_000 }),
      (events, restMs) => {
        const sparkline = new Sparkline(0);
        const expected = new Map<number, number>();
        let nowMs = 0;
        for (const { pauseMs, amount } of events) {
          nowMs += pauseMs;
          sparkline.add(amount, nowMs);
          const slot = Math.floor(nowMs / 10_000);
          expected.set(slot, (expected.get(slot) ?? 0) + amount);
        }
        nowMs += restMs;
        const newest = Math.floor(nowMs / 10_000);
        const points = sparkline.points(nowMs);
        expect(points).toEqual(
          Array.from({ length: 60 }, (_, index) => expected.get(newest - 60 + index) ?? 0),
        );
      },
    ),
  );
});
