/**
 * A per-client limit in fixed windows that all replicas share: window n is [n * windowMs, (n+1) * windowMs).
 */
export interface RateLimit {
  readonly limit: number;
  /** A multiple of 1,000: headers count in seconds. */
  readonly windowMs: number;
}

/** A client's counts in the current window. */
interface Count {
  /** Fleet-wide, as far as known, including this replica's requests that have been sent. */
  counted: number;
  /** This replica's requests not yet sent to the others. */
  unsent: number;
}

/** One client's requests not yet sent to the other replicas. */
export interface Unsent {
  readonly client: string;
  readonly requests: number;
}

/**
 * Counts requests per client in memory, without waiting. Other replicas' counts are merged as they arrive.
 */
export interface RateCounter {
  readonly limit: number;
  /** Counts a request. @returns how many remain in the window, or -1 when the limit is exceeded */
  take(client: string): number;
  /** How many requests remain in the window; counts nothing. */
  remaining(client: string): number;
  /** Seconds until the window of the last `take` ends, at least 1. After that wait a new window has begun. */
  resetSeconds(): number;
  window(): number;
  /** Returns the counts not yet sent, and marks them as sent. */
  drain(maxClients: number): Unsent[];
  hasUnsent(): boolean;
  /** Merges the fleet's `total` for a client in a window. */
  merge(window: number, client: string, total: number): void;
}

/** Beyond this, the clients seen first are evicted: memory must not grow with the number of addresses. */
const maxClients = 200_000;
/** Smaller corrections of the shared time never return to an earlier window. */
const jitterMs = 1_000;

/**
 * @param nowMs the fleet's shared time, Unix epoch ms
 * @param onUnsent called when there are counts to send, once until they are drained
 */
export function createRateCounter(
  { limit, windowMs }: RateLimit,
  nowMs: () => number,
  onUnsent: () => void,
): RateCounter {
  let counts = new Map<string, Count>();
  let unsent = new Map<string, Count>();
  let current = Math.floor(nowMs() / windowMs);
  let startsMs = current * windowMs;
  let lastNowMs = startsMs;

  /** Advances to the current window. */
  function roll(): void {
    const now = nowMs();
    lastNowMs = now;
    if (now >= startsMs + windowMs || now < startsMs - jitterMs) {
      current = Math.floor(now / windowMs);
      startsMs = current * windowMs;
      counts = new Map();
      unsent = new Map();
    }
  }

  function countOf(client: string): Count {
    let count = counts.get(client);
    if (count === undefined) {
      if (counts.size >= maxClients) {
        for (const [oldest] of counts) {
          counts.delete(oldest);
          break;
        }
      }
      count = { counted: 0, unsent: 0 };
      counts.set(client, count);
    }
    return count;
  }

  return {
    limit,
    take(client) {
      roll();
      const count = countOf(client);
      const used = count.counted + count.unsent;
      // Rejected requests are not counted: an attack causes no traffic between replicas.
      if (used >= limit) return -1;
      if (count.unsent++ === 0) {
        unsent.set(client, count);
        if (unsent.size === 1) onUnsent();
      }
      return limit - used - 1;
    },
    remaining(client) {
      roll();
      const count = counts.get(client);
      return limit - (count === undefined ? 0 : Math.min(limit, count.counted + count.unsent));
    },
    // At most one window, even when the time was corrected slightly backwards.
    resetSeconds: () => Math.max(1, Math.ceil(Math.min(startsMs + windowMs - lastNowMs, windowMs) / 1_000)),
    window() {
      roll();
      return current;
    },
    hasUnsent: () => unsent.size > 0,
    drain(max) {
      roll();
      const drained: Unsent[] = [];
      for (const [client, count] of unsent) {
        if (drained.length >= max) break;
        drained.push({ client, requests: count.unsent });
        count.counted += count.unsent;
        count.unsent = 0;
        unsent.delete(client);
      }
      return drained;
    },
    merge(window, client, total) {
      roll();
      if (window !== current) return;
      const count = countOf(client);
      // Totals only grow, and this one may or may not include the counts just sent: keep the larger.
      count.counted = Math.max(count.counted, total);
    },
  };
}
