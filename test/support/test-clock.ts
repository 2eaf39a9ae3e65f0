import { type Clock, sleep } from "../../src/base/core/clock.ts";

/** No pause takes longer in truth, so that real sockets have time and a test has none to lose. */
const longestPauseMs = 20;

/** A clock that stands until a test moves it. Pauses are short, whatever is asked for, and remembered. */
export class TestClock implements Clock {
  wallMs: number;
  /** What was asked for, in ms. */
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

  /** Time passes. */
  advance(ms: number): void {
    this.wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** The wall clock is set, and no time passes. */
  set(byMs: number): void {
    this.wallMs += byMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.pauses.push(ms);
    return sleep(Math.min(ms, longestPauseMs), signal);
  }
}
