import { createHash } from "node:crypto";
import type { SinkPlan } from "../../policy/spec/types.ts";

/** Windows end on whole seconds, so that sinks that start a cycle together read the same window. */
const gridMs = 1_000;

/** The grid of window ends (ms): none where cycles are shorter than its step. */
export function windowGridMs(intervalMs: number): number {
  return intervalMs >= gridMs ? gridMs : 1;
}

/**
 * The part of a grid step over which starts spread. Starts near the beginning of a step read new samples
 * soon, and spreading them avoids a burst at every second (bench/small-policies.ts). The end of a step stays
 * free, because a cycle that starts there waits for the next one: see `untilGrid`.
 */
const startsWithin = 0.7;

/**
 * The start times of a sink's cycles: every `periodMs`, at an offset hashed from its policy's key. The starts
 * of many policies spread evenly over the period, while the sinks of one policy start together and share
 * their reads.
 */
export interface CycleTimes {
  readonly periodMs: number;
  readonly offsetMs: number;
}

export function cycleTimes(policyKey: string, intervalMs: number, batchTimeoutMs: number): CycleTimes {
  const periodMs = Math.max(intervalMs, batchTimeoutMs);
  const hash = createHash("sha1").update(policyKey).digest().readUInt32LE(0);
  const spread = hash % Math.max(1, Math.round(periodMs));
  const stepMs = onGrid(spread, windowGridMs(periodMs));
  return { periodMs, offsetMs: stepMs + Math.floor((spread - stepMs) * startsWithin) };
}

/** The start times of a plan's cycles. */
export function cycleTimesOf({ policy, batch }: SinkPlan, intervalMs: number): CycleTimes {
  const { plane, namespace, name } = policy;
  return cycleTimes(`${plane}/${namespace}/${name}`, intervalMs, batch.timeoutMs);
}

/**
 * The starts of cycles, with others between them: late samples are looked for at least every `everyMs`,
 * however long new ones wait. Undefined: not looked for.
 */
export function withChecks(times: CycleTimes, everyMs: number | undefined): CycleTimes {
  const { periodMs, offsetMs } = times;
  if (everyMs === undefined || periodMs <= everyMs) return times;
  const fewest = Math.ceil(periodMs / everyMs);
  for (let parts = fewest; parts < 4 * fewest; parts++) {
    if (periodMs % parts === 0)
      return { periodMs: periodMs / parts, offsetMs: offsetMs % (periodMs / parts) };
  }
  return { periodMs: everyMs, offsetMs: offsetMs % everyMs };
}

/** A cycle that begins this much before or after a start counts as begun there: timers are not exact. */
const toleranceMs = 5_000;

/** Milliseconds since the last start of a cycle; 0 if it is just now. */
export function sinceLastCycle(times: CycleTimes, nowMs: number): number {
  const untilMs = untilNextCycle(times, nowMs);
  const sinceMs = times.periodMs - untilMs;
  return Math.min(untilMs, sinceMs) <= toleranceMs ? 0 : sinceMs;
}

/** Milliseconds from `nowMs` (wall clock) to the next start of a cycle; more than 0, at most a period. */
export function untilNextCycle(times: CycleTimes, nowMs: number): number {
  const sinceStart = (((nowMs - times.offsetMs) % times.periodMs) + times.periodMs) % times.periodMs;
  return times.periodMs - sinceStart;
}

/** Time to wait (ms, rounded up) for the next multiple of `gridMs` when it is near; otherwise undefined. */
export function untilGrid(nowMs: number, gridMs: number): number | undefined {
  const leftMs = gridMs - (nowMs % gridMs);
  return gridMs > 1 && leftMs <= gridMs / 4 ? Math.ceil(leftMs) + 1 : undefined;
}

/** `nowMs` rounded down to a multiple of `gridMs`. */
export function onGrid(nowMs: number, gridMs: number): number {
  return nowMs - (nowMs % gridMs);
}
