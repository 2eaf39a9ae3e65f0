import type { Clock } from "../../../base/core/clock.ts";
import { SerialQueue } from "../endpoint/serial-queue.ts";
import type { AttemptSender } from "./outcome.ts";

/**
 * Limits the samples per second of everything that shares it. A request is sent when the time of all requests
 * before it has passed: a large request is delayed rather than impossible. An aborted one takes no time from
 * those behind it.
 */
export class SamplePace {
  readonly #samplesPerSecond: number;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();
  #freeAtMs = Number.NEGATIVE_INFINITY;

  constructor(samplesPerSecond: number, clock: Clock) {
    this.#samplesPerSecond = samplesPerSecond;
    this.#clock = clock;
  }

  /** Waits for the turn of this many samples. @throws the signal's reason */
  async take(samples: number, signal: AbortSignal): Promise<void> {
    const turn = async () => {
      const waitMs = this.#freeAtMs - this.#clock.monotonicMs();
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
      const startMs = Math.max(this.#clock.monotonicMs(), this.#freeAtMs);
      this.#freeAtMs = startMs + (samples / this.#samplesPerSecond) * 1_000;
    };
    await this.#queue.run(turn, signal);
    signal.throwIfAborted();
  }
}

/** Limits the rate of attempts. Retries count too: the limit protects the receiver. */
export function paced(inner: AttemptSender, limit: SamplePace): AttemptSender {
  return {
    async attempt(request, signal) {
      try {
        await limit.take(request.sampleCount, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        return { kind: "aborted", responseLost: false };
      }
      return inner.attempt(request, signal);
    },
  };
}
