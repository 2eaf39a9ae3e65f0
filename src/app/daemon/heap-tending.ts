import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../base/core/clock.ts";

const lookMs = 1_000;
/** With a small heap after the start: wake-ups are most of an idle daemon's CPU time (bench/idle.ts). */
const seldomLookMs = 5_000;
/** Longer than the delay of V8's memory reducer, and than a usual cycle. */
const reducingMs = 40_000;
const workingMs = 10 * 60_000;

/** A smaller heap belongs to a daemon with little to do. */
const smallBytes = 20e6;
/** A larger heap holds many policies or series, and is worth its first marking. */
const largeBytes = 64e6;
/** Garbage that a large heap may accumulate before V8 marks it again. */
const garbageBytes = 16e6;

/**
 * Percentage of the room between the last marking and the limit at which V8 starts the next marking:
 * incrementally, or at once. 0 is V8's default, which suits a large heap.
 */
const softTrigger = 60;
const hardTrigger = 80;

/** A large heap is compacted during one check in this interval. */
const compactingEveryMs = 5_000;

/** The controls of V8 used here. */
export interface Heap {
  usedBytes(): number;
  setFlag(flag: string): void;
  /** Collects all garbage synchronously. */
  collect(): void;
}

const v8Heap: Heap = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  setFlag: setFlagsFromString,
  collect: () => {
    setFlagsFromString("--expose-gc");
    // Only contexts created after the flag was set have it.
    (runInNewContext("gc") as () => void)();
  },
};

/**
 * Tunes V8: memory is released after the start and then for a while every ten minutes, but not in between,
 * and little garbage is kept.
 *
 * Memory reducer: by default, V8 mistakes the pause between two cycles for the end of all work. It then
 * collects the whole heap several times and drops compiled code, only to need both again seconds later, at a
 * considerable cost in a steady export (bench/peers.ts). Memory left over from a start or a catch-up is still
 * released, within ten minutes.
 *
 * Marking: by default, V8 starts to mark the whole heap as soon as it may grow by less than the largest new
 * space, and memory outside the heap counts as well. A small heap is then marked in every cycle
 * (`--trace-incremental-marking`), and during a catch-up, when request bodies are such memory, several times
 * as often (bench/catch-up.ts with `--trace-gc`). Hence the room of a middle-sized heap.
 *
 * Growth: before its first full collection, V8 lets the heap grow very large, and afterwards by as much
 * again. Hence one explicit collection once the heap is large, and a growth that shrinks as the heap grows:
 * otherwise most of the memory of many policies is garbage (bench/small-policies.ts).
 *
 * Compaction: much of the heap is then holes between surviving objects, and room for new ones. Collections
 * that optimize for size close some of the holes and shrink the room. Doing so in every collection is
 * expensive; doing it occasionally costs next to nothing and releases much of the same memory.
 *
 * V8 reads these flags at each decision (`MemoryReducer::Step`, `Heap::GetBytecodeFlushMode`,
 * `MemoryController::GrowingFactor`, `Heap::IncrementalMarkingLimitReached`,
 * `Heap::ShouldOptimizeForMemoryUsage`), so they may change at run time. Resolves when the signal aborts.
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
    // The signal aborted.
  }
}

/** Sets only changed flags: V8 iterates over all of its flags for each one set. */
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

/** Growth of a heap until its next marking, in percent of its size. */
export function growingPercent(usedBytes: number): number {
  if (usedBytes < smallBytes) return 50;
  if (usedBytes < largeBytes) return usedBytes < largeBytes / 2 ? 200 : 100;
  return Math.round(Math.max(15, (100 * garbageBytes) / usedBytes));
}
