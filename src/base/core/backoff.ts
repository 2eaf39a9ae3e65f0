/** Growth of the pauses between attempts. All times in ms. */
export interface BackoffPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  /**
   * Fraction of the pause added at most, so that clients do not retry in lockstep; never shortens the pause.
   */
  readonly jitter: number;
}

/**
 * The pause before attempt number `attempt` (1 is the first repeat): the base, doubled for each further
 * attempt, up to the maximum.
 *
 * @param random a number in [0, 1)
 */
export function nextDelay(attempt: number, policy: BackoffPolicy, random: number): number {
  // 2 ** 1000 is Infinity, which min() bounds: long outages need no special case.
  const pauseMs = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(pauseMs * (1 + policy.jitter * random));
}
