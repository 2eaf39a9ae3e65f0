import { nextDelay } from "../../../base/core/backoff.ts";

/**
 * Where a sink stands with its receiver.
 *
 * | state      | entered when                                  | what a cycle does                        | left when |
 * | ---------- | --------------------------------------------- | ---------------------------------------- | --------- |
 * | delivering | at first; a request was delivered             | runs windows until none is settled       | a request ends otherwise |
 * | retrying   | the attempts of a request were used up        | nothing before `untilMs`, then one probe | a request is delivered |
 * | suspended  | the endpoint or its credentials are wrong     | nothing before `untilMs`, then one probe | a request is delivered; policy or Secret changes |
 * | forbidden  | the endpoint must not be sent to (egress)     | as suspended                             | as suspended |
 *
 * A probe is the oldest unsent batch, alone. `untilMs` is monotonic time.
 */
export type DeliveryState =
  | { readonly kind: "delivering" }
  | {
      readonly kind: "retrying" | "suspended" | "forbidden";
      /** How many times in a row, 1 at first. */
      readonly times: number;
      readonly untilMs: number;
      readonly message: string;
    };

/** How a request ended that was not delivered and has to be sent again later. */
export interface DeliveryFailure {
  readonly kind: "retrying" | "suspended" | "forbidden";
  readonly message: string;
  /** What the operator is told instead, where it is more. */
  readonly detail?: string | undefined;
  /** The receiver asked for this pause. */
  readonly retryAfterMs?: number | undefined;
}

export const delivering: DeliveryState = { kind: "delivering" };

const longestPauseMs = 300_000;
const firstSuspensionMs = 30_000;
const longestRetryAfterMs = 3_600_000;
const jitter = 0.2;

/**
 * The delivery state after a failure: pauses grow from `retry.backoffDuration` (suspended: 30 s), doubling, to 5 min; a
 * longer `Retry-After` wins, up to an hour.
 */
export function afterFailure(
  before: DeliveryState,
  failure: DeliveryFailure,
  backoffMs: number,
  nowMs: number,
  random: number,
): DeliveryState {
  const times = before.kind === failure.kind ? before.times + 1 : 1;
  const baseMs = failure.kind === "retrying" ? backoffMs : firstSuspensionMs;
  // A backoffDuration above the longest pause is the tenant's own wish for longer ones.
  const pauseMs = nextDelay(times, { baseMs, maxMs: Math.max(baseMs, longestPauseMs), jitter }, random);
  const askedMs = Math.min(failure.retryAfterMs ?? 0, longestRetryAfterMs);
  return { kind: failure.kind, times, untilMs: nowMs + Math.max(pauseMs, askedMs), message: failure.message };
}
