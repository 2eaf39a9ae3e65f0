import { longestTimerMs } from "../core/clock.ts";

/**
 * A moment that is moved several times in each exchange, mostly to later, and hardly ever comes. So the timer stays where
 * it is and looks when it fires: that costs a look at the clock per move, a sixth of setting and clearing a timer. It keeps
 * no process alive: the socket does that, while it is in use.
 */
export class Deadline {
  readonly #onPassed: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #firesAtMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param onPassed called once for each time that is set, unless that is moved or cleared before */
  constructor(onPassed: () => void) {
    this.#onPassed = onPassed;
  }

  /** True also where the event loop has not come round to the timer. */
  get hasPassed(): boolean {
    return this.#atMs !== Number.POSITIVE_INFINITY && performance.now() >= this.#atMs;
  }

  /** @param atMs on the clock of `performance.now()`; Infinity is never */
  set(atMs: number): void {
    this.#atMs = atMs;
    if (atMs < this.#firesAtMs) this.#arm(atMs - performance.now());
  }

  clear(): void {
    this.#atMs = Number.POSITIVE_INFINITY;
  }

  /** Leaves no timer behind. */
  close(): void {
    this.clear();
    clearTimeout(this.#timer);
  }

  #arm(inMs: number): void {
    clearTimeout(this.#timer);
    const ms = Math.min(Math.max(1, Math.ceil(inMs)), longestTimerMs);
    this.#firesAtMs = performance.now() + ms;
    this.#timer = setTimeout(() => this.#fired(), ms).unref();
  }

  #fired(): void {
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    if (this.#atMs === Number.POSITIVE_INFINITY) return;
    const restMs = this.#atMs - performance.now();
    // Node's timers are up to a millisecond early.
    if (restMs > 1) {
      this.#arm(restMs);
      return;
    }
    this.clear();
    this.#onPassed();
  }
}
