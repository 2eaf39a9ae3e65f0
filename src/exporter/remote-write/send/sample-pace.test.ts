import { expect, test } from "vitest";
import type { Clock } from "../../../base/core/clock.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { paced, SamplePace } from "./sample-pace.ts";

/** A clock that records its sleeps and completes them at once; its time changes only when a test sets it. */
function steppedClock() {
  const state = { nowMs: 0, sleeps: [] as number[] };
  const clock: Clock = {
    nowMs: () => state.nowMs,
    monotonicMs: () => state.nowMs,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      state.sleeps.push(ms);
    },
  };
  return { clock, state };
}

const never = new AbortController().signal;

test("each waits for the time of those before it, and idle time is not saved up", async () => {
  const { clock, state } = steppedClock();
  const limit = new SamplePace(1_000, clock);
  await limit.take(500, never);
  await limit.take(500, never);
  await limit.take(2_000, never);
  expect(state.sleeps).toEqual([500, 1_000]);
  state.nowMs = 60_000;
  await limit.take(500, never);
  await limit.take(500, never);
  expect(state.sleeps).toEqual([500, 1_000, 500]);
});

test("one that leaves, in front or in the queue, takes no time from those behind it", async () => {
  const { clock, state } = steppedClock();
  const aborts = [new AbortController(), new AbortController()];
  const waits: (() => void)[] = [];
  const sleep: Clock["sleep"] = (ms, signal) => {
    state.sleeps.push(ms);
    return new Promise((resolve, reject) => {
      waits.push(resolve);
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };
  const limit = new SamplePace(1_000, { ...clock, sleep });
  await limit.take(500, never);
  const givenUp = aborts.map(({ signal }) => limit.take(60_000, signal).catch(() => "given up"));
  const patient = limit.take(500, never);
  const last = limit.take(1, never);
  await new Promise(setImmediate);
  for (const abort of aborts.toReversed()) abort.abort();
  expect(await Promise.all(givenUp)).toEqual(["given up", "given up"]);
  await new Promise(setImmediate);
  state.nowMs = 500;
  waits.pop()?.();
  await patient;
  await new Promise(setImmediate);
  expect(state.sleeps).toEqual([500, 500, 500]);
  waits.pop()?.();
  await last;
});

test("an abort in the queue is an outcome", async () => {
  const { clock } = steppedClock();
  const limit = new SamplePace(1, clock);
  const inner = { attempt: () => Promise.resolve({ kind: "delivered", status: 204 } as const) };
  const sender = paced(inner, limit);
  const request = { sampleCount: 10 } as EncodedRequest;
  expect(await sender.attempt(request, never)).toEqual({ kind: "delivered", status: 204 });
  expect(await sender.attempt(request, AbortSignal.abort())).toEqual({
    kind: "aborted",
    responseLost: false,
  });
});
