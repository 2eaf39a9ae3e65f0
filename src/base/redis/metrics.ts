import { Gauge, Registry } from "prom-client";

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

/**
 * Metrics of Redis: whether it responds, and its memory.
 *
 * @param read asks Redis, at scrape time; the gauges of its memory have no value while it rejects
 */
export function createRedisRegistry(read: () => Promise<RedisMemory>, isUp: () => boolean): Registry {
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
  return registry;
}
