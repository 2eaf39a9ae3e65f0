import type { Window } from "../../metrics-store/ports/window.ts";

/** Reads that ended within this time of each other are kept as one, so that there are few. */
const mergedMs = 10_000;
/** Longer than a count takes, and than it is shared. */
const keptMs = 120_000;

/** The windows that a sink has read lately, and when (monotonic ms). */
export class RecentReads {
  #reads: { fromMs: number; toMs: number; readonly sinceMs: number; endedMs: number }[] = [];

  /** The read of a window has ended. */
  note({ fromMs, toMs }: Window, nowMs: number): void {
    this.#reads = this.#reads.filter(({ endedMs }) => nowMs - endedMs <= keptMs);
    const last = this.#reads.at(-1);
    if (last === undefined || nowMs - last.sinceMs > mergedMs) {
      this.#reads.push({ fromMs, toMs, sinceMs: nowMs, endedMs: nowMs });
      return;
    }
    last.fromMs = Math.min(last.fromMs, fromMs);
    last.toMs = Math.max(last.toMs, toMs);
    last.endedMs = nowMs;
  }

  /** When a time was last read; undefined: long ago. A merged read may have passed over it. */
  lastOf(ms: number): number | undefined {
    return this.#reads.findLast(({ fromMs, toMs }) => ms > fromMs && ms <= toMs)?.endedMs;
  }
}
