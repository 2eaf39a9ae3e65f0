import type { Logger } from "../../base/log/log.ts";
import type { Board } from "../board/board.ts";
import type { BacklogCache } from "./backlog-cache.ts";
import type { SharedCache, SharedState } from "./shared-cache.ts";
import { parseEvent } from "./shared-event.ts";

/** Keeps a replica's memory and the shared entry in Redis in sync: the newer one replaces the other. */
export interface Replica {
  /**
   * Syncs with Redis. @param ownLease the lease of this process's running refresh, if any
   * @throws any rejection from Redis; the memory is unchanged then
   */
  sync(ownLease?: string): Promise<void>;
  /** Handles another replica's message. @returns whether there is something new to `sync` */
  receive(message: string): boolean;
}

export function createReplica(parts: {
  readonly cache: BacklogCache;
  readonly shared: SharedCache;
  readonly board: Board;
  readonly log: Logger;
  readonly onInvalid: () => void;
  /** Redis has lost what it knew, announced changes included. Awaited before the entry is restored. */
  readonly onLoss: () => Promise<void>;
}): Replica {
  const { cache, shared, board, log } = parts;
  let lastOwnLease = "";
  let toldOfOtherBoard = "";

  return {
    async sync(ownLease) {
      if (ownLease !== undefined) lastOwnLease = ownLease;
      const state = await shared.read(cache.entry());
      if (state.kind === "invalid") {
        parts.onInvalid();
        log.warn("the roadmap entry in Redis cannot be read; throwing it away");
        await shared.discard(state.meta);
      }
      if (state.kind === "entry") takeIfNewer(state);
      const mine = cache.entry();
      // Redis may have been wiped, or have lost its last second: restore the entry from memory.
      if (mine !== undefined && state.kind !== "known") {
        const isOlder = state.kind === "entry" && state.revision < mine.revision;
        if (state.kind === "absent" || isOlder) await parts.onLoss();
        await shared.restore(mine);
      }
      // This process's own refresh is tracked locally, and its end is known sooner.
      cache.refreshingElsewhere(state.leaseBy === lastOwnLease ? 0 : state.leaseMs);
      cache.reached();
    },

    receive(message) {
      const event = parseEvent(message);
      if (event === undefined || event.by === lastOwnLease) return false;
      if (event.event === "refreshing") cache.refreshingElsewhere(event.ttlMs);
      if (event.event === "idle") cache.refreshingElsewhere(0);
      return event.event === "stored";
    },
  };

  function takeIfNewer({ revision, backlog, itemsJson }: Extract<SharedState, { kind: "entry" }>): void {
    const { meta } = backlog;
    if (meta.board !== board.id) {
      if (toldOfOtherBoard !== meta.board) {
        log.warn({ theirs: meta.board, ours: board.id }, "the roadmap entry in Redis is another board's");
      }
      toldOfOtherBoard = meta.board;
      return;
    }
    // Read only now: a refresh may have ended while Redis was read.
    const mine = cache.entry();
    if (mine === undefined || revision > mine.revision) cache.take({ revision, backlog, itemsJson });
  }
}
