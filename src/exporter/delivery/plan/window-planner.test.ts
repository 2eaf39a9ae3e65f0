import { expect, test } from "vitest";
import { sinkPlan } from "../../../../test/support/sink/exporter-deps.ts";
import { MemorySentLog } from "../../../../test/support/sink/memory-sent-log.ts";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { SinkStates } from "../state/sink-states.ts";
import { SinkStats } from "../stats/sink-stats.ts";
import { cycleTimesOf, untilNextCycle } from "./cycle-times.ts";
import { WindowPlanner } from "./window-planner.ts";

const never = new AbortController().signal;
const none: ReadonlySet<string> = new Set();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A planner at the start of a cycle. */
function newPlanner(isForLate: boolean, maxBackfillMs?: number, timeoutMs = hourMs) {
  const plan = sinkPlan({
    batch: { timeoutMs, maxSize: 500, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1, maxBackfillMs },
  });
  const clock = new TestClock(Date.UTC(2026, 10, 20));
  clock.advance(untilNextCycle(cycleTimesOf(plan, 15_000), clock.nowMs()));
  const state = new SinkStates();
  const times = { horizonMs: hourMs, delayMs: 45_000, quietMs: 330_000, alertMs: 90_000 };
  const settings = {
    ...{ intervalMs: 15_000, delayMs: 1_000, expressionDelayMs: 1_000, windowGridMs: 1_000 },
    ...{ maxWindowMs: 24 * hourMs, maxBackfillMs: 24 * hourMs, startFromMs: 0 },
  };
  const planner = new WindowPlanner(
    "sink",
    plan,
    {
      ...{ state, settings, clock, log: silentLogger, tenantOf: () => undefined },
      ...(isForLate && { late: { sent: new MemorySentLog(minuteMs), times, isShared: false } }),
    },
    new SinkStats(0),
  );
  const store = sinkStore({
    storeNowMs: () => clock.nowMs(),
    read: () => Promise.reject(new Error("nothing is read")),
  });
  const nowMs = () => clock.nowMs() - (clock.nowMs() % 1_000);
  return {
    state,
    clock,
    nowMs,
    begin: () => planner.begin(nowMs(), store),
    /** Minutes before now at which the next window ends. */
    async cycle(): Promise<number | undefined> {
      await planner.begin(nowMs(), store);
      const next = await planner.next(none, never);
      return next && Math.round((nowMs() - next.toMs) / minuteMs);
    },
  };
}

test("with a long batch.timeout, the cycles between the regular ones read nothing new", async () => {
  const { cycle, clock, state, nowMs } = newPlanner(true);
  await cycle();
  await state.setCheckpoint("sink", "a", nowMs());
  for (let minutes = 0; minutes < 58; minutes += 2) {
    clock.advance(2 * minuteMs);
    expect(await cycle()).toBeUndefined();
  }
  clock.advance(2 * minuteMs);
  expect(await cycle()).toBe(0);
  // What a regular one has missed is read by the next of any kind.
  clock.advance(5 * minuteMs);
  expect(await cycle()).toBe(5);
  await state.setCheckpoint("sink", "a", nowMs() - 5 * minuteMs);
  expect(await cycle()).toBeUndefined();
});

test("where late samples are not looked for, each cycle reads all there is", async () => {
  const { cycle, clock } = newPlanner(false);
  await cycle();
  clock.advance(5 * minuteMs);
  expect(await cycle()).toBe(0);
});

test("what is kept of a removed source goes after a day, and at once when there are many of them", async () => {
  const { begin, state, clock, nowMs } = newPlanner(false);
  const open = (name: string) =>
    state.openWindow("sink", { fromMs: nowMs() - minuteMs, toMs: nowMs(), stepMs: 1 }, [name]);
  for (let index = 0; index < 12; index++) {
    await state.setCheckpoint("sink", `renamed-${index}`, nowMs() - minuteMs);
    await open(`renamed-${index}`);
  }
  await open("a");
  await begin();
  const { checkpoints, windows } = await state.load("sink");
  expect(windows.flatMap(({ sources }) => [...sources])).toEqual([
    ...Array.from({ length: 8 }, (_, index) => `renamed-${index + 4}`),
    "a",
  ]);
  expect(checkpoints.size).toBe(13);
  clock.advance(24 * hourMs - 2 * minuteMs);
  await begin();
  expect((await state.load("sink")).windows).toHaveLength(9);
  clock.advance(3 * minuteMs);
  await begin();
  const left = await state.load("sink");
  expect(left.windows.map(({ sources }) => [...sources])).toEqual([["a"]]);
  expect([...left.checkpoints.keys()]).toEqual(["a"]);
});

test.each([
  ["the operator's limit", undefined, 1_000, 30, 24],
  ["a shorter one", 2 * hourMs, 1_000, 30, 2],
  ["a longer one, which the operator's bounds", 48 * hourMs, 1_000, 30, 24],
  ["less than two periods", 5 * minuteMs, hourMs, 30, 2],
])(
  "after an outage, what is older is skipped: %s",
  async (_, maxBackfillMs, timeoutMs, awayHours, keptHours) => {
    const { begin, state, clock, nowMs } = newPlanner(false, maxBackfillMs, timeoutMs);
    await begin();
    clock.advance(awayHours * hourMs);
    await begin();
    await begin();
    const { checkpoints } = await state.load("sink");
    expect(nowMs() - (checkpoints.get("a") ?? 0)).toBe(keptHours * hourMs);
  },
);
