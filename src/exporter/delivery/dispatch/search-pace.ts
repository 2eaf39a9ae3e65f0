import type { Clock } from "../../../base/core/clock.ts";
import { pause } from "../../../base/core/signals.ts";

const atOnce = 16;
const oneEveryMs = 1_000;
const repeatEveryMs = 50;

/**
 * The pace of a sink's searches: 16 requests at once, then one a second. A receiver that refuses one request
 * must not be flooded. Of a request whose response was lost, 20 a second: a receiver that has its samples may
 * refuse each of them, although nothing is wrong with them.
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
   * @param isRepeat the request's samples were sent before, without a response
   * @returns false without a turn
   */
  async next(untilMs: number, signals: readonly AbortSignal[], isRepeat = false): Promise<boolean> {
    if (signals.some(({ aborted }) => aborted)) return false;
    const everyMs = isRepeat ? repeatEveryMs : oneEveryMs;
    this.#refill(everyMs);
    if (this.#left < 1) {
      const waitMs = this.#countedMs + everyMs - this.#clock.monotonicMs();
      if (this.#clock.monotonicMs() + waitMs > untilMs) return false;
      await pause(this.#clock, Math.max(1, waitMs), signals);
      if (signals.some(({ aborted }) => aborted)) return false;
      this.#refill(everyMs);
    }
    this.#left = Math.max(0, this.#left - 1);
    return true;
  }

  /** The last request was accepted: it was not one too many. */
  giveBack(): void {
    this.#left = Math.min(atOnce, this.#left + 1);
  }

  #refill(everyMs: number): void {
    const turns = Math.floor((this.#clock.monotonicMs() - this.#countedMs) / everyMs);
    if (turns <= 0) return;
    this.#left = Math.min(atOnce, this.#left + turns);
    this.#countedMs += turns * everyMs;
  }
}
