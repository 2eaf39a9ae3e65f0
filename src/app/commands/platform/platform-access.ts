import { connect } from "node:net";
import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { socketPath } from "../../../base/redis/private-server.ts";
import { claimFormat, createRedis } from "../../../base/redis/redis.ts";
import { type Administration, createAdministration } from "../../../kube-server/administration.ts";
import { ready } from "../../../kube-server/redis-start.ts";
import { assemble } from "../../../platform/platform.ts";
import type { Config } from "../../config/schema.ts";

/** @throws INVALID_CONFIGURATION when this installation hosts no platform */
export function platformSection(config: Config): NonNullable<Config["platform"]> {
  if (config.platform !== undefined) return config.platform;
  throw new TelemetrydError(
    "INVALID_CONFIGURATION",
    "the configuration has no section platform: organizations and tokens are kept where the platform runs",
  );
}

const redisLimitMs = 10_000;

export type PlatformParts = ReturnType<typeof assemble>;

/**
 * Accesses the platform's data in Redis, whether the daemon runs or not. A private redis-server run by the
 * daemon is used; if none runs, one is started for the duration of the work.
 *
 * @throws REDIS_UNAVAILABLE when it does not respond; STATE_UNUSABLE when a newer telemetryd has written it
 */
export async function withPlatform<T>(
  config: Config,
  work: (platform: PlatformParts) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { groupDomain, quotas } = platformSection(config);
  const stateDirectory = config.state.directory;
  const urls = config.redis?.url ?? [];
  const room = createRedis({ urls, stateDirectory, clock: systemClock, log: silentLogger });
  const needsServer = urls.length === 0 && !(await responds(socketPath(stateDirectory)));
  const stop = new AbortController();
  const running = needsServer ? room.service.run(stop.signal) : Promise.resolve();
  const connection = room.open("background", "command");
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(redisLimitMs)]);
    await Promise.race([ready(connection, systemClock, limit), failureOf(running)]).catch(
      (cause: unknown) => {
        signal.throwIfAborted();
        if (cause instanceof TelemetrydError) throw cause;
        throw new TelemetrydError("REDIS_UNAVAILABLE", "Redis does not respond", { cause });
      },
    );
    await claimFormat(connection);
    const options = { groupDomain, quotas, clock: systemClock, log: silentLogger };
    return await work(assemble(options, connection, connection));
  } finally {
    connection.disconnect();
    stop.abort();
    await running.catch(() => undefined);
  }
}

/** {@link withPlatform}, for operators' actions. */
export async function withAdministration<T>(
  config: Config,
  work: (administration: Administration) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return await withPlatform(config, (parts) => work(createAdministration(parts)), signal);
}

/** Never resolves: rejects only when the service fails. */
function failureOf(running: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    running.catch(reject);
  });
}

/** Whether a process listens on a Unix socket. */
function responds(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
