import type { ReadFailureReason } from "../client/read-failure.ts";

const firstPauseMs = 60_000;
const longestPauseMs = 10 * 60_000;
/** Owners whose requests failed, with no success in between, after which the store is the reason. */
const ownersOfStoreFault = 3;

/** Reasons that concern every request. */
const storeWide: ReadonlySet<ReadFailureReason> = new Set([
  "not_found",
  "unauthorized",
  "redirected",
  "unexpected_status",
  "credentials_unreadable",
]);

/**
 * When exemplars may be requested: they are optional, so that each failure is followed by a pause, from one
 * to ten minutes. A failure that may be the query's own pauses its owner only.
 */
export class ExemplarPauses {
  #untilMs = -Infinity;
  /** By owner, until when; replaced when it is over. */
  readonly #owners = new Map<string, number>();
  #failures = 0;
  /** Owners of the failures since the last success. */
  readonly #failed = new Set<string>();

  /** Whether a request has failed since the last success. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  mayAsk(owner: string, monotonicMs: number): boolean {
    return monotonicMs >= this.#untilMs && monotonicMs >= (this.#owners.get(owner) ?? -Infinity);
  }

  succeeded(owner: string): void {
    this.#failures = 0;
    this.#failed.clear();
    this.#owners.delete(owner);
  }

  failed(owner: string, reason: ReadFailureReason, monotonicMs: number): void {
    for (const [other, untilMs] of this.#owners) if (untilMs <= monotonicMs) this.#owners.delete(other);
    const isStoreWide = storeWide.has(reason);
    const pauseMs = isStoreWide ? longestPauseMs : firstPauseMs * 2 ** Math.min(this.#failures, 4);
    const untilMs = monotonicMs + Math.min(pauseMs, longestPauseMs);
    this.#failures++;
    this.#owners.set(owner, untilMs);
    this.#failed.add(owner);
    if (!isStoreWide && this.#failed.size < ownersOfStoreFault) return;
    this.#untilMs = untilMs;
    this.#failed.clear();
  }
}
