import type { Clock } from "../../base/core/clock.ts";
import type { Backlog, BacklogCacheStatus } from "../board/backlog.ts";
import { isStale } from "./refresh.ts";
import type { Entry } from "./shared-cache.ts";

/**
 * One replica's in-memory cache: requests are served from it without waiting.
 *
 * | state | `status()` |
 * | --- | --- |
 * | empty, Redis never reached | undefined |
 * | Redis reached, cache never filled | `updatedAt` null |
 * | filled (from Redis, a refresh or the file) | `updatedAt` a number, also while Redis is unreachable |
 *
 * `isRefreshing` is true while a refresh runs here or another replica's lease has not expired. A lease
 * expires by itself, so a crash cannot leave it true.
 */
export interface BacklogCache {
  /** The same object until it changes, so that callers can cache what they derive from it. */
  status(): BacklogCacheStatus | undefined;
  backlog(): Backlog | undefined;
  entry(): Entry | undefined;
  /**
   * Called for each request: triggers a refresh when the cache is stale. Cheap, and de-duplicated by time.
   */
  noticeRequest(): void;

  /** Redis responded; its cache is empty unless an entry was taken before. */
  reached(): void;
  take(entry: Entry): void;
  /** A refresh runs in this process; call the returned function when it has ended. */
  refreshingHere(): () => void;
  /** Another replica runs a refresh, for at most this long; 0: no replica does. */
  refreshingElsewhere(ttlMs: number): void;
}

export interface BacklogCacheOptions {
  readonly clock: Clock;
  readonly refreshIntervalMs: number;
  readonly onStale: () => void;
  /** Called after every `take`. */
  readonly onTake: (entry: Entry) => void;
}

/** Interval between checks of a stale cache: by then the refresh runs, or the queue was unreachable. */
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
