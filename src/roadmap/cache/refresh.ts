import { type BackoffPolicy, nextDelay } from "../../base/core/backoff.ts";
import { defined } from "../../base/core/defined.ts";
import { type Backlog, type BacklogMeta, contentId, selectItems } from "../board/backlog.ts";
import type { Board, BoardFailure } from "../board/board.ts";

export interface RefreshSettings {
  readonly statuses: readonly string[];
  /**
   * Reads the items again after this long even if the board's version is unchanged: on GitHub, relabelling or
   * retitling an issue does not always update the board.
   */
  readonly maxReadAgeMs: number;
  /** Reads the items whatever the board's version: a change was announced that may not show in it. */
  readonly mustRead?: boolean;
  readonly nowMs: () => number;
}

/** The result of a refresh. `warnings` are for the log. */
export type RefreshOutcome =
  | { readonly kind: "unchanged"; readonly meta: BacklogMeta; readonly warnings: readonly string[] }
  | {
      readonly kind: "replaced";
      readonly meta: BacklogMeta;
      readonly backlog: Backlog;
      readonly itemsJson: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "failed"; readonly failure: BoardFailure };

/**
 * Refreshes a backlog: asks the board whether anything changed, and only then reads all of it. Independent of
 * queues and caches. The result is complete or a failure.
 *
 * @param cached the current cache entry, if any
 * @throws only the signal's reason
 */
export async function refresh(
  board: Board,
  cached: BacklogMeta | undefined,
  settings: RefreshSettings,
  signal: AbortSignal,
): Promise<RefreshOutcome> {
  const head = await board.head(signal);
  if (!head.ok) return { kind: "failed", failure: head.failure };
  const { statuses: known, version, node } = head.value;

  const missing = known === undefined ? [] : settings.statuses.filter((status) => !known.includes(status));
  if (known !== undefined && missing.length === settings.statuses.length) {
    // Otherwise a typo in the configuration would replace a good cache with an empty one.
    const message = `none of roadmap.statuses (${settings.statuses.join(", ")}) is a status of the board (${known.join(", ")})`;
    return { kind: "failed", failure: { kind: "misconfigured", message } };
  }
  const warnings = missing.map((status) => `the board has no status "${status}" (roadmap.statuses)`);

  if (cached !== undefined && isUnchanged(cached, board.id, version, settings)) {
    const meta = defined({ ...cached, updatedAt: updateTime(cached, settings.nowMs()), boardNode: node });
    return { kind: "unchanged", meta, warnings };
  }

  const content = await board.items(signal);
  if (!content.ok) return { kind: "failed", failure: content.failure };
  warnings.push(...(content.value.warnings ?? []));
  const items = selectItems(content.value.items, settings.statuses);
  const itemsJson = JSON.stringify(items);
  const nowMs = settings.nowMs();
  const meta: BacklogMeta = defined({
    format: 1 as const,
    updatedAt: updateTime(cached, nowMs),
    readAt: nowMs,
    board: board.id,
    boardNode: node,
    // The older of the two versions: the next refresh must detect a change between the requests.
    boardVersion: version,
    statuses: [...settings.statuses],
    contentId: contentId(itemsJson),
  });
  return { kind: "replaced", meta, backlog: { meta, items }, itemsJson, warnings };
}

function isUnchanged(
  cached: BacklogMeta,
  boardId: string,
  version: string,
  settings: RefreshSettings,
): boolean {
  const readAgeMs = settings.nowMs() - cached.readAt;
  return (
    settings.mustRead !== true &&
    cached.board === boardId &&
    cached.boardVersion === version &&
    cached.statuses.join("\n") === settings.statuses.join("\n") &&
    // A clock that was set back would otherwise make old items look new.
    readAgeMs >= 0 &&
    readAgeMs < settings.maxReadAgeMs
  );
}

/** A success time further in the future comes from a wrong clock, not from ordinary clock skew. */
const clockToleranceMs = 60_000;

/** Never goes back by the clocks of replicas, which differ a little; a time far in the future is wrong. */
function updateTime(cached: BacklogMeta | undefined, nowMs: number): number {
  const before = cached?.updatedAt ?? nowMs;
  return before - nowMs > clockToleranceMs ? nowMs : Math.max(before, nowMs);
}

const retry: BackoffPolicy = { baseMs: 2_000, maxMs: 300_000, jitter: 0.2 };

/** The pause after failure `attempt` (from 1): doubles to five minutes; at least the board's own request. */
export function retryDelayMs(attempt: number, failure: BoardFailure | undefined, random: number): number {
  return Math.max(nextDelay(attempt, retry, random), failure?.retryAfterMs ?? 0);
}

/**
 * Whether a cache needs an unscheduled refresh: it was never filled, is older than the interval plus a margin
 * (the scheduled refresh itself takes time), or has a time in the future from a wrong clock.
 */
export function isStale(updatedAt: number | null, nowMs: number, refreshIntervalMs: number): boolean {
  if (updatedAt === null) return true;
  const ageMs = nowMs - updatedAt;
  return ageMs > refreshIntervalMs * 1.1 + 1_000 || ageMs < -clockToleranceMs;
}
