import type { Clock } from "../../base/core/clock.ts";
import type { Backlog, BacklogCacheStatus } from "../board/backlog.ts";
import { isStale } from "./refresh.ts";
import type { Entry } from "./shared-cache.ts";

/**
 * What one replica knows, in memory: requests get responses from here and wait for nothing.
 *
 * | state | `status()` |
 * | --- | --- |
 * | nothing known yet, Redis never reached | undefined |
 * | Redis reached, cache never filled | `updatedAt` null |
 * | filled (from Redis, a refresh or the file) | `updatedAt` a number, also while Redis is away |
 *
 * `isRefreshing` is true while a refresh runs here, or while a lease of another replica has not run out. A lease ends
 * by itself, so a crash cannot leave it true.
 */
export interface BacklogCache {
  /** The same object until it changes, so that callers can keep what they made of it. */
  status(): BacklogCacheStatus | undefined;
  backlog(): Backlog | undefined;
  entry(): Entry | undefined;
  /** Called by requests: asks for a refresh when the cache is stale. Cheap, and de-duplicated by time. */
  noticeRequest(): void;

  /** Redis responded; with an empty cache, unless an entry was taken before. */
  reached(): void;
  take(entry: Entry): void;
  /** A refresh runs in this process; call the result when it ended. */
  refreshingHere(): () => void;
  /** Another replica says that a refresh runs, for at most this long; 0: none does. */
  refreshingElsewhere(ttlMs: number): void;
}

export interface BacklogCacheOptions {
  readonly clock: Clock;
  readonly refreshIntervalMs: number;
  readonly onStale: () => void;
  /** Called after every `take`. */
  readonly onTake: (entry: Entry) => void;
}

/** A stale cache is looked at again after this long: by then the refresh runs, or the queue was away. */
const noticeEveryMs = 2_000;

export function createBacklogCache(options: BacklogCacheOptions): BacklogCache {
  const { clock, refreshIntervalMs } = options;
  let current: Entry | undefined;
  let isReached = false;
  let runningHere = 0;
  let elsewhereUntilMs = 0;
  let noticeFromMs = Number.NEGATIVE_INFINITY;
  let status: BacklogCacheStatus | undefined;

  return {
    status() {
      if (current === undefined && !isReached) return undefined;
      const updatedAt = current?.backlog.meta.updatedAt ?? null;
      const isRefreshing =
        runningHere > 0 || (elsewhereUntilMs > 0 && clock.monotonicMs() < elsewhereUntilMs);
      if (status === undefined || status.updatedAt !== updatedAt || status.isRefreshing !== isRefreshing) {
        status = { updatedAt, isRefreshing };
      }
      return status;
    },
    backlog: () => current?.backlog,
    entry: () => current,
    noticeRequest() {
      const nowMs = clock.monotonicMs();
      if (nowMs < noticeFromMs) return;
      noticeFromMs = nowMs + noticeEveryMs;
      const updatedAt = current?.backlog.meta.updatedAt ?? null;
      if (isStale(updatedAt, clock.nowMs(), refreshIntervalMs)) options.onStale();
    },
    reached() {
      isReached = true;
    },
    take(entry) {
      current = entry;
      options.onTake(entry);
    },
    refreshingHere() {
      runningHere++;
      let isOver = false;
      return () => {
        if (!isOver) runningHere--;
        isOver = true;
      };
    },
    refreshingElsewhere(ttlMs) {
      elsewhereUntilMs = ttlMs <= 0 ? 0 : clock.monotonicMs() + ttlMs;
    },
  };
}
