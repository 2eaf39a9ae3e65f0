/** A token bucket that refills at a steady rate. */
interface Bucket {
  permits: number;
  filledMs: number;
}

export interface RateLimiterOptions {
  /** Permits per second. */
  readonly perSecond: number;
  /** Maximum number of accumulated permits. */
  readonly burst: number;
}

/** Rate limit per client. State is per process, so a limit is per replica. */
export interface RateLimiter {
  /** Takes a permit. @returns 0 if the request is allowed, else the seconds to wait before retrying */
  take(client: string, nowMs: number): number;
  /** Gives a permit back that {@link take} has taken. */
  give(client: string): void;
}

const maxClients = 10_000;

export function createRateLimiter({ perSecond, burst }: RateLimiterOptions): RateLimiter {
  const buckets = new Map<string, Bucket>();

  function filled(bucket: Bucket | undefined, nowMs: number): Bucket {
    if (bucket === undefined) return { permits: burst, filledMs: nowMs };
    const elapsedSeconds = Math.max(0, nowMs - bucket.filledMs) / 1000;
    return { permits: Math.min(burst, bucket.permits + elapsedSeconds * perSecond), filledMs: nowMs };
  }

  function waitSeconds({ permits }: Bucket): number {
    return permits >= 1 ? 0 : Math.max(1, Math.ceil((1 - permits) / perSecond));
  }

  return {
    give(client) {
      const bucket = buckets.get(client);
      if (bucket !== undefined) bucket.permits = Math.min(burst, bucket.permits + 1);
    },

    take(client, nowMs) {
      const bucket = filled(buckets.get(client), nowMs);
      // The map is ordered by use: drop the least recently seen client.
      buckets.delete(client);
      buckets.set(client, bucket);
      if (buckets.size > maxClients) buckets.delete(buckets.keys().next().value ?? "");
      const seconds = waitSeconds(bucket);
      if (seconds === 0) bucket.permits--;
      return seconds;
    },
  };
}
