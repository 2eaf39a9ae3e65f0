import { Gauge, Histogram, Registry } from "prom-client";

interface RedisMemory {
  readonly usedBytes: number;
  /** `maxmemory`, or the memory of Redis' machine where there is no limit; 0 if unknown. */
  readonly limitBytes: number;
}

/** Pure. @param info the reply to `INFO memory`: `name:value` lines */
export function memoryOf(info: string): RedisMemory {
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:(\\d+)\\r?$`, "m").exec(info)?.[1] ?? 0);
  return { usedBytes: field("used_memory"), limitBytes: field("maxmemory") || field("total_system_memory") };
}

export interface RedisMetrics {
  readonly registry: Registry;
  /** Counts a ping's round trip, ms. */
  pinged(ms: number): void;
}

/**
 * Metrics of Redis: whether it responds, how fast, and its memory.
 *
 * @param read asks Redis, at scrape time; the gauges of its memory have no value while it rejects
 */
export function createRedisRegistry(read: () => Promise<RedisMemory>, isUp: () => boolean): RedisMetrics {
  const registry = new Registry();
  new Gauge({
    name: "telemetryd_redis_up",
    help: "1 while Redis responds.",
    registers: [registry],
    collect() {
      this.set(Number(isUp()));
    },
  });
  const gauge = (name: string, help: string, pick: (memory: RedisMemory) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const memory = await read().catch(() => undefined);
        this.reset();
        if (memory === undefined) this.remove();
        else this.set(pick(memory));
      },
    });
  gauge("telemetryd_redis_memory_bytes", "Memory that Redis uses.", ({ usedBytes }) => usedBytes);
  gauge(
    "telemetryd_redis_memory_limit_bytes",
    "Memory that Redis may use: its maxmemory, or else the memory of its machine.",
    ({ limitBytes }) => limitBytes,
  );
  const pings = new Histogram({
    name: "telemetryd_redis_round_trip_seconds",
    help: "Time until Redis replies to a ping, two of which are sent each second.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
    registers: [registry],
  });
  return { registry, pinged: (ms) => pings.observe(ms / 1_000) };
}
