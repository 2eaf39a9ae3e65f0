import type { Clock } from "../core/clock.ts";
import type { Verdict } from "./classify.ts";
import type { AttemptSender } from "./outcome.ts";
import type { EncodedRequest } from "./request.ts";

/**
 * So many samples per second, at most, over everything that shares it. A request goes when all before it have had their
 * time: a queue without a list, and a large request is late rather than impossible.
 */
export class RateLimit {
  readonly #samplesPerSecond: number;
  readonly #clock: Clock;
  #freeAtMs = Number.NEGATIVE_INFINITY;

  constructor(samplesPerSecond: number, clock: Clock) {
    this.#samplesPerSecond = samplesPerSecond;
    this.#clock = clock;
  }

  /** Waits for the turn of so many samples. @throws the signal's reason */
  async take(samples: number, signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const startMs = Math.max(nowMs, this.#freeAtMs);
    this.#freeAtMs = startMs + (samples / this.#samplesPerSecond) * 1_000;
    if (startMs > nowMs) await this.#clock.sleep(startMs - nowMs, signal);
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
      return { kind: "aborted", answerLost: false };
    }
    return this.#inner.attempt(request, signal);
  }
}
