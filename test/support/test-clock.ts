import { type Clock, sleep, systemClock } from "../../src/base/core/clock.ts";

/** Upper limit of a real pause: long enough for real sockets, short enough for a test. */
const longestPauseMs = 20;

/**
 * A clock that advances only when a test moves it. Pauses are recorded, and are short whatever their
 * requested length.
 */
export class TestClock implements Clock {
  wallMs: number;
  /** Requested pauses, in ms. */
  readonly pauses: number[] = [];
  #monotonicMs = 0;

  constructor(wallMs: number) {
    this.wallMs = wallMs;
  }

  nowMs(): number {
    return this.wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Advances both clocks. */
  advance(ms: number): void {
    this.wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Shifts the wall clock without advancing time. */
  set(byMs: number): void {
    this.wallMs += byMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.pauses.push(ms);
    return sleep(Math.min(ms, longestPauseMs), signal);
  }
}

/** The system's clock, which a test sets ahead or back. */
export class SteppedClock implements Clock {
  /** How far it is ahead, in ms. */
  aheadMs = 0;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly sleep = systemClock.sleep;

  nowMs(): number {
    return systemClock.nowMs() + this.aheadMs;
  }
}
