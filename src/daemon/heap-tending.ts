import { setFlagsFromString } from "node:v8";
import type { Clock } from "../core/clock.ts";

/** Longer than V8 waits before it reduces (8 s), and than a usual cycle. */
const reducingMs = 40_000;
const workingMs = 10 * 60_000;

const reducing = ["--memory-reducer", "--flush-bytecode", "--heap-growing-percent=0"];
const working = ["--no-memory-reducer", "--no-flush-bytecode", "--heap-growing-percent=50"];

/**
 * Lets V8 give memory back after the start and then for a while every ten minutes, and not in between.
 *
 * Left alone, V8 takes the pause between two cycles for the end of all work: it collects the whole heap up to three times
 * and drops the compiled code of what has just run, only to need both again some seconds later; and it marks the whole heap
 * again after every two megabytes that it has grown by. That was a third of the processor time of a steady export of
 * 50,000 series (bench/peers.ts). What a start or a catch-up has left behind is still given back, within ten minutes.
 *
 * They are flags that V8 asks for whenever it decides (`MemoryReducer::Step`, `Heap::GetBytecodeFlushMode`,
 * `MemoryController::GrowingFactor`), so that they may change while it runs. Resolves when the signal aborts.
 */
export async function tendHeap(
  clock: Clock,
  signal: AbortSignal,
  setFlag: (flag: string) => void = setFlagsFromString,
): Promise<void> {
  try {
    for (;;) {
      reducing.forEach(setFlag);
      await clock.sleep(reducingMs, signal);
      working.forEach(setFlag);
      await clock.sleep(workingMs, signal);
    }
  } catch {
    // Stopped.
  }
}
