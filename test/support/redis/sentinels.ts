import { Releasers } from "../../../src/base/core/service.ts";
import { type RedisOptions, type RunningServer, startRedis, startSentinel } from "../servers.ts";

export const primaryName = "mymaster";

/**
 * A primary, its replica, and three sentinels that promote the replica when the primary is down for a second.
 */
export interface WatchedRedis extends AsyncDisposable {
  readonly primary: RunningServer;
  /** `redis+sentinel://…`, as `redis.url` takes it. */
  readonly url: string;
}

/** @param password required by primary and replica */
export async function startWatchedRedis(password: string): Promise<WatchedRedis> {
  const releasers = new Releasers();
  const keep = async (starting: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await starting;
    releasers.push(() => server[Symbol.asyncDispose]());
    return server;
  };
  const secured = ["--requirepass", password, "--masterauth", password, "--repl-diskless-sync-delay", "0"];
  const redis = (flags: readonly string[]): RedisOptions => ({
    persistent: true,
    flags: [...secured, ...flags],
  });
  try {
    const primary = await keep(startRedis(redis([])));
    await keep(startRedis(redis(["--replicaof", "127.0.0.1", String(primary.port)])));
    const watched = { name: primaryName, port: primary.port, quorum: 2, password };
    const sentinels = await Promise.all([1, 2, 3].map(() => keep(startSentinel(watched))));
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return {
      primary,
      url: `redis+sentinel://:${encodeURIComponent(password)}@${hosts}/${primaryName}/0`,
      [Symbol.asyncDispose]: () => releasers.releaseAll(),
    };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}
