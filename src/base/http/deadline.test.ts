import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadline } from "./deadline.ts";

let passedMs: number[];
let deadline: Deadline;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  passedMs = [];
  deadline = new Deadline(() => passedMs.push(performance.now()));
});
afterEach(() => {
  deadline.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const startMs = () => performance.now();

test("comes once", () => {
  const fromMs = startMs();
  deadline.set(fromMs + 100);
  vi.advanceTimersByTime(99);
  expect(deadline.hasPassed).toBe(false);
  vi.advanceTimersByTime(10_000);
  expect(passedMs).toEqual([fromMs + 100]);
});

test("moved to later and to sooner, it comes when it was last set to", () => {
  const fromMs = startMs();
  deadline.set(fromMs + 100);
  deadline.set(fromMs + 500);
  vi.advanceTimersByTime(300);
  expect(passedMs).toEqual([]);
  deadline.set(fromMs + 350);
  vi.advanceTimersByTime(1_000);
  expect(passedMs).toEqual([fromMs + 350]);
});

test("cleared, it does not come, and may be set again", () => {
  const fromMs = startMs();
  deadline.set(fromMs + 100);
  deadline.clear();
  vi.advanceTimersByTime(200);
  expect(passedMs).toEqual([]);
  deadline.set(fromMs + 250);
  vi.advanceTimersByTime(200);
  expect(passedMs).toEqual([fromMs + 250]);
});

test("moved time and again it has one timer, and never is none at all", () => {
  const fromMs = startMs();
  for (let index = 0; index < 100; index++) deadline.set(fromMs + 100 + index);
  expect(vi.getTimerCount()).toBe(1);
  deadline.set(Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(passedMs).toEqual([]);
});

test("a moment beyond what a timer can wait for", () => {
  const farMs = 2 ** 31 + 5_000;
  const fromMs = startMs();
  deadline.set(fromMs + farMs);
  vi.advanceTimersByTime(2 ** 31);
  expect(passedMs).toEqual([]);
  vi.advanceTimersByTime(5_000);
  expect(passedMs).toHaveLength(1);
});
