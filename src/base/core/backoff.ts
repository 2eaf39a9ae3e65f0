/** How pauses between attempts grow. All times in ms. */
export interface BackoffPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Up to this fraction is added on top, so that many clients do not come back together; never less than the pause. */
  readonly jitter: number;
}

/**
 * The pause before attempt number `attempt` (1 is the first repeat): base, doubled for each further one, bounded.
 *
 * @param random a number in [0, 1)
 */
export function nextDelay(attempt: number, policy: BackoffPolicy, random: number): number {
  // 2 ** 1000 is Infinity, and min() brings it back: no special case for long outages.
  const pauseMs = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(pauseMs * (1 + policy.jitter * random));
}
