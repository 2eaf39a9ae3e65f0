import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../base/core/clock.ts";

const lookMs = 1_000;
/** At a small heap, once the start is over: to wake up is most of what an idle daemon does (bench/idle.ts). */
const seldomLookMs = 5_000;
/** Longer than V8 waits before it reduces (8 s), and than a usual cycle. */
const reducingMs = 40_000;
const workingMs = 10 * 60_000;

/** Below it a heap is that of a daemon which has little to do. */
const smallBytes = 20e6;
/** Above it a heap is one of many policies or series, and worth its first marking. */
const largeBytes = 64e6;
/** Garbage that a large heap may hold before V8 marks it again. */
const garbageBytes = 16e6;

/**
 * Percent of the room between the last marking and the limit at which V8 begins to mark the next time: bit by bit, or at once.
 * 0 is V8's own idea, which is right for a large heap.
 */
const softTrigger = 60;
const hardTrigger = 80;

/** A large heap is compacted during one look of so many ms. */
const compactingEveryMs = 5_000;

/** V8, as far as it is told what to do. */
export interface Heap {
  usedBytes(): number;
  setFlag(flag: string): void;
  /** Collects all garbage, at once. */
  collect(): void;
}

const v8Heap: Heap = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  setFlag: setFlagsFromString,
  collect: () => {
    setFlagsFromString("--expose-gc");
    // A context that is made from now on has it.
    (runInNewContext("gc") as () => void)();
  },
};

/**
 * Lets V8 give memory back after the start and then for a while every ten minutes, and not in between; and has it keep
 * little garbage.
 *
 * Left alone, V8 takes the pause between two cycles for the end of all work: it collects the whole heap up to three times
 * and drops the compiled code of what has just run, only to need both again some seconds later. That was a third of the
 * processor time of a steady export of 50,000 series (bench/peers.ts). What a start or a catch-up has left behind is still
 * given back, within ten minutes.
 *
 * It also begins to mark the whole heap as soon as that may grow by less than the largest new space (16 MB), where memory
 * outside of the heap counts as well: a heap of 30 MB is marked in every cycle, which was a quarter of what was left with
 * batches of 5,000 (`--trace-incremental-marking`). While a sink catches up, the bodies of requests are such memory, some 30 MB
 * a second until the next scavenge: a heap that may grow by half was marked twice a second, a seventh of the time
 * (bench/catch-up.ts with `--trace-gc`). Hence the room of a heap of middle size.
 *
 * Before its first collection of the whole heap V8 lets it grow to some hundreds of megabytes, since it knows nothing of
 * it; and after one by as much again. Hence one that is asked for once the heap is large, and a growth that becomes
 * smaller as the heap becomes larger: most of the memory of 10,000 policies was garbage (bench/small-policies.ts).
 *
 * A third of what V8 then holds are holes between the objects that stayed, and room for new ones. It closes some of the
 * holes and makes the room smaller in collections that optimize for size. With each collection that would be a tenth of a
 * core; once in a while it is next to nothing, and gives back half as much.
 *
 * They are flags that V8 asks for whenever it decides (`MemoryReducer::Step`, `Heap::GetBytecodeFlushMode`,
 * `MemoryController::GrowingFactor`, `Heap::IncrementalMarkingLimitReached`, `Heap::ShouldOptimizeForMemoryUsage`), so that
 * they may change while it runs. Resolves when the signal aborts.
 */
export async function tendHeap(clock: Clock, signal: AbortSignal, heap: Heap = v8Heap): Promise<void> {
  const flags = new Flags(heap);
  let wasLarge = false;
  let atMs = 0;
  try {
    for (;;) {
      const reduces = atMs < reducingMs;
      flags.set("memory-reducer", reduces);
      flags.set("flush-bytecode", reduces);
      const usedBytes = heap.usedBytes();
      const isLarge = usedBytes > largeBytes;
      flags.set("heap-growing-percent", growingPercent(usedBytes));
      flags.set("incremental-marking-soft-trigger", isLarge ? 0 : softTrigger);
      flags.set("incremental-marking-hard-trigger", isLarge ? 0 : hardTrigger);
      flags.set("optimize-for-size", isLarge && atMs % compactingEveryMs === 0);
      if (isLarge && !wasLarge) {
        wasLarge = true;
        heap.collect();
      }
      const restMs = reduces || isLarge ? lookMs : seldomLookMs;
      await clock.sleep(restMs, signal);
      atMs = (atMs + restMs) % (reducingMs + workingMs);
    }
  } catch {
    // Stopped.
  }
}

/** Sets only what changes: V8 goes through all of its flags for each that is set. */
class Flags {
  readonly #heap: Heap;
  readonly #values = new Map<string, boolean | number>();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  set(name: string, value: boolean | number): void {
    if (this.#values.get(name) === value) return;
    this.#values.set(name, value);
    this.#heap.setFlag(typeof value === "number" ? `--${name}=${value}` : `--${value ? "" : "no-"}${name}`);
  }
}

/** By how much of itself a heap may grow until it is marked again. */
export function growingPercent(usedBytes: number): number {
  if (usedBytes < smallBytes) return 50;
  if (usedBytes < largeBytes) return usedBytes < largeBytes / 2 ? 200 : 100;
  return Math.round(Math.max(15, (100 * garbageBytes) / usedBytes));
}
