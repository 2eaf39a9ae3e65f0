import type { CycleTimes } from "../plan/cycle-times.ts";
import type { CycleJob } from "./cycle-job.ts";

/** A sink's entry in the queue. */
export interface WantedScheduler {
  readonly job: CycleJob;
  readonly times: CycleTimes;
}

/**
 * The sinks whose schedulers have to be checked: those changed here, those missing (after Redis was wiped or
 * the queue obliterated) and those that have stopped.
 *
 * @param found the due time of each sink's next job (Unix ms)
 */
export function schedulersToSet(
  wanted: ReadonlyMap<string, WantedScheduler>,
  changed: ReadonlySet<string>,
  found: ReadonlyMap<string, number>,
  nowMs: number,
): WantedScheduler[] {
  return [...wanted]
    .filter(([sink, { times }]) => {
      const nextMs = found.get(sink);
      return nextMs === undefined || changed.has(sink) || isOverdue(nowMs - nextMs, times);
    })
    .map(([, scheduler]) => scheduler);
}

/** Whether a scheduler has failed to create its next job: every job creates its successor when it begins. */
export function isOverdue(overdueMs: number, times: CycleTimes): boolean {
  return overdueMs > times.periodMs + 60_000;
}
