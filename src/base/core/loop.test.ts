import { beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { type LoopOptions, runLoop, Wakeup } from "./loop.ts";

let end: AbortController;
let sleeps: { readonly ms: number; over(): void }[];
let errors: unknown[];
let options: LoopOptions;

/** Its sleeps last until a test ends them. */
const clock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (ms === 0) return resolve();
      sleeps.push({ ms, over: resolve });
      signal.addEventListener("abort", () => reject(signal.reason));
    }),
};

beforeEach(() => {
  end = new AbortController();
  sleeps = [];
  errors = [];
  options = { clock, pauseAfterErrorMs: 7, onError: (error) => errors.push(error) };
});

/** Lets everything run that does not sleep. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("runLoop", () => {
  test("ticks at once, then after each pause that a tick returned", async () => {
    let ticks = 0;
    const loop = runLoop(() => ++ticks * 10, options, end.signal);
    await settled();
    expect([ticks, sleeps.map(({ ms }) => ms)]).toEqual([1, [10]]);
    sleeps[0]!.over();
    await settled();
    expect([ticks, sleeps.map(({ ms }) => ms)]).toEqual([2, [10, 20]]);
    end.abort();
    await loop;
    expect(ticks).toBe(2);
  });

  test("survives a failing tick, and pauses after it", async () => {
    let ticks = 0;
    const tick = async (): Promise<number> => {
      if (++ticks === 1) throw new Error("once");
      return 10;
    };
    const loop = runLoop(tick, options, end.signal);
    await settled();
    expect(errors).toEqual([new Error("once")]);
    sleeps[0]!.over();
    await settled();
    expect([ticks, sleeps.map(({ ms }) => ms)]).toEqual([2, [7, 10]]);
    end.abort();
    await loop;
  });

  test("ends with its signal, also during a tick, whose rejection is then no error", async () => {
    const tick = async (signal: AbortSignal): Promise<number> => {
      end.abort(new Error("over"));
      signal.throwIfAborted();
      return 0;
    };
    await runLoop(tick, options, end.signal);
    expect(errors).toEqual([]);
    await runLoop(() => expect.unreachable(), options, end.signal);
  });
});

describe("a wake-up", () => {
  test.each([
    ["before the loop is forgotten", { wakeAt: "start", ticks: 1 }],
    ["during a tick ends the pause after it", { wakeAt: "tick", ticks: 2 }],
    ["during a pause ends it", { wakeAt: "pause", ticks: 2 }],
  ])("%s", async (_name, expected) => {
    const wakeup = new Wakeup();
    let ticks = 0;
    if (expected.wakeAt === "start") wakeup.wake();
    const tick = (): number => {
      if (++ticks === 1 && expected.wakeAt === "tick") wakeup.wake();
      return 10;
    };
    const loop = runLoop(tick, { ...options, wakeup }, end.signal);
    await settled();
    if (expected.wakeAt === "pause") wakeup.wake();
    await settled();
    expect(ticks).toBe(expected.ticks);
    end.abort();
    await loop;
  });

  test("ends the pause after an error", async () => {
    const wakeup = new Wakeup();
    const tick = (): number => {
      throw new Error("always");
    };
    const loop = runLoop(tick, { ...options, wakeup }, end.signal);
    await settled();
    wakeup.wake();
    await settled();
    expect(errors).toHaveLength(2);
    end.abort();
    await loop;
  });

  test("is followed by a tick once it has settled; further ones meanwhile add none", async () => {
    const wakeup = new Wakeup();
    let ticks = 0;
    const tick = (): number => {
      ticks++;
      return 10;
    };
    const loop = runLoop(tick, { ...options, wakeup, settleMs: 3 }, end.signal);
    await settled();
    wakeup.wake();
    await settled();
    wakeup.wake();
    expect([ticks, sleeps.map(({ ms }) => ms)]).toEqual([1, [10, 3]]);
    sleeps[1]!.over();
    await settled();
    expect([ticks, sleeps.map(({ ms }) => ms)]).toEqual([2, [10, 3, 10]]);
    end.abort();
    await loop;
  });
});
