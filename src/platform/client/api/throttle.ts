import type { Clock } from "../../../base/core/clock.ts";

/** Longest pause that is waited for; a request that would have to wait longer fails. */
const maxPauseMs = 10_000;

/**
 * Holds all requests to a server back while it asks for a pause: by status 429 (RFC 6585) with Retry-After in
 * seconds (RFC 9110, section 10.2.3). Without it, each of many requests would be refused again and again.
 */
export class Throttle {
  readonly #clock: Clock;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the pause is over; at once if there is none. */
  async passed(signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = this.#untilMs - this.#clock.monotonicMs();
      if (leftMs <= 0) return;
      await this.#clock.sleep(leftMs, signal);
    }
  }

  /** Takes note of a response. @returns whether the request is worth another try after the pause */
  isPause(code: number, retryAfter: string | undefined): boolean {
    if (code !== 429 || retryAfter === undefined || !/^\d{1,9}$/.test(retryAfter)) return false;
    const pauseMs = Number(retryAfter) * 1_000;
    if (pauseMs > maxPauseMs) return false;
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonicMs() + pauseMs);
    return true;
  }
}
