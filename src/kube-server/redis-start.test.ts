import { expect, test } from "vitest";
import { systemClock } from "../base/core/clock.ts";
import { silentLogger } from "../base/log/log.ts";
import type { RedisConnection } from "../base/redis/connection.ts";
import { withRedis } from "./redis-start.ts";

const options = { clock: systemClock, log: silentLogger };
const { signal } = new AbortController();

test.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  "Command timed out",
  "Connection is closed.",
])("a start in which Redis is lost (%s) is repeated once it responds", async (message) => {
  const redis = { status: "ready" };
  let turns = 0;
  const work = async (): Promise<string> => {
    if (turns++ > 0) return redis.status;
    redis.status = "reconnecting";
    setTimeout(() => (redis.status = "ready"), 300);
    throw new Error(message);
  };
  expect(await withRedis(redis as RedisConnection, work, options, signal)).toBe("ready");
  expect(turns).toBe(2);
});

test("other failures end the start", async () => {
  const work = () => Promise.reject(new Error("a fault"));
  const starting = withRedis({ status: "ready" } as RedisConnection, work, options, signal);
  await expect(starting).rejects.toThrow("a fault");
});
