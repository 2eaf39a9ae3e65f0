import type { RequestEntries } from "../state/request-entries.ts";

/** A series whose samples were rejected lately. */
interface Suspect {
  /** Number of windows in which it was refused alone. */
  readonly times: number;
  /** It was not refused, but made the receiver fail. */
  readonly isFailing: boolean;
  /** Unix ms. */
  readonly untilMs: number;
}

/**
 * A suspect as it is stored: the halves of the hash, the number of times (negative: it made the receiver
 * fail), and the end in Unix ms.
 */
type StoredSuspect = [high: number, low: number, times: number, untilMs: number];

const suspectForMs = 3_600_000;
export const mostSuspects = 100_000;

/**
 * The series of a sink that its receiver refused in the last hour. They travel in requests of their own, so
 * that they cost the others nothing: each alone, until it was refused alone in three windows; then all of
 * those together, since the receiver's response to one request is enough.
 */
export class Suspects {
  /** By hash, oldest first. Absent without suspects: most sinks have none. */
  #byHash: Map<string, Suspect> | undefined;
  /** Number of changes. */
  version = 0;

  get size(): number {
    return this.#byHash?.size ?? 0;
  }

  /** How often the series was refused alone in different windows; 0 for one that is no suspect. */
  times(high: number, low: number): number {
    return this.#byHash?.get(keyOf(high, low))?.times ?? 0;
  }

  /** Whether the series made the receiver fail. */
  isFailing(high: number, low: number): boolean {
    return this.#byHash?.get(keyOf(high, low))?.isFailing === true;
  }

  /** Samples of these series were rejected, for the first time in their window. */
  add(entries: RequestEntries, nowMs: number, isFailing: boolean): void {
    this.#byHash ??= new Map();
    entries.each((high, low) => {
      const times = this.isFailing(high, low) === isFailing ? this.times(high, low) + 1 : 1;
      this.#set(high, low, { times, isFailing, untilMs: nowMs + suspectForMs });
    });
    this.version++;
  }

  /** The receiver has accepted samples of these series. */
  remove(entries: RequestEntries): void {
    const suspects = this.#byHash;
    if (suspects === undefined) return;
    let isChanged = false;
    entries.each((high, low) => {
      if (suspects.delete(keyOf(high, low))) isChanged = true;
    });
    if (isChanged) this.version++;
    if (suspects.size === 0) this.#byHash = undefined;
  }

  /** Forgets those whose hour is over: the receiver may have changed its mind. */
  expire(nowMs: number): void {
    if (this.#byHash === undefined) return;
    for (const [key, { untilMs }] of this.#byHash) {
      if (untilMs > nowMs) continue;
      this.#byHash.delete(key);
      this.version++;
    }
    if (this.#byHash.size === 0) this.#byHash = undefined;
  }

  clear(): void {
    if (this.#byHash === undefined) return;
    this.#byHash = undefined;
    this.version++;
  }

  stored(most: number): StoredSuspect[] {
    return [...(this.#byHash ?? [])].slice(-most).map(([key, { times, isFailing, untilMs }]) => {
      const [high = 0, low = 0] = key.split(" ").map(Number);
      return [high, low, isFailing ? -times : times, untilMs];
    });
  }

  restore(stored: readonly StoredSuspect[]): void {
    if (stored.length === 0) return;
    this.#byHash ??= new Map();
    for (const [high, low, times, untilMs] of stored) {
      this.#set(high, low, { times: Math.abs(times), isFailing: times < 0, untilMs });
    }
  }

  #set(high: number, low: number, suspect: Suspect): void {
    const suspects = this.#byHash;
    if (suspects === undefined) return;
    const key = keyOf(high, low);
    suspects.delete(key);
    suspects.set(key, suspect);
    const oldest = suspects.size > mostSuspects ? suspects.keys().next().value : undefined;
    if (oldest !== undefined) suspects.delete(oldest);
  }
}

function keyOf(high: number, low: number): string {
  return `${high | 0} ${low | 0}`;
}
