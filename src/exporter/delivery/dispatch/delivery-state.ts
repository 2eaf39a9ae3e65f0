import { nextDelay } from "../../../base/core/backoff.ts";
import type { Unfinished } from "../../remote-write/send/outcome.ts";

/**
 * Delivery state of a sink.
 *
 * - delivering: initially, and after a delivered request. A cycle runs windows up to the watermark. Ends when
 *   a request is not delivered.
 * - retrying: the attempts of a request were used up. A cycle does nothing before `untilMs`, then sends one
 *   probe. Ends when a request is delivered.
 * - suspended: the endpoint or its credentials are wrong. Cycles as for retrying. Ends when a request is
 *   delivered, or the policy or Secret changes.
 * - forbidden: the endpoint must not be sent to (egress). Otherwise as suspended.
 *
 * A probe is the oldest unsent batch, alone. `untilMs` is monotonic time.
 */
export type DeliveryState =
  | { readonly kind: "delivering" }
  | {
      readonly kind: "retrying" | "suspended" | "forbidden";
      /** Number of consecutive failures, starting at 1. */
      readonly times: number;
      readonly untilMs: number;
      readonly message: string;
    };

/** Outcome of a request that was not delivered and has to be sent again later. */
export interface DeliveryFailure {
  readonly kind: "retrying" | "suspended" | "forbidden";
  readonly message: string;
  /** The operator's version of the message, where it says more. */
  readonly detail?: string | undefined;
  /** The pause requested by the receiver. */
  readonly retryAfterMs?: number | undefined;
  /** In place of the usual first pause. */
  readonly firstPauseMs?: number | undefined;
  /** The pause is no longer than this, unless the receiver requests it. */
  readonly longestPauseMs?: number | undefined;
}

export function failureOf(outcome: Exclude<Unfinished, { readonly kind: "aborted" }>): DeliveryFailure {
  const { message } = outcome;
  // Of a request of a search, which continues later.
  if (outcome.kind === "limited") return { kind: "retrying", message };
  const { detail } = outcome;
  if (outcome.kind !== "exhausted") return { kind: outcome.kind, message, detail };
  return { kind: "retrying", message, detail, retryAfterMs: outcome.retryAfterMs };
}

export const delivering: DeliveryState = { kind: "delivering" };

const longestPauseMs = 300_000;
const firstSuspensionMs = 30_000;
const longestRetryAfterMs = 300_000;
const jitter = 0.2;

/**
 * The delivery state after a failure. Pauses double from `retry.backoffDuration` (suspended: 30 s) up to 5
 * min; a longer `Retry-After` wins, up to 5 min.
 */
export function afterFailure(
  before: DeliveryState,
  failure: DeliveryFailure,
  backoffMs: number,
  nowMs: number,
  random: number,
): DeliveryState {
  const times = before.kind === failure.kind ? before.times + 1 : 1;
  const baseMs = failure.firstPauseMs ?? (failure.kind === "retrying" ? backoffMs : firstSuspensionMs);
  // A backoffDuration above the longest pause is the tenant's explicit choice.
  const pauseMs = nextDelay(times, { baseMs, maxMs: Math.max(baseMs, longestPauseMs), jitter }, random);
  const askedMs = Math.min(failure.retryAfterMs ?? 0, longestRetryAfterMs);
  const limitedMs = Math.min(pauseMs, failure.longestPauseMs ?? Infinity);
  return {
    kind: failure.kind,
    times,
    untilMs: nowMs + Math.max(limitedMs, askedMs),
    message: failure.message,
  };
}
