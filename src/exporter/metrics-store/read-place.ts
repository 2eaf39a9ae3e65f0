import { sleep } from "../../base/core/clock.ts";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";

/** Work of a read's consumers in long steps, beside reading, from which on the read is a costly one. */
const costlyMs = 200;
/** Open costly reads of all owners, beside the other open reads. */
const costlyPlaces = 8;
/** From one step of a costly read to the next one's; a step takes half of it, and seldom more. */
const costlyEveryMs = 10;
const never = new AbortController().signal;

/**
 * Reads whose consumers work long, such as with costly relabelling rules: they hold none of the places that
 * the other reads need, and all of them together use at most about half of the event loop's time.
 */
export class CostlyReads {
  readonly #places = new FairSemaphore(costlyPlaces, "half");
  #last: Promise<void> = Promise.resolve();

  get open(): number {
    return this.#places.taken;
  }

  /** @returns false where there are too many */
  begin(owner: string): boolean {
    return this.#places.tryAcquire(owner);
  }

  end(owner: string): void {
    this.#places.release(owner);
  }

  /** Resolves when the caller's next step is due, in the order of the calls. */
  turn(): Promise<void> {
    this.#last = this.#last.then(() => sleep(costlyEveryMs, never));
    return this.#last;
  }
}

/** The place of one read among the open ones. */
export class ReadPlace {
  readonly #places: FairSemaphore;
  readonly #costly: CostlyReads;
  readonly #owner: string;
  #longMs = 0;
  #isCostly = false;

  constructor(places: FairSemaphore, costly: CostlyReads, owner: string) {
    this.#places = places;
    this.#costly = costly;
    this.#owner = owner;
  }

  /** Resolves when the read may open. @throws the signal's reason */
  acquire(signal: AbortSignal): Promise<void> {
    return this.#places.acquire(this.#owner, signal);
  }

  /**
   * Resolves when the read may go on, in a later turn of the event loop.
   *
   * @param longMs what its consumers have taken in long steps since the last call
   */
  pause(longMs: number): Promise<void> {
    this.#longMs += longMs;
    if (!this.#isCostly && this.#longMs >= costlyMs && this.#costly.begin(this.#owner)) {
      this.#isCostly = true;
      this.#places.release(this.#owner);
    }
    return this.#isCostly ? this.#costly.turn() : yieldToEventLoop();
  }

  /** Call once when the read has ended. */
  release(): void {
    if (this.#isCostly) this.#costly.end(this.#owner);
    else this.#places.release(this.#owner);
  }
}
