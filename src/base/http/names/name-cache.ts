import type { NameOutcome } from "./name-outcome.ts";

/** Bounds for a record's TTL. */
const shortestMs = 1_000;
const longestMs = 300_000;
/** TTL of negative and failed lookups: long enough for many sinks to share one query. */
const unknownMs = 5_000;
const failedMs = 2_000;

interface Entry {
  readonly outcome: NameOutcome;
  readonly endsAtMs: number;
}

/** Caches lookup outcomes for their TTL; beyond the size limit, the oldest is evicted. */
export class NameCache {
  readonly #maxNames: number;
  readonly #entries = new Map<string, Entry>();

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  get(name: string, nowMs: number): NameOutcome | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || nowMs < entry.endsAtMs) return entry?.outcome;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, outcome: NameOutcome, nowMs: number): void {
    this.#entries.delete(name);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#maxNames) this.#entries.delete(oldest);
    this.#entries.set(name, { outcome, endsAtMs: nowMs + holdsMs(outcome) });
  }
}

function holdsMs(outcome: NameOutcome): number {
  if (outcome.kind === "found") return Math.min(Math.max(outcome.ttlMs, shortestMs), longestMs);
  return outcome.kind === "unknown" ? unknownMs : failedMs;
}
