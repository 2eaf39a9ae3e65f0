/** A limit of requests per client in fixed windows that all replicas share: window n is [n * windowMs, (n+1) * windowMs). */
export interface RateLimit {
  readonly limit: number;
  /** Whole seconds, in ms: headers count in seconds. */
  readonly windowMs: number;
}

/** What is known of one client in the present window. */
interface Count {
  /** In the whole fleet, as far as it was told, our own requests that were sent to it included. */
  counted: number;
  /** Of our own, not yet sent to the others. */
  unsent: number;
}

/** The requests of one client that the others have not heard of. */
export interface Unsent {
  readonly client: string;
  readonly requests: number;
}

/**
 * Counts the requests of each client, in memory: a request waits for nobody. What other replicas counted is merged in
 * when it is told.
 */
export interface RateCounter {
  readonly limit: number;
  /** Counts a request. Returns how many remain in the window, or -1 when it is one too many. */
  take(client: string): number;
  /**
   * Seconds until the window of the last `take` resets, at least 1: whoever waits that long is in the next window.
   */
  resetSeconds(): number;
  window(): number;
  /** What the others have not been told, and counts it as told. */
  drain(maxClients: number): Unsent[];
  hasUnsent(): boolean;
  /** Somebody says that the fleet has counted `total` for a client in a window. */
  merge(window: number, client: string, total: number): void;
}

/** Beyond this, the clients that were seen first are forgotten: memory must not grow with the addresses of the world. */
const maxClients = 200_000;
/** Corrections of the shared time below this never lead back into a window that was left. */
const jitterMs = 1_000;

/**
 * @param nowMs the time that the fleet shares, Unix epoch ms
 * @param onUnsent called when there is something to tell the others, once until it is drained
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

  /** Goes on to the window of now. */
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
      // What is refused is not counted: under attack nobody has to be told anything.
      if (used >= limit) return -1;
      if (count.unsent++ === 0) {
        unsent.set(client, count);
        if (unsent.size === 1) onUnsent();
      }
      return limit - used - 1;
    },
    // The rest is at most a window even where the time was corrected a little backwards.
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
      // Totals only grow, and whether this one includes what we have just sent is not known: the greater is the truer.
      count.counted = Math.max(count.counted, total);
    },
  };
}
