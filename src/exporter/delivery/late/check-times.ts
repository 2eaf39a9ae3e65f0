/** How often the store is asked for its counts; times in ms. */
export interface CheckTimes {
  /** Samples that reach the store later than this after their time are not looked for. */
  readonly horizonMs: number;
  /** Younger samples are not counted: a store may hide its newest ones from queries for a while. */
  readonly delayMs: number;
  /** Between two checks. */
  readonly quietMs: number;
  /** The same while samples have been found late within the horizon. */
  readonly alertMs: number;
}

/** A check this many times as deep as the pause before it finds a sample within half of its lateness. */
const depthFactor = 16 / 3;

/**
 * How far back samples are sent: one that came at the end of the horizon is older than that when the deepest
 * check finds it.
 */
export function lookBackMs({ horizonMs, quietMs }: CheckTimes): number {
  return horizonMs + Math.max(quietMs, (2 * horizonMs) / depthFactor);
}

/**
 * How far back a check looks: a little each time, and twice as far every second time, four times as far every
 * fourth time, and so on up to the horizon. What came late by an hour can wait longer than what came late by
 * a minute. A count costs a store about as much for an hour as for a minute, but counting all steps each time
 * would read the whole horizon from its disk.
 *
 * @param lastMs time of the check before; undefined for the first one, which looks at everything
 * @param everyMs the pause between two checks
 * @returns undefined when no check is due
 */
export function checkDepthMs(
  nowMs: number,
  lastMs: number | undefined,
  everyMs: number,
  horizonMs: number,
): number | undefined {
  if (lastMs === undefined) return Infinity;
  let depthMs: number | undefined;
  for (let pauseMs = everyMs; ; pauseMs *= 2) {
    if (Math.floor(nowMs / pauseMs) === Math.floor(lastMs / pauseMs)) return depthMs;
    depthMs = pauseMs * depthFactor;
    if (depthMs >= horizonMs) return Infinity;
  }
}
