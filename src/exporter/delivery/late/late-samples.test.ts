import { beforeEach, expect, test } from "vitest";
import { MemoryState } from "../state/memory-state.ts";
import { RequestEntries } from "../state/request-entries.ts";
import { LateSamples, lateKey, sinkOfKey } from "./late-samples.ts";

const sink = "directory/default/export/-/sink";
const first = { fromMs: 0, toMs: 10_000, stepMs: 1_000 };
const second = { fromMs: 10_000, toMs: 20_000, stepMs: 1_000 };
let state: MemoryState;
let late: LateSamples;

beforeEach(() => {
  state = new MemoryState();
  late = new LateSamples(sink, 60_000, state);
});

function entries(...times: number[]): RequestEntries {
  const made = new RequestEntries(0);
  for (const ms of times) made.add(ms, ms, ms);
  return made;
}

test("the key of a sink is found again from either of its keys", () => {
  expect([sinkOfKey(sink), sinkOfKey(lateKey(sink))]).toEqual([sink, sink]);
});

test("windows are due oldest first, at the given age, when the sink has closed them", async () => {
  await late.record(second, ["a"], entries(15_000));
  await late.remember(second, ["a"]);
  await late.record(first, ["a"], entries(5_000));
  await late.remember(first, ["a"]);
  const due = async (nowMs: number, checkpointMs: number) =>
    (await late.due(nowMs, ["a"], new Map([["a", checkpointMs]])))?.toMs;
  expect(await due(69_999, 20_000)).toBeUndefined();
  expect(await due(70_000, 20_000)).toBe(10_000);
  expect(await due(90_000, 9_999)).toBeUndefined();
  expect(await due(90_000, 10_000)).toBe(10_000);
});

test("what is recorded in two lives of the daemon is one window", async () => {
  await late.record(first, ["a", "b"], entries(1_000));
  const next = new LateSamples(sink, 60_000, state);
  await next.record(first, ["b"], entries(2_000));
  await next.remember(first, ["b"]);
  const { windows } = await state.load(lateKey(sink));
  expect(windows).toHaveLength(1);
  expect([...(windows[0]?.requests.values() ?? [])].map((request) => request.state)).toEqual([
    "acknowledged",
    "acknowledged",
  ]);
});

test("a window of which nothing was sent is read once more too", async () => {
  await late.remember(first, ["a"]);
  expect(await late.due(70_000, ["a"], new Map([["a", 10_000]]))).toMatchObject({
    isLate: true,
    sources: ["a"],
  });
});

test("windows of sources that are gone wait a day for them, and then are dropped", async () => {
  await late.remember(first, ["gone"]);
  await late.remember(second, ["a"]);
  const checkpoints = new Map([
    ["a", 20_000],
    ["gone", 10_000],
  ]);
  expect((await late.due(90_000, ["a"], checkpoints))?.toMs).toBe(20_000);
  expect((await late.due(90_000, ["a", "gone"], checkpoints))?.toMs).toBe(10_000);
  await late.due(70_000 + 24 * 3_600_000, ["a"], checkpoints);
  expect((await state.load(lateKey(sink))).windows.map(({ toMs }) => toMs)).toEqual([20_000]);
});

test("windows that are too old are dropped", async () => {
  await late.remember(first, ["a"]);
  await late.remember(second, ["a"]);
  await late.dropUntil(10_000);
  expect((await state.load(lateKey(sink))).windows.map(({ toMs }) => toMs)).toEqual([20_000]);
});
