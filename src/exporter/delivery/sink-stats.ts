import { Sparkline } from "../../base/core/sparkline.ts";

/** Counters of a sink since the daemon started, in samples unless named otherwise. */
export class SinkStats {
  read = 0;
  delivered = 0;
  /** Rejected by the receiver, or invalid. */
  rejected = 0;
  /** Dropped under `delivery.onExhausted: drop`. */
  dropped = 0;
  /** Rejected, but probably stored by an earlier request whose response was lost. */
  repeated = 0;
  /** Sent and acknowledged, but not written according to the receiver's own count (protocol 2.0). */
  unwritten = 0;
  /** Delivered although they had come late (`delivery.lateness`); among `delivered`. */
  late = 0;
  /** The same, refused by the receiver; not among `rejected`. */
  lateRejected = 0;
  /** Found in the store when they were older than `delivery.lateness`. */
  tooLate = 0;
  /** Read, and no longer in the store when it was asked for its counts. */
  vanished = 0;
  /** Time within `delivery.lateness` that was not checked, since what was sent then is no longer known. */
  uncheckedSeconds = 0;
  /** Requests for the store's counts. */
  lateChecks = 0;
  lateCheckFailures = 0;
  lateCheckSeconds = 0;
  /** Exemplars sent with samples of windows that are closed. */
  exemplars = 0;
  requests = 0;
  retries = 0;
  skippedSeconds = 0;
  lastDeliveredAtMs: number | undefined;
  /** All attempts of the current cycle that began since then have failed. */
  failing: { readonly sinceMs: number; readonly message: string } | undefined;
  lastLateRejection: { readonly atMs: number; readonly message: string } | undefined;
  lastRejection: { readonly atMs: number; readonly message: string } | undefined;
  lastError: { readonly atMs: number; readonly message: string } | undefined;
  readonly sparkline: Sparkline;

  constructor(monotonicMs: number) {
    this.sparkline = new Sparkline(monotonicMs);
  }

  deliver(samples: number, nowMs: number, monotonicMs: number): void {
    this.delivered += samples;
    this.requests++;
    this.lastDeliveredAtMs = nowMs;
    this.failing = undefined;
    this.sparkline.add(samples, monotonicMs);
  }

  /** An attempt failed, and another one follows. */
  failAttempt(message: string, beganMs: number): void {
    this.failing = { sinceMs: this.failing?.sinceMs ?? beganMs, message };
  }

  reject(samples: number, message: string, nowMs: number): void {
    this.rejected += samples;
    this.lastRejection = { atMs: nowMs, message };
    this.fail(message, nowMs);
  }

  /** Late samples that the receiver does not take are no trouble of the sink. */
  rejectLate(samples: number, message: string, nowMs: number): void {
    this.lateRejected += samples;
    this.lastLateRejection = { atMs: nowMs, message };
  }

  fail(message: string, nowMs: number): void {
    this.lastError = { atMs: nowMs, message };
  }
}
