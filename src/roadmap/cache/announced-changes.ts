import { z } from "zod";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { redisTime } from "../../base/redis/lease-scripts.ts";
import { runScript } from "../../base/redis/run-script.ts";

/**
 * Changes that the board's service announces (webhooks), in Redis, for all replicas. A change is a mark that
 * stays until the board has been read {@link settleMs} later, so that neither a crash nor a failure loses it.
 * Times are Redis' own. Every call rejects when Redis is unreachable.
 */
export interface AnnouncedChanges {
  /** Sets the mark, unless one of the ids was noted before; they identify one announcement, if there are any. */
  note(ids: readonly string[]): Promise<"noted" | "repeated">;
  pending(): Promise<PendingChange | undefined>;
  /** Removes the mark, unless a later change has replaced it. */
  settle(change: PendingChange): Promise<void>;
  /** How long a read of the board has to wait, ms. Asking costs nothing: the read may never take place. */
  readDelayMs(): Promise<number>;
  /** Charges a read that begins. */
  countRead(): Promise<void>;
}

export interface PendingChange {
  readonly mark: string;
  readonly ageMs: number;
}

/**
 * The service's API may lag behind its announcements: only a read that begins this long after a change is
 * certain to contain it.
 */
export const settleMs = 5_000;

/**
 * From an announcement to the first read: those of the same action arrive meanwhile, and the API follows. Not
 * a delay of the queue, which counts in whole seconds.
 */
export const leadMs = 500;

/** How often announcements may have the board read: soon after a change, and within the service's limits. */
export interface ReadPace {
  /** Between two reads, at least. */
  readonly spacingMs: number;
  /** This many reads at that pace, */
  readonly burst: number;
  /** then one per this time. */
  readonly refillMs: number;
}

export const readPace: ReadPace = { spacingMs: 1_000, burst: 20, refillMs: 10_000 };

/** GitHub redelivers what is up to three days old. */
const idLifeMs = 3 * 24 * 3_600_000;
const maxIds = 10_000;
/** Only cleans up after a fleet that is gone for good. */
const markLifeMs = 24 * 3_600_000;

const idsKey = `${keyPrefix}:roadmap:announced`;
const markKey = `${keyPrefix}:roadmap:changed`;
const paceKey = `${keyPrefix}:roadmap:reads`;

/** KEYS: ids, mark. ARGV: life of ids and of the mark, ms; most ids; ids. Returns 0 when one is known. */
const noteScript = `
${redisTime}
local now = nowMs()
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[1])
for i = 4, #ARGV do
  if redis.call("ZSCORE", KEYS[1], ARGV[i]) then return 0 end
end
for i = 4, #ARGV do redis.call("ZADD", KEYS[1], now, ARGV[i]) end
redis.call("ZREMRANGEBYRANK", KEYS[1], 0, -1 - ARGV[3])
redis.call("PEXPIRE", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], string.format("%.0f", now), "PX", ARGV[2])
return 1
`;

/** KEYS: mark. Returns the mark and its age, or nothing. */
const pendingScript = `
${redisTime}
local mark = redis.pcall("GET", KEYS[1])
-- No refresh may fail because another program wrote the key.
if type(mark) ~= "string" then return {} end
return { mark, math.max(0, nowMs() - (tonumber(mark) or 0)) }
`;

/** KEYS: mark. ARGV: the mark to remove. */
const settleScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0
`;

/**
 * A token bucket. `last` is the time of the last read; at `full`, the whole burst is allowed again. Reads may
 * come early (a retry, the schedule): later ones then wait longer.
 * KEYS: pace. ARGV: spacing, refill, burst, 1 to charge a read. Returns ms until a read may begin.
 */
const paceScript = `
${redisTime}
local now, spacing, refill, burst = nowMs(), tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local last = tonumber(redis.call("HGET", KEYS[1], "last")) or 0
local full = tonumber(redis.call("HGET", KEYS[1], "full")) or 0
-- No read is in the future: the clock was set back.
if last > now then last, full = 0, 0 end
local at = math.max(now, last + spacing, full - (burst - 1) * refill)
if ARGV[4] == "1" then
  full = math.max(full, now) + refill
  redis.call("HSET", KEYS[1], "last", string.format("%.0f", now), "full", string.format("%.0f", full))
  redis.call("PEXPIRE", KEYS[1], math.ceil(full - now))
end
return at - now
`;

const pendingReply = z.union([z.tuple([]), z.tuple([z.string(), z.number()])]);

export function createAnnouncedChanges(redis: RedisConnection, pace: ReadPace = readPace): AnnouncedChanges {
  const paceArgs = [pace.spacingMs, pace.refillMs, pace.burst];
  return {
    async note(ids) {
      const args = [idLifeMs, markLifeMs, maxIds, ...ids];
      const isNew = Number(await runScript(redis, noteScript, [idsKey, markKey], args)) === 1;
      return isNew ? "noted" : "repeated";
    },
    async pending() {
      const [mark, ageMs = 0] = pendingReply.parse(await runScript(redis, pendingScript, [markKey], []));
      return mark === undefined ? undefined : { mark, ageMs };
    },
    settle: async ({ mark }) => void (await runScript(redis, settleScript, [markKey], [mark])),
    readDelayMs: async () => Number(await runScript(redis, paceScript, [paceKey], [...paceArgs, 0])),
    countRead: async () => void (await runScript(redis, paceScript, [paceKey], [...paceArgs, 1])),
  };
}
