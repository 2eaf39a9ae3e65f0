import { Sparkline } from "../../base/core/sparkline.ts";

/** What a sink has done since the daemon started. Counts are samples unless named otherwise. */
export class SinkStats {
  read = 0;
  delivered = 0;
  /** Refused by the receiver for good, or not sendable at all. */
  rejected = 0;
  /** Given up under `delivery.onExhausted: drop`. */
  dropped = 0;
  /** Refused, but probably because an earlier request whose response was lost had brought them. */
  repeated = 0;
  /** Sent, acknowledged, and not written by the receiver's own count (protocol 2.0). */
  unwritten = 0;
  /** Found by the second reading of a window (`delivery.lateness`). */
  late = 0;
  requests = 0;
  retries = 0;
  skippedSeconds = 0;
  lastDeliveredAtMs: number | undefined;
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
    this.sparkline.add(samples, monotonicMs);
  }

  reject(samples: number, message: string, nowMs: number): void {
    this.rejected += samples;
    this.lastRejection = { atMs: nowMs, message };
    this.fail(message, nowMs);
  }

  fail(message: string, nowMs: number): void {
    this.lastError = { atMs: nowMs, message };
  }
}
