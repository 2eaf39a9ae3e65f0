import type { Window } from "../../metrics-store/ports/window.ts";

interface WindowLimits {
  /** Delay of a window's end behind now. */
  readonly delayMs: number;
  /** Maximum length of a window, adapted to the cost of the preceding ones: see {@link adaptWindow}. */
  readonly maxWindowMs: number;
  /** Windows end at multiples of this: the interval in which the store keeps one sample. Defaults to 1. */
  readonly gridMs?: number | undefined;
}

/**
 * The next window a sink has to read, or undefined when the store cannot have anything new yet.
 *
 * The end stays `delayMs` behind now: a store shows samples some time after they were taken, and a window
 * that has been read is never read again.
 */
export function nextWindow(checkpointMs: number, nowMs: number, limits: WindowLimits): Window | undefined {
  const { delayMs, maxWindowMs, gridMs = 1 } = limits;
  const watermarkMs = Math.floor((nowMs - delayMs) / gridMs) * gridMs;
  if (watermarkMs <= checkpointMs) return undefined;
  const longestMs = Math.floor((checkpointMs + maxWindowMs) / gridMs) * gridMs;
  const firstEndMs = (Math.floor(checkpointMs / gridMs) + 1) * gridMs;
  return { fromMs: checkpointMs, toMs: Math.min(watermarkMs, Math.max(longestMs, firstEndMs)) };
}

/** Cost of reading one window. */
export interface WindowCost {
  readonly lengthMs: number;
  readonly samples: number;
  readonly readMs: number;
  /** The read was aborted because the sink's share of memory was full. */
  readonly outgrewMemory: boolean;
}

/** Minimum length of a window: a shorter one would be mostly overhead. */
const shortestWindowMs = 1_000;
export const targetSamples = 2_000_000;
const targetReadMs = 10_000;

/**
 * The maximum length of the next window, given the cost of the last one: halved if it exceeded a target,
 * doubled if it was below half of every target, otherwise unchanged. The targets are `targetSamples` and
 * `targetReadMs`.
 */
export function adaptWindow(currentMs: number, cost: WindowCost, maxWindowMs: number): number {
  if (cost.outgrewMemory || cost.samples > targetSamples || cost.readMs > targetReadMs) {
    // Half of the window read, not of the limit: the limit may be far longer than that window, or may have
    // been lowered since it began.
    return Math.max(shortestWindowMs, Math.min(currentMs, Math.floor(cost.lengthMs / 2)));
  }
  const roomy = cost.samples < targetSamples / 2 && cost.readMs < targetReadMs / 2;
  return roomy ? Math.min(maxWindowMs, currentMs * 2) : currentMs;
}
