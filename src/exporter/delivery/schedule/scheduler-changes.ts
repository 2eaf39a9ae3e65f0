import type { CycleTimes } from "../plan/cycle-times.ts";
import type { CycleJob } from "./cycle-job.ts";

/** A sink's entry in the queue. */
export interface WantedScheduler {
  readonly job: CycleJob;
  readonly times: CycleTimes;
}

/**
 * Which sinks' schedulers have to be looked at: those that changed here, those that are gone (a Redis that was wiped, a
 * queue that was obliterated) and those that have stopped.
 *
 * @param found when each sink's next job is due (Unix ms)
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

/** Whether a scheduler has failed to make its next job: every job makes its successor when it begins. */
export function isOverdue(overdueMs: number, times: CycleTimes): boolean {
  return overdueMs > times.periodMs + 60_000;
}
