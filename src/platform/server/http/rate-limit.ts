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
  /** @returns 0 if the request is allowed, else the seconds to wait before retrying */
  take(client: string, nowMs: number): number;
}

const maxClients = 10_000;

export function createRateLimiter({ perSecond, burst }: RateLimiterOptions): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(client, nowMs) {
      const bucket = buckets.get(client) ?? { permits: burst, filledMs: nowMs };
      const elapsedSeconds = Math.max(0, nowMs - bucket.filledMs) / 1000;
      bucket.permits = Math.min(burst, bucket.permits + elapsedSeconds * perSecond);
      bucket.filledMs = nowMs;
      // The map is ordered by use: drop the least recently seen client.
      buckets.delete(client);
      buckets.set(client, bucket);
      if (buckets.size > maxClients) buckets.delete(buckets.keys().next().value ?? "");
      if (bucket.permits >= 1) {
        bucket.permits--;
        return 0;
      }
      return Math.max(1, Math.ceil((1 - bucket.permits) / perSecond));
    },
  };
}
