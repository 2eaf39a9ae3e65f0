import type { Clock } from "../../../base/core/clock.ts";
import { pause } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { RetrySettings } from "../../policy/spec/types.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { Verdict } from "../transport/classify-response.ts";
import type { AttemptSender, Outcome, Sender } from "./outcome.ts";

/** A longer requested pause is not waited for: the cycle ends, and other sinks get their turn. */
export const longestWaitMs = 30_000;

const jitter = 0.2;

/**
 * The pause before the next attempt: the policy's plus up to 20 %, or the receiver's when that is longer;
 * never less than either.
 *
 * @param random a number in [0, 1)
 */
export function pauseMs(retry: RetrySettings, retryAfterMs: number | undefined, random: number): number {
  return Math.max(Math.round(retry.backoffMs * (1 + jitter * random)), retryAfterMs ?? 0);
}

interface RetryDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Called before each pause: its abort ends the pause, and prevents further attempts. */
  readonly interrupt: () => AbortSignal;
  /** Called before each repeated attempt. */
  readonly onRetry: () => void;
}

/** Repeats an attempt while its verdict calls for it and attempts are left. */
export class RetryingSender implements Sender {
  readonly #inner: AttemptSender;
  readonly #retry: RetrySettings;
  readonly #deps: RetryDeps;
  #closed = false;
  readonly #open = new Set<Promise<Outcome>>();

  constructor(inner: AttemptSender, retry: RetrySettings, deps: RetryDeps) {
    this.#inner = inner;
    this.#retry = retry;
    this.#deps = deps;
  }

  async send(
    request: EncodedRequest,
    signal: AbortSignal,
    maxAttempts = this.#retry.maxAttempts,
  ): Promise<Outcome> {
    if (this.#closed) return { kind: "aborted", responseLost: false };
    const running = this.#run(request, signal, maxAttempts);
    this.#open.add(running);
    try {
      return await running;
    } finally {
      this.#open.delete(running);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#open);
  }

  async #run(request: EncodedRequest, signal: AbortSignal, maxAttempts: number): Promise<Outcome> {
    let responseLost = false;
    for (let attempt = 1; ; attempt++) {
      const verdict = await this.#inner.attempt(request, signal);
      if (verdict.kind === "delivered") {
        const { status, unwritten } = verdict;
        return unwritten === undefined
          ? { kind: "delivered", status }
          : { kind: "delivered", status, unwritten };
      }
      if (verdict.kind !== "retry") {
        const lostNow = "responseLost" in verdict && verdict.responseLost === true;
        return { ...verdict, responseLost: responseLost || lostNow };
      }
      responseLost ||= verdict.responseLost;
      this.#deps.log.debug(
        { attempt, reason: verdict.reason, message: verdict.detail ?? verdict.message },
        "an attempt failed",
      );
      const goesOn = attempt < maxAttempts && (verdict.retryAfterMs ?? 0) <= longestWaitMs;
      if (!goesOn || !(await this.#pause(verdict, signal))) {
        if (signal.aborted) return { kind: "aborted", responseLost };
        return { ...verdict, kind: "exhausted", responseLost };
      }
      this.#deps.onRetry();
    }
  }

  /** @returns false when an abort or an interruption prevents the next attempt */
  async #pause(verdict: Verdict & { kind: "retry" }, signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#deps;
    const interrupt = this.#deps.interrupt();
    const ms = pauseMs(this.#retry, verdict.retryAfterMs, random());
    const isOver = () => signal.aborted || interrupt.aborted;
    if (isOver()) return false;
    await pause(clock, ms, [signal, interrupt]);
    return !isOver();
  }
}
