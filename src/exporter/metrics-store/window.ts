/** A half-open span of sample time: after `fromMs`, up to and including `toMs` (Unix epoch, ms). */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WindowLimits {
  /** How far a window's end stays behind now. */
  readonly delayMs: number;
  /** The longest window, adapted to what the last ones held: see {@link adaptWindow}. */
  readonly maxWindowMs: number;
}

/**
 * The next window a sink has to read, or undefined when the store cannot have anything new yet.
 *
 * The end stays `delayMs` behind now: a store shows samples some time after they were taken, and a window that has
 * been read is never read again.
 */
export function nextWindow(checkpointMs: number, nowMs: number, limits: WindowLimits): Window | undefined {
  const settledMs = nowMs - limits.delayMs;
  if (settledMs <= checkpointMs) return undefined;
  return { fromMs: checkpointMs, toMs: Math.min(settledMs, checkpointMs + limits.maxWindowMs) };
}

/** What reading one window cost. */
export interface WindowCost {
  readonly lengthMs: number;
  readonly samples: number;
  readonly readMs: number;
  /** The read was broken off because the sink's share of memory was full. */
  readonly outgrewMemory: boolean;
}

/** No window is made shorter than this: it would be all overhead. */
export const shortestWindowMs = 1_000;
export const targetSamples = 2_000_000;
export const targetReadMs = 10_000;

/**
 * The length limit for the next window, after one that cost `cost`: halved when it was too big, doubled when it came
 * to less than half of every target, else as it is. Aims at 2 million samples and 10 s of reading.
 */
export function adaptWindow(currentMs: number, cost: WindowCost, maxWindowMs: number): number {
  if (cost.outgrewMemory || cost.samples > targetSamples || cost.readMs > targetReadMs) {
    // Half of what was read, not of the limit: that may be far above the window that was too big, or have been made smaller
    // since the window began.
    return Math.max(shortestWindowMs, Math.min(currentMs, Math.floor(cost.lengthMs / 2)));
  }
  const roomy = cost.samples < targetSamples / 2 && cost.readMs < targetReadMs / 2;
  return roomy ? Math.min(maxWindowMs, currentMs * 2) : currentMs;
}
