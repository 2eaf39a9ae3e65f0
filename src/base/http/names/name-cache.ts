import type { NameOutcome } from "./name-outcome.ts";

/** What a record's own time to live is bounded by. */
const shortestMs = 1_000;
const longestMs = 300_000;
/** Of what does not exist or could not be found out: long enough that many sinks ask once. */
const unknownMs = 5_000;
const failedMs = 2_000;

interface Entry {
  readonly outcome: NameOutcome;
  readonly endsAtMs: number;
}

/** The outcomes of lookups for as long as they hold; where there are too many, the oldest goes. */
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
