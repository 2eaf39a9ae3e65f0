/** A limit per client in fixed windows: window n is [n * windowMs, (n+1) * windowMs). */
export interface RateLimit {
  readonly limit: number;
  /** A multiple of 1,000: headers count in seconds. */
  readonly windowMs: number;
}

/** Counts the requests of each client, in memory. */
export interface RateCounter {
  readonly limit: number;
  /** Counts a request. @returns how many remain in the window, or -1 when the limit is exceeded */
  take(client: string): number;
  /** How many requests remain in the window; counts nothing. */
  remaining(client: string): number;
  /** Seconds until the window of the last `take` ends, at least 1. After that wait a new window has begun. */
  resetSeconds(): number;
}

/** Beyond this, the clients seen first are evicted: memory must not grow with the number of addresses. */
const maxClients = 200_000;
/** Smaller corrections of the clock never return to an earlier window. */
const jitterMs = 1_000;

/** @param nowMs Unix epoch ms */
export function createRateCounter({ limit, windowMs }: RateLimit, nowMs: () => number): RateCounter {
  let counts = new Map<string, number>();
  let startsMs = Number.NEGATIVE_INFINITY;
  let lastNowMs = startsMs;

  /** Advances to the current window. */
  function roll(): void {
    const now = nowMs();
    lastNowMs = now;
    if (now >= startsMs + windowMs || now < startsMs - jitterMs) {
      startsMs = Math.floor(now / windowMs) * windowMs;
      counts = new Map();
    }
  }

  return {
    limit,
    take(client) {
      roll();
      const used = counts.get(client) ?? 0;
      if (used >= limit) return -1;
      if (used === 0 && counts.size >= maxClients) {
        for (const [oldest] of counts) {
          counts.delete(oldest);
          break;
        }
      }
      counts.set(client, used + 1);
      return limit - used - 1;
    },
    remaining(client) {
      roll();
      return limit - (counts.get(client) ?? 0);
    },
    // At most one window, even when the clock was corrected slightly backwards.
    resetSeconds: () => Math.max(1, Math.ceil(Math.min(startsMs + windowMs - lastNowMs, windowMs) / 1_000)),
  };
}
