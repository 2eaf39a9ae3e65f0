import { Queue } from "bullmq";
import type { FastifyPluginAsync } from "fastify";
import type { Registry } from "prom-client";
import { keyPrefix } from "../../base/redis/connection.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import { cycleQueueName } from "../../exporter/delivery/schedule/cycle-queue.ts";
import { queueName as roadmapQueueName } from "../../roadmap/cache/refresh-queue.ts";
import type { Config } from "../config/schema.ts";
import { queueDashboard } from "../ops/queue-dashboard.ts";
import { createQueueRegistry } from "../ops/queue-metrics.ts";

/** The daemon's queues, for the dashboard and the metrics. */
export interface QueueViews {
  readonly registry: Registry;
  readonly dashboard: FastifyPluginAsync;
  close(): Promise<void>;
}

/** @returns undefined when the configuration uses no queue */
export function openQueueViews(config: Config, redis: RedisConnections): QueueViews | undefined {
  const names = [
    ...(config.export.schedule === "queue" ? [cycleQueueName] : []),
    ...(config.roadmap === undefined ? [] : [roadmapQueueName]),
  ];
  if (names.length === 0) return undefined;
  // Fails fast when Redis is unreachable: scrapes and pages must not wait for it.
  const connection = redis.open("command", "queue-views");
  const queues = names.map((name) => {
    const queue = new Queue(name, {
      connection,
      prefix: keyPrefix,
      skipVersionCheck: true,
      skipWaitingForReady: true,
    });
    // The connection logs its own loss.
    queue.on("error", () => undefined);
    return queue;
  });
  return {
    registry: createQueueRegistry(queues),
    dashboard: queueDashboard({ queues, isWritable: config.ops?.dashboard === "write" }),
    async close() {
      connection.disconnect();
      await Promise.all(queues.map((queue) => queue.close().catch(() => undefined)));
    },
  };
}
