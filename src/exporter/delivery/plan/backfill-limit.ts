/** A difference between two clocks beyond any gradual adjustment: one of them was set. */
const stepMs = 10_000;

/**
 * Decides when data is too old to be exported (`retry.maxBackfill`, `delivery.maxBackfill`). A clock that is
 * set must not discard samples: two cycles in a row have to agree, and a forward leap of the clock does not
 * count as age until the sink has caught up.
 */
export class BackfillLimit {
  readonly #maxBackfillMs: () => number;
  #before: { readonly nowMs: number; readonly monotonicMs: number } | undefined;
  #leaptMs = 0;
  #isSuspected = false;

  constructor(maxBackfillMs: () => number) {
    this.#maxBackfillMs = maxBackfillMs;
  }

  /**
   * Call at the start of each cycle.
   *
   * @param nowMs the store's time, which may leap
   * @returns the time before which nothing is exported
   */
  oldestMs(nowMs: number, monotonicMs: number): number {
    if (this.#before !== undefined) {
      const passedMs = nowMs - this.#before.nowMs;
      const leapMs = passedMs - (monotonicMs - this.#before.monotonicMs);
      if (leapMs > stepMs) this.#leaptMs += leapMs;
    }
    this.#before = { nowMs, monotonicMs };
    return nowMs - this.#maxBackfillMs() - this.#leaptMs;
  }

  /** @returns true for the second cycle in a row that found a checkpoint too old: it is to be moved */
  agrees(isTooOld: boolean): boolean {
    const agrees = isTooOld && this.#isSuspected;
    this.#isSuspected = isTooOld && !agrees;
    return agrees;
  }

  /** The sink has caught up: earlier leaps of the clock no longer matter. */
  caughtUp(): void {
    this.#leaptMs = 0;
  }
}
