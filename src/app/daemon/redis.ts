import type { DaemonRedis } from "../../base/redis/redis.ts";
import type { Part, PartContext } from "./parts.ts";

/** The Redis of the parts that need one: of `redis.url`, or a private one. */
export async function openRedis({
  config,
  clock,
  log,
}: PartContext): Promise<(DaemonRedis & Part) | undefined> {
  const { roadmap, platform, export: exports } = config;
  if (roadmap === undefined && platform === undefined && exports.schedule !== "queue") return undefined;
  const { createRedis } = await import("../../base/redis/redis.ts");
  const redis = createRedis({
    urls: config.redis?.url ?? [],
    stateDirectory: config.state.directory,
    appendFsync: platform?.durability ?? "everysec",
    clock,
    log,
  });
  return { ...redis, stage: "redis", services: [redis.service], registries: [redis.registry] };
}
