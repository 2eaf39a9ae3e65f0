import type { DaemonRedis } from "../../base/redis/redis.ts";
import type { Config } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";

export function needsRedis({ roadmap, platform, export: exports }: Config): boolean {
  return roadmap !== undefined || platform !== undefined || exports.schedule === "queue";
}

/** The Redis of the parts that need one: of `redis.url`, or a private one. */
export async function openRedis({
  config,
  clock,
  log,
  signal,
}: PartContext): Promise<(DaemonRedis & Part) | undefined> {
  if (!needsRedis(config)) return undefined;
  const { createRedis } = await import("../../base/redis/redis.ts");
  const redis = createRedis({
    urls: config.redis?.url ?? [],
    stateDirectory: config.state.directory,
    appendFsync: config.platform?.durability ?? "everysec",
    clock,
    log,
  });
  await redis.checkFormat(signal);
  const problem = (): string | undefined => redis.outage()?.reason;
  return {
    ...redis,
    stage: "redis",
    services: [redis.service],
    registries: [redis.registry],
    problems: { redis: problem },
    // The roadmap and exports have copies of what is in Redis; the platform can do nothing without it.
    notReady: () => (config.platform === undefined ? undefined : problem()),
  };
}
