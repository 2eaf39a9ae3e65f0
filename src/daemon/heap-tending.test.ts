import { expect, test } from "vitest";
import type { Clock } from "../core/clock.ts";
import { tendHeap } from "./heap-tending.ts";

test("V8 gives memory back after the start and every ten minutes, and works undisturbed in between", async () => {
  const history: string[] = [];
  let sleeps = 0;
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: async (ms) => {
      history.push(`${ms / 1_000} s`);
      if (++sleeps === 3) throw new Error("stopped");
    },
  };
  await tendHeap(clock, new AbortController().signal, (flag) => history.push(flag));
  const reducing = ["--memory-reducer", "--flush-bytecode", "--heap-growing-percent=0", "40 s"];
  expect(history).toEqual([
    ...reducing,
    ...["--no-memory-reducer", "--no-flush-bytecode", "--heap-growing-percent=50", "600 s"],
    ...reducing,
  ]);
});
