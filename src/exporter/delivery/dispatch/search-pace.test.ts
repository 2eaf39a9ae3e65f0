import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { SearchPace } from "./search-pace.ts";

const never = new AbortController().signal;

test("16 requests at once, then one a second; accepted ones are given back", async () => {
  const clock = new TestClock(0);
  const pace = new SearchPace(clock);
  const next = (untilMs: number) => pace.next(untilMs, [never]);
  for (let turn = 0; turn < 16; turn++) expect(await next(Infinity)).toBe(true);
  expect(await next(clock.monotonicMs() + 999)).toBe(false);
  pace.giveBack();
  expect(await next(clock.monotonicMs())).toBe(true);
  clock.advance(1_000);
  expect(await next(clock.monotonicMs())).toBe(true);
  expect(await next(clock.monotonicMs())).toBe(false);
  clock.advance(3_600_000);
  for (let turn = 0; turn < 16; turn++) expect(await next(clock.monotonicMs())).toBe(true);
  expect(await next(clock.monotonicMs())).toBe(false);
});

test("it waits for its turn, and not after an abort", async () => {
  const clock = new TestClock(0);
  const pace = new SearchPace(clock);
  for (let turn = 0; turn < 16; turn++) await pace.next(Infinity, [never]);
  expect(await pace.next(Infinity, [never])).toBe(true);
  expect(clock.pauses).toEqual([1_000]);
  expect(await pace.next(Infinity, [AbortSignal.abort()])).toBe(false);
});

test("what was sent before without a response: 20 a second", async () => {
  const clock = new TestClock(0);
  const pace = new SearchPace(clock);
  const next = (isRepeat: boolean) => pace.next(clock.monotonicMs(), [never], isRepeat);
  for (let turn = 0; turn < 16; turn++) expect(await next(true)).toBe(true);
  expect(await next(true)).toBe(false);
  clock.advance(50);
  expect(await next(false)).toBe(false);
  expect(await next(true)).toBe(true);
  clock.advance(999);
  expect(await next(false)).toBe(false);
  clock.advance(1);
  expect(await next(false)).toBe(true);
});
