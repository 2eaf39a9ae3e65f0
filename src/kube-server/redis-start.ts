import type { Clock } from "../base/core/clock.ts";
import { describeError } from "../base/core/errors.ts";
import type { Logger } from "../base/log/log.ts";
import type { RedisConnection } from "../base/redis/connection.ts";
import { isStoreUnavailable } from "./http/store-outage.ts";

const againMs = 200;

/** Waits for the first response from Redis. */
export async function ready(redis: RedisConnection, clock: Clock, signal: AbortSignal): Promise<void> {
  while (redis.status !== "ready") await clock.sleep(20, signal);
}

/**
 * Does the work of a start, and again where Redis is lost meanwhile: that ends no daemon that has started
 * either.
 *
 * @param work may be repeated
 */
export async function withRedis<T>(
  redis: RedisConnection,
  work: () => Promise<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      log.warn({ error: describeError(error) }, "Redis does not respond; the start waits for it");
      await clock.sleep(againMs, signal);
      await ready(redis, clock, signal);
    }
  }
}
