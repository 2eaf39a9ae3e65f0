import { expect, test } from "vitest";
import { LoadPace } from "./load-pace.ts";

interface Load {
  readonly from: number;
  readonly to: number;
  readonly of?: readonly string[];
}

const second: Load = { from: 0, to: 1_000, of: ["busy"] };
/** Loads of 0.6 s, one each second, for a minute. */
const crowded = Array.from({ length: 61 }, (_, index): Load => {
  return { from: index * 1_000, to: index * 1_000 + 600, of: ["busy"] };
});

test.each<[what: string, loads: readonly Load[], waiting: readonly string[], dueAtMs: number]>([
  ["before the first load, at once", [], ["a"], Number.NEGATIVE_INFINITY],
  ["after a short one, others join", [{ from: 0, to: 10 }], [], 410],
  ["after a long one, twice its time", [second], [], 3_000],
  ["a project that had it waits as long", [second], ["busy"], 3_000],
  ["one that had none does not", [second], ["rare"], 1_400],
  ["nor if others wait, too", [second], ["busy", "rare"], 1_400],
  ["one that had a load 3 s ago does not", [second, { from: 3_400, to: 5_400 }], ["busy"], 5_800],
  ["after many loads, 2 s", crowded.map(({ from }) => ({ from, to: from + 1 })), [], 62_001],
  ["loads have had half of the time: all wait", crowded, ["rare"], 62_600],
])("%s", (_, loads, waiting, dueAtMs) => {
  const pace = new LoadPace();
  for (const { from, to, of = [] } of loads) pace.note(from, to, of);
  expect(pace.dueAtMs(waiting)).toBe(dueAtMs);
});
