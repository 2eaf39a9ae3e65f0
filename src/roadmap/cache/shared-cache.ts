import type { Clock } from "../../base/core/clock.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { type Lease, type LeaseOutcome, takeLease } from "../../base/redis/lease.ts";
import { runScript } from "../../base/redis/run-script.ts";
import { type Backlog, type BacklogMeta, parseBacklog, parseMeta } from "../board/backlog.ts";
import * as scripts from "./scripts.ts";

/** The shared cache entry and refresh lease in Redis. Every call rejects when Redis is unreachable. */

export const cacheKey = `${keyPrefix}:roadmap:backlog`;
export const leaseKey = `${keyPrefix}:roadmap:lease`;
const fenceKey = `${keyPrefix}:roadmap:fence`;

/** Short, since the fleet reports a refresh for this long after a crash. */
export const leaseMs = 8_000;

/** Renewed by every refresh; only cleans up after a fleet that is gone for good. */
const entryLifeMs = 90 * 24 * 3_600_000;

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
  /** Takes the refresh lease; every renewal shows the other replicas that a refresh runs. */
  takeLease(owner: string): Promise<LeaseOutcome>;
  /**
   * Stores the result of a refresh and ends the lease.
   *
   * @returns the new revision; "lost" when the lease was lost; "gone" when the items to keep no longer exist
   */
  store(
    lease: Lease,
    meta: BacklogMeta,
    itemsJson: string | undefined,
    knownRevision: number,
  ): Promise<number | "lost" | "gone">;
  restore(entry: Entry): Promise<boolean>;
  discard(meta: string): Promise<void>;
}

export function createSharedCache(redis: RedisConnection, clock: Clock): SharedCache {
  const run = async (script: string, ...args: Array<string | number>): Promise<number> =>
    Number(await runScript(redis, script, [cacheKey], args));

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
    takeLease: (owner) =>
      takeLease({
        redis,
        clock,
        keys: { lease: leaseKey, fence: fenceKey },
        owner,
        ttlMs: leaseMs,
        scripts: scripts.refreshLeaseScripts,
      }),
    async store(lease, meta, itemsJson, knownRevision) {
      const args = [JSON.stringify(meta), itemsJson ?? "", knownRevision, entryLifeMs];
      const reply = Number(await lease.run(scripts.storeResult, [cacheKey], args));
      if (reply === 0) return "lost";
      return reply === -1 ? "gone" : reply;
    },
    async restore({ revision, backlog, itemsJson }) {
      const meta = JSON.stringify(backlog.meta);
      return (await run(scripts.restoreEntry, revision, meta, itemsJson, entryLifeMs)) === 1;
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
