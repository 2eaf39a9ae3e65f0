import fc from "fast-check";
import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { createChangePace } from "./change-pace.ts";

test("twenty changes at once, then one every 10 s, and nobody else waits", () => {
  const clock = new TestClock(0);
  const pace = createChangePace(clock);
  for (let change = 0; change < 20; change++) {
    expect(pace.take("noisy")).toBe(0);
    clock.advance(500);
  }
  // The first one's 10 s end now: it may be made again.
  expect(pace.take("noisy")).toBe(0);
  clock.advance(500);
  expect(pace.take("noisy")).toBe(9_500);
  expect(pace.take("calm")).toBe(0);
  clock.advance(9_500);
  expect([pace.take("noisy"), pace.take("noisy")]).toEqual([0, 0]);
  clock.advance(500);
  expect(pace.take("noisy")).toBe(9_500);
});

test("changes that come together are one", () => {
  const clock = new TestClock(0);
  const pace = createChangePace(clock);
  for (let change = 0; change < 1_000; change++) expect(pace.take("bulk")).toBe(0);
  clock.advance(500);
  expect(pace.take("bulk")).toBe(0);
});

test("whoever waits as long as required may change, and nobody changes more often than said", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(pauses, (each) => {
      const clock = new TestClock(0);
      const pace = createChangePace(clock);
      const startMs = clock.monotonicMs();
      let loads = 0;
      let togetherUntilMs = Number.NEGATIVE_INFINITY;
      for (const ms of each) {
        clock.advance(ms);
        const waitMs = pace.take("p");
        if (waitMs > 0) {
          clock.advance(waitMs);
          expect(pace.take("p")).toBe(0);
        }
        const nowMs = clock.monotonicMs();
        if (nowMs >= togetherUntilMs) {
          loads++;
          togetherUntilMs = nowMs + 500;
        }
      }
      expect(loads).toBeLessThanOrEqual(20 + (clock.monotonicMs() - startMs) / 10_000);
    }),
  );
});
