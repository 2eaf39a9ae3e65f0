/** A bucket of permits that fills again at a steady rate. */
interface Bucket {
  permits: number;
  filledMs: number;
}

export interface RateLimiterOptions {
  /** Permits a second. */
  readonly perSecond: number;
  /** Permits that may pile up. */
  readonly burst: number;
}

/** Bounds the requests of each client; state of one process, so that a limit is per replica. */
export interface RateLimiter {
  /** @returns 0 when the request may go on, else the seconds after which to try again */
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
      // The map keeps the order of use: the one not seen for longest goes first.
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
