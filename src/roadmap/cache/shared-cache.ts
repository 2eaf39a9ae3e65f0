import { z } from "zod";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { type Backlog, type BacklogMeta, parseBacklog, parseMeta } from "../board/backlog.ts";
import * as scripts from "./scripts.ts";

/** The shared cache entry and refresh lease in Redis. Every call rejects when Redis is unreachable. */

export const cacheKey = `${keyPrefix}:roadmap:backlog`;
export const leaseKey = `${keyPrefix}:roadmap:lease`;
export const eventsChannel = `${keyPrefix}:roadmap:events`;

/** Renewed by every refresh; only cleans up after a fleet that is gone for good. */
const entryLifeMs = 90 * 24 * 3_600_000;

/** Events published to all replicas. */
const eventSchema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("refreshing"), by: z.string(), ttlMs: z.number().positive() }),
  z.object({ event: z.literal("idle"), by: z.string() }),
  z.object({ event: z.literal("stored"), by: z.string() }),
]);

export type SharedEvent = z.infer<typeof eventSchema>;

export function parseEvent(message: string): SharedEvent | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

/** The holder of the refresh lease, and its maximum remaining time; 0 ms: no refresh runs. */
export interface SharedLease {
  readonly leaseBy: string | null;
  readonly leaseMs: number;
}

/** The content of Redis, relative to the known revision `knownRevision`. */
export type SharedState = SharedLease &
  (
    | { readonly kind: "absent" }
    | { readonly kind: "known" }
    /** Not an entry of this format: `meta` identifies it for {@link SharedCache.discard}. */
    | { readonly kind: "invalid"; readonly meta: string }
    | {
        readonly kind: "entry";
        readonly revision: number;
        readonly backlog: Backlog;
        readonly itemsJson: string;
      }
  );

export interface Entry {
  readonly revision: number;
  readonly backlog: Backlog;
  readonly itemsJson: string;
}

export interface SharedCache {
  read(known: Entry | undefined): Promise<SharedState>;
  /** @returns 0 when acquired; otherwise the remaining ms of the other holder's lease */
  acquire(token: string, ttlMs: number): Promise<number>;
  renew(token: string, ttlMs: number): Promise<boolean>;
  release(token: string): Promise<void>;
  /**
   * @returns the new revision; "lost" when the lease was lost; "gone" when the items to keep no longer exist
   */
  store(
    token: string,
    meta: BacklogMeta,
    itemsJson: string | undefined,
    knownRevision: number,
  ): Promise<number | "lost" | "gone">;
  restore(entry: Entry): Promise<boolean>;
  discard(meta: string): Promise<void>;
}

export function createSharedCache(redis: RedisConnection): SharedCache {
  const run = async (script: string, ...args: Array<string | number>): Promise<number> =>
    Number(await redis.eval(script, 2, cacheKey, leaseKey, ...args));

  return {
    async read(known) {
      const [leaseBy, restMs] = await Promise.all([redis.get(leaseKey), redis.pttl(leaseKey)]);
      const lease = { leaseBy, leaseMs: Math.max(0, restMs) };
      if ((await redis.type(cacheKey)) === "none") return { kind: "absent", ...lease };
      let fields: (string | null)[];
      try {
        fields = await redis.hmget(cacheKey, "revision", "meta");
      } catch (error) {
        if (error instanceof Error && error.message.startsWith("WRONGTYPE")) {
          return { kind: "invalid", meta: "", ...lease };
        }
        throw error;
      }
      const [revision, metaJson] = fields;
      const meta = parseMeta(metaJson ?? "");
      if (!/^\d{1,15}$/.test(revision ?? "") || meta === undefined) {
        return { kind: "invalid", meta: metaJson ?? "", ...lease };
      }
      if (known !== undefined && known.revision === Number(revision)) return { kind: "known", ...lease };
      if (known !== undefined && known.backlog.meta.contentId === meta.contentId) {
        const backlog = { meta, items: known.backlog.items };
        return { kind: "entry", revision: Number(revision), backlog, itemsJson: known.itemsJson, ...lease };
      }
      return { ...(await readWhole()), ...lease };
    },
    async acquire(token, ttlMs) {
      const reply = await run(scripts.acquireLease, token, ttlMs, eventsChannel);
      return reply === 1 ? 0 : -reply;
    },
    renew: async (token, ttlMs) => (await run(scripts.renewLease, token, ttlMs, eventsChannel)) === 1,
    release: async (token) => void (await run(scripts.releaseLease, token, eventsChannel)),
    async store(token, meta, itemsJson, knownRevision) {
      const reply = await run(
        scripts.storeResult,
        ...[token, JSON.stringify(meta), itemsJson ?? "", knownRevision, entryLifeMs, eventsChannel],
      );
      if (reply === 0) return "lost";
      return reply === -1 ? "gone" : reply;
    },
    async restore({ revision, backlog, itemsJson }) {
      const meta = JSON.stringify(backlog.meta);
      return (await run(scripts.restoreEntry, revision, meta, itemsJson, entryLifeMs, eventsChannel)) === 1;
    },
    discard: async (meta) => void (await run(scripts.discardEntry, meta)),
  };

  /** Meta and items in one command: between two, another replica could replace both. */
  async function readWhole(): Promise<
    | { kind: "absent" }
    | { kind: "invalid"; meta: string }
    | { kind: "entry"; revision: number; backlog: Backlog; itemsJson: string }
  > {
    const [revision, metaJson, itemsJson] = await redis.hmget(cacheKey, "revision", "meta", "items");
    if (metaJson === null || metaJson === undefined) return { kind: "absent" };
    const backlog = parseBacklog(metaJson, itemsJson ?? "");
    if (backlog === undefined) return { kind: "invalid", meta: metaJson };
    return { kind: "entry", revision: Number(revision), backlog, itemsJson: itemsJson ?? "" };
  }
}
