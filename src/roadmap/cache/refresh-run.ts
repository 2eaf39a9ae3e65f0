import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/core/clock.ts";
import { pause, withEither } from "../../base/core/signals.ts";
import type { BacklogMeta } from "../board/backlog.ts";
import type { Board, BoardFailure } from "../board/board.ts";
import type { BacklogCache } from "./cache.ts";
import { type RefreshOutcome, type RefreshSettings, refresh } from "./refresh.ts";
import type { SharedCache } from "./shared-cache.ts";

/**
 * Runs the fleet's single refresh under a lease in Redis; storing its result also ends the lease, atomically.
 */

/** Short, since the fleet reports a refresh for this long after a crash. */
export const leaseMs = 8_000;
const renewEveryMs = leaseMs / 4;
/** The holder gives up before the lease expires, so that two never run at once. */
const giveUpAfterMs = leaseMs * 0.75;
/** A lease still held after this long is being renewed by a live replica. */
const waitForLeaseMs = leaseMs * 1.5;
/** Large boards take minutes at GitHub's usual pace. */
const refreshLimitMs = 15 * 60_000;
const storePauseMs = 250;

export type RunResult =
  | { readonly kind: "replaced" | "unchanged"; readonly warnings: readonly string[] }
  /** Another replica has just refreshed, or is refreshing. */
  | { readonly kind: "skipped" }
  | { readonly kind: "failed"; readonly failure: BoardFailure };

export interface RefreshRunOptions {
  readonly board: Board;
  readonly settings: RefreshSettings;
  readonly cache: BacklogCache;
  readonly shared: SharedCache;
  readonly clock: Clock;
  /**
   * Loads the current state from Redis into memory; `ownLease` does not count as another replica's refresh.
   */
  readonly sync: (ownLease?: string) => Promise<void>;
}

/** @throws the signal's reason; any rejection from Redis */
export async function runRefresh(options: RefreshRunOptions, signal: AbortSignal): Promise<RunResult> {
  const { cache, shared, sync } = options;
  const token = randomUUID();
  await sync(token);
  const before = cache.entry()?.revision;
  const taken = await takeLease(token, options, signal);
  if (taken === "held") return { kind: "skipped" };

  const finish = cache.refreshingHere();
  const over = new AbortController();
  const lost = keepLease(token, options, over.signal);
  let isStored = false;
  try {
    await sync();
    if (taken === "after waiting" && cache.entry()?.revision !== before) return { kind: "skipped" };
    const outcome = await withEither([signal, lost], (either) => refreshWithin(options, either));
    if (outcome.kind === "failed") return outcome;
    isStored = await withEither([signal, lost], (either) => store(token, outcome, options, either));
    if (!isStored) return leaseLost;
    return { kind: outcome.kind, warnings: outcome.warnings };
  } catch (error) {
    signal.throwIfAborted();
    if (lost.aborted) return leaseLost;
    throw error;
  } finally {
    over.abort();
    // If Redis is unreachable, the lease expires soon.
    if (!isStored) await shared.release(token).catch(() => undefined);
    finish();
  }
}

function unavailable(message: string): { readonly kind: "failed"; readonly failure: BoardFailure } {
  return { kind: "failed", failure: { kind: "unavailable", message } };
}

const leaseLost = unavailable("the lease was lost while the board was read: Redis was away for too long");

async function takeLease(
  token: string,
  { shared, clock, cache }: RefreshRunOptions,
  signal: AbortSignal,
): Promise<"at once" | "after waiting" | "held"> {
  const untilMs = clock.monotonicMs() + waitForLeaseMs;
  for (let hasWaited = false; ; hasWaited = true) {
    const heldMs = await shared.acquire(token, leaseMs);
    if (heldMs === 0) return hasWaited ? "after waiting" : "at once";
    cache.refreshingElsewhere(heldMs);
    if (clock.monotonicMs() >= untilMs) return "held";
    await clock.sleep(Math.min(heldMs + 20, 1_000), signal);
  }
}

/** Renews the lease until `over`. The returned signal aborts when the lease must be considered lost. */
function keepLease(token: string, { shared, clock }: RefreshRunOptions, over: AbortSignal): AbortSignal {
  const lost = new AbortController();
  const keep = async (): Promise<void> => {
    let heldSinceMs = clock.monotonicMs();
    while (!over.aborted) {
      await clock.sleep(renewEveryMs, over).catch(() => undefined);
      if (over.aborted) return;
      const askedMs = clock.monotonicMs();
      // A hanging Redis must not prevent giving up in time.
      const limit = new AbortController();
      const response = await Promise.race([
        shared.renew(token, leaseMs).catch(() => undefined),
        pause(clock, renewEveryMs, [over, limit.signal]),
      ]);
      limit.abort();
      if (response === true) heldSinceMs = askedMs;
      const isTooOld = clock.monotonicMs() - heldSinceMs > giveUpAfterMs;
      if (response === false || isTooOld) {
        if (!over.aborted) lost.abort(new Error("the refresh lease was lost"));
        return;
      }
    }
  };
  void keep();
  return lost.signal;
}

async function refreshWithin(options: RefreshRunOptions, signal: AbortSignal): Promise<RefreshOutcome> {
  const { board, cache, settings } = options;
  const limit = AbortSignal.timeout(refreshLimitMs);
  try {
    return await withEither([signal, limit], (either) =>
      refresh(board, cache.entry()?.backlog.meta, settings, either),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    return unavailable(`the board was not read within ${refreshLimitMs / 60_000} minutes`);
  }
}

/** Stores and takes the result; retries as long as the lease is held. False when the lease was lost. */
async function store(
  token: string,
  outcome: Exclude<RefreshOutcome, { kind: "failed" }>,
  { shared, cache, clock }: RefreshRunOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const known = cache.entry();
  let itemsJson = outcome.kind === "replaced" ? outcome.itemsJson : undefined;
  const items = outcome.kind === "replaced" ? outcome.backlog.items : known?.backlog.items;
  const meta: BacklogMeta = outcome.meta;
  for (;;) {
    try {
      const revision = await shared.store(token, meta, itemsJson, known?.revision ?? 0);
      if (revision === "lost") return false;
      if (revision !== "gone") {
        const json = itemsJson ?? known?.itemsJson ?? "";
        cache.take({ revision, backlog: { meta, items: items ?? [] }, itemsJson: json });
        return true;
      }
      // Redis was wiped after the read: the unchanged items are still in memory.
      itemsJson = known?.itemsJson ?? "[]";
    } catch {
      await clock.sleep(storePauseMs, signal);
    }
    signal.throwIfAborted();
  }
}
