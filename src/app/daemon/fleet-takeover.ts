import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/log/log.ts";
import { createRedis } from "../../base/redis/redis.ts";
import { RedisState } from "../../exporter/delivery/fleet/redis-state.ts";
import type { SinkStates } from "../../exporter/delivery/state/sink-states.ts";
import type { Config } from "../config/schema.ts";

const limitMs = 5_000;
const retryEveryMs = 100;

/**
 * Migrates from a fleet to a daemon that runs its cycles itself: takes over the checkpoints in Redis that are
 * newer than those of the state directory. A no-op without `redis.url`.
 */
export async function takeOverFromFleet(
  config: Config,
  mirror: SinkStates,
  clock: Clock,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const urls = config.redis?.url ?? [];
  if (urls.length === 0) return;
  const redis = createRedis({ urls, stateDirectory: config.state.directory, clock, log });
  const state = new RedisState({ redis, mirror, clock });
  const untilMs = clock.monotonicMs() + limitMs;
  try {
    for (;;) {
      try {
        const sinks = await state.handOver();
        if (sinks.length > 0)
          log.info({ sinks: sinks.length }, "took over the checkpoints that a fleet left in Redis");
        return;
      } catch (error) {
        if (clock.monotonicMs() > untilMs) {
          log.warn(
            { error: describeError(error) },
            "Redis does not respond: starting with the checkpoints of the state directory; what a fleet has sent since may be sent again",
          );
          return;
        }
        await clock.sleep(retryEveryMs, signal);
      }
    }
  } finally {
    state.close();
  }
}
