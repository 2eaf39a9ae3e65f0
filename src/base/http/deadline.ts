import { longestTimerMs } from "../core/clock.ts";

/**
 * A deadline that moves several times in each exchange, mostly to later, and rarely passes. The timer
 * therefore stays as it is and checks the deadline when it fires: much cheaper than setting and clearing a
 * timer per move. The timer does not keep the process alive: the socket does while it is in use.
 */
export class Deadline {
  readonly #onPassed: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #firesAtMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param onPassed called once for each deadline that passes before it is moved or cleared */
  constructor(onPassed: () => void) {
    this.#onPassed = onPassed;
  }

  /** True also when the event loop has not run the timer yet. */
  get hasPassed(): boolean {
    return this.#atMs !== Number.POSITIVE_INFINITY && performance.now() >= this.#atMs;
  }

  /** @param atMs on the clock of `performance.now()`; Infinity means never */
  set(atMs: number): void {
    this.#atMs = atMs;
    if (atMs < this.#firesAtMs) this.#arm(atMs - performance.now());
  }

  clear(): void {
    this.#atMs = Number.POSITIVE_INFINITY;
  }

  /** Clears the timer. */
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
    // Node's timers may fire up to a millisecond early.
    if (restMs > 1) {
      this.#arm(restMs);
      return;
    }
    this.clear();
    this.#onPassed();
  }
}
