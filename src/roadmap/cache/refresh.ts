import { type BackoffPolicy, nextDelay } from "../../base/core/backoff.ts";
import { type Backlog, type BacklogMeta, contentId, selectItems } from "../board/backlog.ts";
import type { Board, BoardFailure } from "../board/board.ts";

export interface RefreshSettings {
  readonly statuses: readonly string[];
  /**
   * The items are read again after this long even if the board's version has not moved: on GitHub, relabelling or
   * retitling an issue does not always touch the board.
   */
  readonly maxReadAgeMs: number;
  readonly nowMs: () => number;
}

/** What a refresh found out. `warnings` are for the log. */
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
 * Brings a backlog up to date: asks the board whether anything changed, and only then reads all of it. Knows nothing of
 * queues and caches; what it returns is whole or a failure.
 *
 * @param cached what the cache holds now, if anything
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
  const { statuses: known, version } = head.value;

  const missing = known === undefined ? [] : settings.statuses.filter((status) => !known.includes(status));
  if (known !== undefined && missing.length === settings.statuses.length) {
    // Else a slip in the configuration would replace a good cache by an empty one.
    const message = `none of roadmap.statuses (${settings.statuses.join(", ")}) is a status of the board (${known.join(", ")})`;
    return { kind: "failed", failure: { kind: "misconfigured", message } };
  }
  const warnings = missing.map((status) => `the board has no status "${status}" (roadmap.statuses)`);

  if (cached !== undefined && isUnchanged(cached, board.id, version, settings)) {
    return { kind: "unchanged", meta: { ...cached, updatedAt: settings.nowMs() }, warnings };
  }

  const content = await board.items(signal);
  if (!content.ok) return { kind: "failed", failure: content.failure };
  const items = selectItems(content.value.items, settings.statuses);
  const itemsJson = JSON.stringify(items);
  const nowMs = settings.nowMs();
  const meta: BacklogMeta = {
    format: 1,
    updatedAt: nowMs,
    readAt: nowMs,
    board: board.id,
    // The older of the two: a change between the questions must be found by the next refresh.
    boardVersion: version,
    statuses: [...settings.statuses],
    contentId: contentId(itemsJson),
  };
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
    cached.board === boardId &&
    cached.boardVersion === version &&
    cached.statuses.join("\n") === settings.statuses.join("\n") &&
    // A clock that was set back would otherwise make old items look new for as long as it was wrong.
    readAgeMs >= 0 &&
    readAgeMs < settings.maxReadAgeMs
  );
}

const retry: BackoffPolicy = { baseMs: 2_000, maxMs: 300_000, jitter: 0.2 };

/** The pause after failure number `attempt` (from 1): doubling to five minutes, and never less than the board wants. */
export function retryDelayMs(attempt: number, failure: BoardFailure | undefined, random: number): number {
  return Math.max(nextDelay(attempt, retry, random), failure?.retryAfterMs ?? 0);
}

/** Further off than this, a time of success lies in the future because a clock was wrong, not because clocks differ. */
const clockToleranceMs = 60_000;

/**
 * Whether a cache needs a refresh that nobody has scheduled: never filled, or older than the interval and a bit (the
 * scheduled refresh itself takes its time), or from a future that a wrong clock made.
 */
export function isStale(updatedAt: number | null, nowMs: number, refreshIntervalMs: number): boolean {
  if (updatedAt === null) return true;
  const ageMs = nowMs - updatedAt;
  return ageMs > refreshIntervalMs * 1.1 + 1_000 || ageMs < -clockToleranceMs;
}
