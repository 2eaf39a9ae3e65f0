import { expect, it } from "vitest";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

function work(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

it("resumes in the order of the calls", async () => {
  const resumed: number[] = [];
  await Promise.all(
    Array.from({ length: 5 }, async (_, index) => {
      await yieldToEventLoop();
      resumed.push(index);
    }),
  );
  expect(resumed).toEqual([0, 1, 2, 3, 4]);
});

it("lets timers run between the steps of many", async () => {
  let steps = 0;
  const stepsAtTimer: number[] = [];
  const timer = setInterval(() => stepsAtTimer.push(steps), 1);
  const workers = Array.from({ length: 30 }, async () => {
    for (let step = 0; step < 2; step++) {
      await yieldToEventLoop();
      work(4);
      steps++;
    }
  });
  await Promise.all(workers);
  clearInterval(timer);
  // 240 ms of work: in turns of about 10 ms, at most four steps run between two timers.
  const most = stepsAtTimer.map((count, index) => count - (stepsAtTimer[index - 1] ?? 0));
  expect(Math.max(...most)).toBeLessThanOrEqual(4);
  expect(stepsAtTimer.length).toBeGreaterThan(10);
});

it("counts what a step does after further microtasks", async () => {
  let timers = 0;
  const timer = setInterval(() => timers++, 1);
  const step = async () => {
    await yieldToEventLoop();
    for (let hop = 0; hop < 10; hop++) await Promise.resolve();
    work(12);
  };
  await Promise.all(Array.from({ length: 10 }, step));
  clearInterval(timer);
  // In one turn, none would have run.
  expect(timers).toBeGreaterThanOrEqual(5);
});

it("resumes many small steps in the same turn", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 1_000 }, () => yieldToEventLoop()));
  isDone = true;
  expect(turns).toBeLessThan(50);
});
