import { expect, test } from "vitest";
import { createRedisRegistry, memoryOf } from "./metrics.ts";

test.each([
  [
    "a limit",
    "used_memory:100\r\nused_memory_rss:9\r\nmaxmemory:200\r\ntotal_system_memory:900\r\n",
    100,
    200,
  ],
  ["no limit", "used_memory:100\r\nmaxmemory:0\r\ntotal_system_memory:900\r\n", 100, 900],
  ["a service that hides it", "", 0, 0],
])("%s", (_name, info, usedBytes, limitBytes) => {
  expect(memoryOf(info)).toEqual({ usedBytes, limitBytes });
});

test("the gauges of its memory have no value while Redis is unavailable", async () => {
  let isAvailable = true;
  const { registry } = createRedisRegistry(
    () =>
      isAvailable ? Promise.resolve({ usedBytes: 1, limitBytes: 2 }) : Promise.reject(new Error("gone")),
    () => isAvailable,
  );
  const samples = async () =>
    (await registry.metrics()).split("\n").filter((line) => /^telemetryd_redis_(up|memory)/.test(line));
  expect(await samples()).toEqual([
    "telemetryd_redis_up 1",
    "telemetryd_redis_memory_bytes 1",
    "telemetryd_redis_memory_limit_bytes 2",
  ]);
  isAvailable = false;
  expect(await samples()).toEqual(["telemetryd_redis_up 0"]);
});
