import type { Clock } from "../../../base/core/clock.ts";
import { pause } from "../../../base/core/signals.ts";

const atOnce = 16;
const oneEveryMs = 1_000;

/**
 * The pace of a sink's searches: 16 requests at once, then one a second. A receiver that refuses one request
 * must not be flooded.
 */
export class SearchPace {
  readonly #clock: Clock;
  #left = atOnce;
  #countedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedMs = clock.monotonicMs();
  }

  /**
   * Waits for a request's turn.
   *
   * @param untilMs monotonic: a turn after it is not waited for
   * @returns false without a turn
   */
  async next(untilMs: number, signals: readonly AbortSignal[]): Promise<boolean> {
    if (signals.some(({ aborted }) => aborted)) return false;
    this.#refill();
    if (this.#left < 1) {
      const waitMs = this.#countedMs + oneEveryMs - this.#clock.monotonicMs();
      if (this.#clock.monotonicMs() + waitMs > untilMs) return false;
      await pause(this.#clock, Math.max(1, waitMs), signals);
      if (signals.some(({ aborted }) => aborted)) return false;
      this.#refill();
    }
    this.#left = Math.max(0, this.#left - 1);
    return true;
  }

  /** The last request was accepted: it was not one too many. */
  giveBack(): void {
    this.#left = Math.min(atOnce, this.#left + 1);
  }

  #refill(): void {
    const turns = Math.floor((this.#clock.monotonicMs() - this.#countedMs) / oneEveryMs);
    if (turns <= 0) return;
    this.#left = Math.min(atOnce, this.#left + turns);
    this.#countedMs += turns * oneEveryMs;
  }
}
