import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/core/log.ts";
import { Releasers, type Service } from "../../base/core/service.ts";
import { untilAborted } from "../../base/core/signals.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import { createRateCounter, type RateCounter, type RateLimit } from "./rate-counter.ts";

/**
 * Shares rate-limit counts between replicas through Redis. Each replica sends its counts a few milliseconds
 * later, in one step for all clients, and Redis publishes the totals. A request therefore never waits for
 * Redis, a client can exceed its limit only within those milliseconds, and without Redis each replica counts
 * for itself.
 *
 * Windows follow Redis' clock: replicas with different or changing clocks still agree on when a window ends.
 */
export interface SharedRateLimit {
  readonly counter: RateCounter;
  readonly service: Service;
}

const sendAfterMs = 15;
const clientsPerSend = 500;
/** Maximum number of clients that a replica loads when it starts in the middle of a window. */
const clientsToLoad = 20_000;

/**
 * ARGV: channel, counts' TTL (ms), own id, window, then client and requests in turn. Returns time and totals.
 */
const addScript = `
local totals = {}
local told = {}
for i = 5, #ARGV, 2 do
  local total = redis.call("HINCRBY", KEYS[1], ARGV[i], ARGV[i + 1])
  totals[#totals + 1] = total
  told[#told + 1] = { ARGV[i], total }
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
redis.call("PUBLISH", ARGV[1], cjson.encode({ by = ARGV[3], window = tonumber(ARGV[4]), counts = told }))
return { redis.call("TIME"), totals }
`;

const replySchema = z.tuple([z.tuple([z.coerce.number(), z.coerce.number()]), z.array(z.number())]);
const messageSchema = z.object({
  by: z.string(),
  window: z.number(),
  counts: z.array(z.tuple([z.string(), z.number()])),
});

export function createSharedRateLimit(options: {
  readonly rateLimit: RateLimit;
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly log: Logger;
}): SharedRateLimit {
  const { rateLimit, clock, log } = options;
  const { windowMs, limit } = rateLimit;
  const ownId = randomUUID();
  // Replicas with different settings must not mix their counts.
  const base = `${keyPrefix}:api:rate:${limit}:${windowMs}`;
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  let connection: RedisConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;

  const counter = createRateCounter(rateLimit, () => clock.monotonicMs() + offsetMs, schedule);
  const keyOf = (window: number): string => `${base}:${window}`;

  function schedule(): void {
    if (connection === undefined || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void send();
    }, sendAfterMs);
  }

  async function send(): Promise<void> {
    if (connection === undefined || isSending) return;
    isSending = true;
    try {
      // Counts that arrive while Redis replies wait for the next flush: otherwise a busy client would keep it
      // running.
      for (let isMore = counter.hasUnsent(); isMore; ) {
        const window = counter.window();
        const drained = counter.drain(clientsPerSend);
        isMore = drained.length === clientsPerSend;
        if (drained.length === 0) break;
        const askedMs = clock.monotonicMs();
        const reply = await connection.eval(
          addScript,
          1,
          keyOf(window),
          ...[base, 2 * windowMs, ownId, window],
          ...drained.flatMap(({ client, requests }) => [client, requests]),
        );
        const [time, totals] = replySchema.parse(reply);
        follow(time, askedMs);
        for (const [index, { client }] of drained.entries()) {
          counter.merge(window, client, totals[index] ?? 0);
        }
      }
    } catch (error) {
      // Already counted here; the other replicas miss these few.
      log.debug({ error: describeError(error) }, "rate limit counts were not shared");
    } finally {
      isSending = false;
      if (counter.hasUnsent()) schedule();
    }
  }

  function follow([seconds, micros]: readonly [number, number], askedMs: number): void {
    const middleMs = (askedMs + clock.monotonicMs()) / 2;
    offsetMs = seconds * 1_000 + micros / 1_000 - middleMs;
  }

  /** Loads the other replicas' counts of this window, after a start or a lost connection. */
  async function load(redis: RedisConnection): Promise<void> {
    const askedMs = clock.monotonicMs();
    const [seconds, micros] = await redis.time();
    follow([Number(seconds), Number(micros)], askedMs);
    const window = counter.window();
    if ((await redis.hlen(keyOf(window))) > clientsToLoad) return;
    for (const [client, total] of Object.entries(await redis.hgetall(keyOf(window)))) {
      counter.merge(window, client, Number(total));
    }
  }

  function hear(text: string): void {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return;
    }
    const message = messageSchema.safeParse(json).data;
    if (message === undefined || message.by === ownId) return;
    for (const [client, total] of message.counts) counter.merge(message.window, client, total);
  }

  return {
    counter,
    service: {
      name: "rate limit sharing",
      snapshot: () => ({ shared: connection?.status === "ready" }),
      async run(signal) {
        const releasers = new Releasers();
        try {
          const opened = options.redis.open("command", "rate-limit");
          releasers.push(() => opened.disconnect());
          const subscriber = options.redis.open("subscriber", "rate-limit-events");
          releasers.push(() => subscriber.disconnect());
          subscriber.on("ready", () => void subscriber.subscribe(base).catch(() => undefined));
          subscriber.on("message", (_channel: string, text: string) => hear(text));
          opened.on("ready", () => void load(opened).catch(() => undefined));
          connection = opened;
          await untilAborted(signal);
        } finally {
          connection = undefined;
          clearTimeout(timer);
          timer = undefined;
          await releasers.releaseAll();
        }
      },
    },
  };
}
