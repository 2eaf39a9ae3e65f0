import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateCounter } from "./rate-counter.ts";

const windowMs = 60_000;

function setUp(limit = 3) {
  const time = { nowMs: 1_800_000_000_000 };
  const counter = createRateCounter({ limit, windowMs }, () => time.nowMs);
  return { counter, time };
}

test("counts down, refuses, and starts over with the window", () => {
  const { counter, time } = setUp();
  expect([1, 2, 3, 4, 5].map(() => counter.take("a"))).toEqual([2, 1, 0, -1, -1]);
  expect([counter.remaining("a"), counter.remaining("c")]).toEqual([0, 3]);
  expect(counter.take("b")).toBe(2);
  expect(counter.resetSeconds()).toBe(60);
  time.nowMs += 59_500;
  expect(counter.take("a")).toBe(-1);
  expect(counter.resetSeconds()).toBe(1);
  time.nowMs += 500;
  expect(counter.take("a")).toBe(2);
  expect(counter.resetSeconds()).toBe(60);
});

describe("a corrected clock", () => {
  test("a little backwards does not lead back into a window that was left", () => {
    const { counter, time } = setUp();
    for (let i = 0; i < 3; i++) counter.take("a");
    time.nowMs -= 500;
    expect(counter.take("a")).toBe(-1);
    expect(counter.resetSeconds()).toBe(60);
  });

  test("far backwards is another window, and its headers are true", () => {
    const { counter, time } = setUp();
    for (let i = 0; i < 3; i++) counter.take("a");
    time.nowMs -= 3_600_000;
    expect(counter.take("a")).toBe(2);
    expect(counter.resetSeconds()).toBe(60);
  });
});

test("property: whatever is done when, no client gets more than its limit in a window, and waiting always helps", () => {
  const step = fc.record({ client: fc.constantFrom("a", "b"), waitMs: fc.nat({ max: 20_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, limit) => {
      const { counter, time } = setUp(limit);
      const granted = new Map<string, number>();
      for (const { client, waitMs } of steps) {
        time.nowMs += waitMs;
        const remaining = counter.take(client);
        const key = `${client} ${Math.floor(time.nowMs / windowMs)}`;
        if (remaining >= 0) granted.set(key, (granted.get(key) ?? 0) + 1);
        expect(granted.get(key) ?? 0).toBeLessThanOrEqual(limit);
        if (remaining >= 0) continue;
        time.nowMs += counter.resetSeconds() * 1_000;
        expect(counter.take(client)).toBe(limit - 1);
        granted.set(`${client} ${Math.floor(time.nowMs / windowMs)}`, 1);
      }
    }),
  );
});

test("memory stays bounded", () => {
  const { counter } = setUp();
  for (let i = 0; i < 250_000; i++) counter.take(`client ${i}`);
  // The first clients are evicted, the last ones are not.
  counter.take("client 249999");
  expect(counter.take("client 249999")).toBe(0);
});
