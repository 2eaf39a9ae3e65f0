import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../src/base/core/clock.ts";
import { type Releasers, runStages } from "../../../src/base/core/service.ts";
import { type Logger, silentLogger } from "../../../src/base/log/log.ts";
import { createRedis } from "../../../src/base/redis/redis.ts";
import { createRoadmap, type Roadmap, type RoadmapOptions } from "../../../src/roadmap/cache/roadmap.ts";

export interface ReplicaOptions {
  /** A new folder of the test; the replica's state is in a subfolder. */
  readonly directory: string;
  readonly name?: string;
  /** Absent: a private redis-server. */
  readonly redisUrl?: string;
  readonly source: RoadmapOptions["source"];
  readonly statuses?: readonly string[];
  readonly refreshIntervalMs?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface RunningReplica {
  readonly roadmap: Roadmap;
  /** Stops it as the daemon does; rejects with its error, if any. */
  stop(): Promise<void>;
}

/** Redis and roadmap wired as in `main.ts`, for tests that do not need a whole daemon. */
export async function startReplica(options: ReplicaOptions, releasers: Releasers): Promise<RunningReplica> {
  const { redis, roadmap } = await wireReplica({ name: "replica", ...options });
  const controller = new AbortController();
  const ended = runStages([[redis.service], [roadmap.service]], controller.signal);
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  releasers.push(stop);
  return { roadmap, stop };
}

/** What {@link startReplica} runs. */
export async function wireReplica(options: ReplicaOptions & { readonly name: string }) {
  const { clock = systemClock, log = silentLogger } = options;
  const stateDirectory = join(options.directory, options.name);
  await mkdir(stateDirectory, { recursive: true });
  const redis = createRedis({
    stateDirectory,
    clock,
    log,
    ...(options.redisUrl === undefined ? {} : { urls: [options.redisUrl] }),
  });
  const roadmap = createRoadmap({
    source: options.source,
    statuses: options.statuses ?? ["In progress", "Planned", "Backlog"],
    refreshIntervalMs: options.refreshIntervalMs ?? 3_600_000,
    stateDirectory,
    redis,
    clock,
    log,
  });
  return { redis, roadmap, clock, log };
}
