import type { Clock } from "../../../base/core/clock.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { Verdict } from "./classify.ts";
import type { AttemptSender } from "./outcome.ts";
import { SerialQueue } from "./serial-queue.ts";

/**
 * So many samples per second, at most, over everything that shares it. A request goes when all before it have had their
 * time: a large request is late rather than impossible. One that gives up takes no time from those behind it.
 */
export class RateLimit {
  readonly #samplesPerSecond: number;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();
  #freeAtMs = Number.NEGATIVE_INFINITY;

  constructor(samplesPerSecond: number, clock: Clock) {
    this.#samplesPerSecond = samplesPerSecond;
    this.#clock = clock;
  }

  /** Waits for the turn of so many samples. @throws the signal's reason */
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

/** Holds attempts back to a rate. Repeats count too: the limit protects the receiver. */
export class RateLimitedSender implements AttemptSender {
  readonly #inner: AttemptSender;
  readonly #limit: RateLimit;

  constructor(inner: AttemptSender, limit: RateLimit) {
    this.#inner = inner;
    this.#limit = limit;
  }

  async attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    try {
      await this.#limit.take(request.sampleCount, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return { kind: "aborted", responseLost: false };
    }
    return this.#inner.attempt(request, signal);
  }
}
