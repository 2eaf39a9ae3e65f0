import { expect, test } from "vitest";
import type { Clock } from "../../base/core/clock.ts";
import { growingPercent, type Heap, tendHeap } from "./heap-tending.ts";

/** The operations on a heap, each with its second. */
async function historyOf(lastSecond: number, usedBytes: (second: number) => number): Promise<string[]> {
  const history: string[] = [];
  let second = 0;
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: async (ms) => {
      second += ms / 1_000;
      if (second > lastSecond) throw new Error("stopped");
    },
  };
  const heap: Heap = {
    usedBytes: () => usedBytes(second),
    setFlag: (flag) => history.push(`${second} ${flag}`),
    collect: () => history.push(`${second} collect`),
  };
  await tendHeap(clock, new AbortController().signal, heap);
  return history;
}

test("V8 gives memory back after the start and every ten minutes, and works undisturbed in between", async () => {
  const history = await historyOf(700, () => 30e6);
  expect(history.filter((line) => !/growing|size|trigger/.test(line))).toEqual([
    "0 --memory-reducer",
    "0 --flush-bytecode",
    "40 --no-memory-reducer",
    "40 --no-flush-bytecode",
    "640 --memory-reducer",
    "640 --flush-bytecode",
    "680 --no-memory-reducer",
    "680 --no-flush-bytecode",
  ]);
});

test("a heap that becomes large is collected once, and grows by less from then on", async () => {
  const history = await historyOf(20, (second) => (second < 10 ? 10e6 : 100e6));
  expect(history.filter((line) => line.includes("collect"))).toEqual(["10 collect"]);
  expect(history).toContain("0 --heap-growing-percent=50");
  expect(history).toContain("10 --heap-growing-percent=16");
});

test("nothing is set twice; a small heap is looked at every five seconds once the start is over", async () => {
  const looks: number[] = [];
  const history = await historyOf(60, (second) => {
    looks.push(second);
    return 30e6;
  });
  expect(new Set(history).size).toBe(history.length);
  expect(history).toHaveLength(8);
  expect(looks.filter((second) => second > 38)).toEqual([39, 40, 45, 50, 55, 60]);
});

test("a small heap is marked late, a large one when V8 thinks fit", async () => {
  const history = await historyOf(20, (second) => (second < 10 ? 10e6 : 100e6));
  expect(history.filter((line) => line.includes("trigger"))).toEqual([
    "0 --incremental-marking-soft-trigger=60",
    "0 --incremental-marking-hard-trigger=80",
    "10 --incremental-marking-soft-trigger=0",
    "10 --incremental-marking-hard-trigger=0",
  ]);
});

test("a large heap is compacted every five seconds, a small one never", async () => {
  const compactions = async (usedBytes: number) => {
    const history = await historyOf(12, () => usedBytes);
    return history.filter((line) => line.endsWith(" --optimize-for-size"));
  };
  expect(await compactions(100e6)).toEqual(["0", "5", "10"].map((second) => `${second} --optimize-for-size`));
  expect(await compactions(30e6)).toEqual([]);
});

test.each([
  [1e6, 50],
  [20e6, 200],
  [32e6, 100],
  [64e6, 25],
  [100e6, 16],
  [1e9, 15],
])("a heap of %d bytes may grow by %d %%", (usedBytes, expected) => {
  expect(growingPercent(usedBytes)).toBe(expected);
});
