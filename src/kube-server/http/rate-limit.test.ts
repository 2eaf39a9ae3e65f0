import { expect, test } from "vitest";
import { createRateLimiter } from "./rate-limit.ts";

test("a burst, then the steady rate, each client by itself", () => {
  const limiter = createRateLimiter({ perSecond: 2, burst: 3 });
  expect([0, 0, 0, 0].map(() => limiter.take("a", 1_000))).toEqual([0, 0, 0, 1]);
  expect(limiter.take("b", 1_000)).toBe(0);
  expect([limiter.take("a", 1_500), limiter.take("a", 1_500)]).toEqual([0, 1]);
  expect(limiter.take("a", 60_000)).toBe(0);
});

test("a clock that jumps back gives and takes nothing", () => {
  const limiter = createRateLimiter({ perSecond: 1, burst: 2 });
  expect([limiter.take("a", 5_000), limiter.take("a", 1_000), limiter.take("a", 1_000)]).toEqual([0, 0, 1]);
});

test("clients that are long gone are forgotten", () => {
  const limiter = createRateLimiter({ perSecond: 1, burst: 1 });
  limiter.take("first", 0);
  for (let i = 0; i < 10_001; i++) limiter.take(`other-${i}`, 0);
  expect(limiter.take("first", 0)).toBe(0);
});

test("a permit that is given back can be taken again, and never adds to the burst", () => {
  const limiter = createRateLimiter({ perSecond: 1, burst: 1 });
  limiter.give("a");
  expect([limiter.take("a", 0), limiter.take("a", 0)]).toEqual([0, 1]);
  limiter.give("a");
  limiter.give("a");
  expect([limiter.take("a", 0), limiter.take("a", 0)]).toEqual([0, 1]);
});
