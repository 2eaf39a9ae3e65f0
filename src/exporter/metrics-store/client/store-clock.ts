import type { Clock } from "../../../base/core/clock.ts";

/**
 * The store's clock, from the `Date` headers of its responses: a whole second that had begun when the
 * response was made, carried forward by the monotonic clock. The store's time is at least this value, and
 * later by less than about a second plus the response's transit time. The value is never ahead of the local
 * clock, so that neither clock can skip samples by being set forward. Setting the local clock back delays
 * nothing, since it too is carried by the monotonic clock.
 */
export class StoreClock {
  readonly #clock: Pick<Clock, "nowMs" | "monotonicMs">;
  readonly #startMs: number;
  readonly #startMonotonicMs: number;
  #atMs: number | undefined;
  #readAtMs = 0;

  constructor(clock: Pick<Clock, "nowMs" | "monotonicMs">) {
    this.#clock = clock;
    this.#startMs = clock.nowMs();
    this.#startMonotonicMs = clock.monotonicMs();
  }

  /** Unix epoch, ms; undefined before the first response with a date. */
  nowMs(): number | undefined {
    const carriedMs = this.#carriedMs();
    if (carriedMs === undefined) return undefined;
    const ownMs = this.#startMs + (this.#clock.monotonicMs() - this.#startMonotonicMs);
    return Math.min(carriedMs, Math.max(ownMs, this.#clock.nowMs()));
  }

  /**
   * How far the store's clock is ahead of the local one, in ms, to about a second; negative when it is
   * behind. Undefined before the first response with a date.
   */
  skewMs(): number | undefined {
    const carriedMs = this.#carriedMs();
    return carriedMs === undefined ? undefined : carriedMs + 500 - this.#clock.nowMs();
  }

  #carriedMs(): number | undefined {
    return this.#atMs === undefined ? undefined : this.#atMs + (this.#clock.monotonicMs() - this.#readAtMs);
  }

  /** Observes the `Date` header of a just received response (RFC 9110, section 6.6.1); ignores others. */
  observe(header: unknown): void {
    if (typeof header !== "string") return;
    const secondMs = Date.parse(header);
    if (Number.isNaN(secondMs)) return;
    const carriedMs = this.#carriedMs();
    // Within the second that the header names, the carried time is the tighter bound, and a coarse header
    // alone must not turn the time back. Outside of it, the store's clock was set: follow it.
    if (carriedMs !== undefined && carriedMs >= secondMs && carriedMs < secondMs + 1_000) return;
    this.#atMs = secondMs;
    this.#readAtMs = this.#clock.monotonicMs();
  }
}
