import { createHash } from "node:crypto";

/** Windows end on whole seconds, so that sinks which start a cycle together ask the store for the same window. */
const gridMs = 1_000;

/** The grid (ms) that window ends lie on: none where cycles are shorter than its step. */
export function windowGridMs(intervalMs: number): number {
  return intervalMs >= gridMs ? gridMs : 1;
}

/**
 * The part of a step of the grid over which starts spread. Right at its beginning, so that what has just become available is
 * read soon; but not all at once, which would be a crowd in every second and nothing to do for the rest of it
 * (bench/small-policies.ts). Its end is free, since a cycle that starts there waits for the next step: see `untilGrid`.
 */
const startsWithin = 0.7;

/**
 * When a sink's cycles start: every `periodMs`, at an offset hashed from its policy's key, so that the starts of many
 * policies spread evenly over the period while the sinks of one policy start together and share their reads.
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

/** Milliseconds from `nowMs` (wall clock) to the next start of a cycle; more than 0, at most a period. */
export function untilNextCycle(times: CycleTimes, nowMs: number): number {
  const sinceStart = (((nowMs - times.offsetMs) % times.periodMs) + times.periodMs) % times.periodMs;
  return times.periodMs - sinceStart;
}

/** How long to wait (ms, and a little more) for the next multiple of `gridMs`, where that is near; otherwise undefined. */
export function untilGrid(nowMs: number, gridMs: number): number | undefined {
  const leftMs = gridMs - (nowMs % gridMs);
  return gridMs > 1 && leftMs <= gridMs / 4 ? Math.ceil(leftMs) + 1 : undefined;
}

/** `nowMs` brought down to a multiple of `gridMs`. */
export function onGrid(nowMs: number, gridMs: number): number {
  return nowMs - (nowMs % gridMs);
}
