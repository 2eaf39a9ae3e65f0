/** A difference between two clocks that no adjustment explains: one of them was set. */
const stepMs = 10_000;

/**
 * Decides when time is too old to be exported (`delivery.maxBackfill`). A clock that is set must not throw samples away:
 * two cycles in a row have to agree, and time that the clock leapt over is no age, until the sink has caught up with it.
 */
export class BackfillLimit {
  readonly #maxBackfillMs: number;
  #before: { readonly nowMs: number; readonly monotonicMs: number } | undefined;
  #leaptMs = 0;
  #isSuspected = false;

  constructor(maxBackfillMs: number) {
    this.#maxBackfillMs = maxBackfillMs;
  }

  /**
   * To be called at the start of each cycle.
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
    return nowMs - this.#maxBackfillMs - this.#leaptMs;
  }

  /** @returns true for the second cycle in a row that found a checkpoint too old: now it is to be moved */
  agrees(isTooOld: boolean): boolean {
    const agrees = isTooOld && this.#isSuspected;
    this.#isSuspected = isTooOld && !agrees;
    return agrees;
  }

  /** The sink has everything: what was leapt over is behind it. */
  caughtUp(): void {
    this.#leaptMs = 0;
  }
}
