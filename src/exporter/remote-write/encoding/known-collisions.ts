/** Two series that were not seen in one window for so long do not collide any longer: one of them was renamed. */
const keepMs = 3_600_000;
/** What is beyond is forgotten, oldest first: of such a pair, one series may be sent until they meet again. */
const maxCollisions = 10_000;

/**
 * The collisions that one sink has seen (see `collision-detector.ts`): what a later window is to refuse from its first
 * series on. Nothing is held while there are none.
 */
export class KnownCollisions {
  /** When the series of a key last met, in the time of windows; the oldest first. */
  #metAtMs: Map<number, number> | undefined;

  /** @param windowMs where the window begins in which the series were met */
  note(key: number, windowMs: number): void {
    this.#metAtMs ??= new Map();
    const metAtMs = Math.max(windowMs, this.#metAtMs.get(key) ?? windowMs);
    this.#metAtMs.delete(key);
    this.#metAtMs.set(key, metAtMs);
    if (this.#metAtMs.size <= maxCollisions) return;
    const [oldest] = this.#metAtMs.keys();
    if (oldest !== undefined) this.#metAtMs.delete(oldest);
  }

  has(key: number, windowMs: number): boolean {
    const metAtMs = this.#metAtMs?.get(key);
    if (metAtMs === undefined) return false;
    if (windowMs - metAtMs <= keepMs) return true;
    this.#metAtMs?.delete(key);
    return false;
  }
}
