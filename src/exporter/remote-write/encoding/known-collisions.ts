/** Two series not seen together for this long no longer collide: one of them was renamed. */
const keepMs = 3_600_000;
/**
 * The oldest collisions beyond this number are forgotten: one of such a pair may be sent until they meet
 * again.
 */
const maxCollisions = 10_000;

/**
 * The known collisions of one sink (see `collision-detector.ts`), whose series later windows reject from the
 * start. Uses no memory while there are none.
 */
export class KnownCollisions {
  /** Time at which the series of a key last met, in the time of windows; oldest first. */
  #metAtMs: Map<number, number> | undefined;

  get isEmpty(): boolean {
    return this.#metAtMs === undefined || this.#metAtMs.size === 0;
  }

  /** @param windowMs start of the window in which the series met */
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
