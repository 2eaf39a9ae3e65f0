import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/core/clock.ts";
import { withEither } from "../../base/core/signals.ts";
import type { Lease } from "../../base/redis/lease.ts";
import type { BacklogMeta } from "../board/backlog.ts";
import type { Board, BoardFailure } from "../board/board.ts";
import { type AnnouncedChanges, settleMs } from "./announced-changes.ts";
import type { BacklogCache } from "./backlog-cache.ts";
import { type RefreshOutcome, type RefreshSettings, refresh } from "./refresh.ts";
import { leaseMs, type SharedCache } from "./shared-cache.ts";

/**
 * Runs the fleet's single refresh under a lease in Redis; storing its result also ends the lease, atomically.
 */

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
  readonly settings: Omit<RefreshSettings, "mustRead">;
  readonly cache: BacklogCache;
  readonly shared: SharedCache;
  readonly changes: AnnouncedChanges;
  readonly clock: Clock;
  /**
   * Loads the current state from Redis into memory; `ownLease` does not count as another replica's refresh.
   */
  readonly sync: (ownLease?: string) => Promise<void>;
}

/** @throws the signal's reason; any rejection from Redis */
export async function runRefresh(options: RefreshRunOptions, signal: AbortSignal): Promise<RunResult> {
  const { cache, changes, sync } = options;
  const owner = randomUUID();
  await sync(owner);
  const before = cache.entry()?.revision;
  const taken = await takeLease(owner, options, signal);
  if (taken === "held") return { kind: "skipped" };

  const { lease, hasWaited } = taken;
  const lost = lease.signal;
  const finish = cache.refreshingHere();
  try {
    await sync();
    if (hasWaited && cache.entry()?.revision !== before) return { kind: "skipped" };
    // Asked before the board is read: a change that is announced meanwhile needs another refresh.
    const change = await changes.pending();
    // Not where a refresh is asked for: during a pause after a failure, requests are many and reads are none.
    if (change !== undefined) await changes.countRead();
    const settings = { ...options.settings, mustRead: change !== undefined };
    const outcome = await withEither([signal, lost], (either) => refreshWithin(options, settings, either));
    if (outcome.kind === "failed") return outcome;
    const isStored = await withEither([signal, lost], (either) => store(lease, outcome, options, either));
    if (isStored && change !== undefined && change.ageMs >= settleMs) {
      // A mark that stays costs another refresh, no more.
      await changes.settle(change).catch(() => undefined);
    }
    return isStored ? { kind: outcome.kind, warnings: outcome.warnings } : leaseLost;
  } catch (error) {
    signal.throwIfAborted();
    if (lost.aborted) return leaseLost;
    throw error;
  } finally {
    await lease.release();
    finish();
  }
}

function unavailable(message: string): { readonly kind: "failed"; readonly failure: BoardFailure } {
  return { kind: "failed", failure: { kind: "unavailable", message } };
}

const leaseLost = unavailable(
  "the lease was lost while the board was read: Redis was unavailable for too long",
);

async function takeLease(
  owner: string,
  { shared, clock, cache }: RefreshRunOptions,
  signal: AbortSignal,
): Promise<{ readonly lease: Lease; readonly hasWaited: boolean } | "held"> {
  const untilMs = clock.monotonicMs() + waitForLeaseMs;
  for (let hasWaited = false; ; hasWaited = true) {
    const outcome = await shared.takeLease(owner);
    if (outcome.kind === "taken") return { lease: outcome.lease, hasWaited };
    cache.refreshingElsewhere(outcome.restMs);
    if (clock.monotonicMs() >= untilMs) return "held";
    await clock.sleep(Math.min(outcome.restMs + 20, 1_000), signal);
  }
}

async function refreshWithin(
  { board, cache }: RefreshRunOptions,
  settings: RefreshSettings,
  signal: AbortSignal,
): Promise<RefreshOutcome> {
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
  lease: Lease,
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
      const revision = await shared.store(lease, meta, itemsJson, known?.revision ?? 0);
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
