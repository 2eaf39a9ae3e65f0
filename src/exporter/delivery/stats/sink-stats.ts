import { Sparkline } from "../../../base/core/sparkline.ts";
import type { Verdict } from "../../remote-write/transport/classify-response.ts";
import { SourceSeries } from "./source-series.ts";

/** Attempts that fail for a shorter time are no trouble yet: a receiver may just be restarting. */
const toleratedMs = 5_000;
/** A receiver that takes as long as this to respond to anything is as good as gone. */
const toleratedSilenceMs = 8_000;

/** Why a receiver takes nothing at present. */
export interface ReceiverTrouble {
  readonly message: string;
  /** The operator's version of the message, where it says more. */
  readonly detail?: string | undefined;
}

interface OpenAttempt {
  readonly beganMs: number;
}

const recentMinutes = 10;

/** Samples delivered and rejected in each of the last minutes. */
class RecentShares {
  /** Two counts a minute; absent before the first sample: idle sinks stay small. */
  #counts: Float64Array | undefined;
  #minute = 0;

  add(nowMs: number, delivered: number, rejected: number): void {
    const counts = this.#at(nowMs);
    // A clock that was set back counts for the latest minute.
    const at = (this.#minute % recentMinutes) * 2;
    counts[at] = (counts[at] ?? 0) + delivered;
    counts[at + 1] = (counts[at + 1] ?? 0) + rejected;
  }

  of(nowMs: number): { readonly delivered: number; readonly rejected: number } {
    if (this.#counts === undefined) return { delivered: 0, rejected: 0 };
    const counts = this.#at(nowMs);
    let delivered = 0;
    let rejected = 0;
    for (let at = 0; at < counts.length; at += 2) {
      delivered += counts[at] ?? 0;
      rejected += counts[at + 1] ?? 0;
    }
    return { delivered, rejected };
  }

  #at(nowMs: number): Float64Array {
    const minute = Math.floor(nowMs / 60_000);
    this.#counts ??= new Float64Array(recentMinutes * 2);
    const passed = minute - this.#minute;
    if (passed < 0) return this.#counts;
    if (passed >= recentMinutes) this.#counts.fill(0);
    else {
      for (let next = this.#minute + 1; next <= minute; next++) {
        const at = (next % recentMinutes) * 2;
        this.#counts.fill(0, at, at + 2);
      }
    }
    this.#minute = minute;
    return this.#counts;
  }
}

/** Verdicts after which a request is not sent again. */
const concluding: ReadonlySet<Verdict["kind"]> = new Set(["delivered", "rejected", "limited"]);

/** Counters of a sink since the daemon started, in samples unless named otherwise. */
export class SinkStats {
  read = 0;
  delivered = 0;
  /** Rejected by the receiver, or invalid. */
  rejected = 0;
  /** Among the rejected ones, late ones included: too old for the receiver, as samples beside them were. */
  passed = 0;
  /** The receiver's words, while samples are refused and it is not known yet which ones are rejected. */
  refusal: string | undefined;
  /** Dropped under `retry.onExhausted: drop` or `retry.retryOn429: false`. */
  dropped = 0;
  /** Of series that the sink's relabelling rules drop. */
  droppedByRules = 0;
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
  lastLateRejection: { readonly atMs: number; readonly message: string } | undefined;
  lastRejection: { readonly atMs: number; readonly message: string } | undefined;
  lastError: { readonly atMs: number; readonly message: string } | undefined;
  /** The HTTP status of the receiver's last response. */
  lastResponse: { readonly atMs: number; readonly status: number } | undefined;
  readonly sparkline: Sparkline;
  readonly series = new SourceSeries();
  /** In the order in which they began. Only while a cycle runs: idle sinks stay small. */
  #open: Set<OpenAttempt> | undefined;
  /** All attempts of the current cycle that began since then have failed. */
  #failing: (ReceiverTrouble & { readonly sinceMs: number }) | undefined;
  /** When the receiver last accepted or rejected a request (Unix ms). */
  #concludedAtMs = 0;

  readonly #recent = new RecentShares();

  constructor(monotonicMs: number) {
    this.sparkline = new Sparkline(monotonicMs);
  }

  /** Whether the receiver has accepted or rejected anything since the start. */
  get hasConcluded(): boolean {
    return this.#concludedAtMs > 0 || this.delivered > 0 || this.rejected > 0;
  }

  deliver(samples: number, nowMs: number, monotonicMs: number): void {
    this.delivered += samples;
    this.requests++;
    this.#recent.add(nowMs, samples, 0);
    this.lastDeliveredAtMs = nowMs;
    this.sparkline.add(samples, monotonicMs);
  }

  /** An attempt begins. @returns to be called with its verdict; times are Unix ms */
  beginAttempt(beganMs: number): (verdict: Verdict, endedMs: number) => void {
    const attempt = { beganMs };
    this.#open ??= new Set();
    this.#open.add(attempt);
    return (verdict, endedMs) => {
      this.#open?.delete(attempt);
      if ("status" in verdict && verdict.status !== undefined)
        this.lastResponse = { atMs: endedMs, status: verdict.status };
      if (verdict.kind === "retry") {
        const { message, detail } = verdict;
        const sinceMs = this.#failing?.sinceMs ?? Math.max(beganMs, this.#concludedAtMs);
        this.#failing = { sinceMs, message, detail };
      } else if (concluding.has(verdict.kind)) {
        this.#failing = undefined;
        this.#concludedAtMs = endedMs;
      }
    };
  }

  /** What has kept the current cycle's requests from being taken for some seconds, if anything has. */
  trouble(nowMs: number): ReceiverTrouble | undefined {
    if (this.#failing !== undefined && nowMs - this.#failing.sinceMs >= toleratedMs) return this.#failing;
    const [oldest] = this.#open ?? [];
    if (oldest === undefined) return undefined;
    const silentMs = nowMs - Math.max(oldest.beganMs, this.#concludedAtMs);
    if (silentMs < toleratedSilenceMs) return undefined;
    return { message: `no response for more than ${toleratedSilenceMs / 1_000} s` };
  }

  endCycle(): void {
    this.#open = undefined;
    this.#failing = undefined;
  }

  reject(samples: number, message: string, nowMs: number): void {
    this.rejected += samples;
    this.#recent.add(nowMs, 0, samples);
    this.lastRejection = { atMs: nowMs, message };
    this.fail(message, nowMs);
  }

  /** Dropped as the policy says: to its receiver, that is as if they had been rejected. */
  drop(samples: number, message: string, nowMs: number): void {
    this.dropped += samples;
    this.#recent.add(nowMs, 0, samples);
    this.lastRejection = { atMs: nowMs, message };
    this.fail(message, nowMs);
  }

  /** Late samples that the receiver does not take are no trouble of the sink. */
  rejectLate(samples: number, message: string, nowMs: number): void {
    this.lateRejected += samples;
    this.lastLateRejection = { atMs: nowMs, message };
  }

  /** Samples delivered, and rejected or dropped, in the last ten minutes. */
  recent(nowMs: number): { readonly delivered: number; readonly rejected: number } {
    return this.#recent.of(nowMs);
  }

  /** Adopts what another process has counted up to then. */
  restoreRecent({ delivered, rejected }: { delivered: number; rejected: number }, atMs: number): void {
    this.#recent.add(atMs, delivered, rejected);
  }

  fail(message: string, nowMs: number): void {
    this.lastError = { atMs: nowMs, message };
  }
}
