import type { Clock } from "../../../base/core/clock.ts";
import { formatDuration } from "../../../base/core/duration.ts";
import type { Logger } from "../../../base/core/log.ts";
import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import type { RequestPart } from "../../remote-write/encoding/split-request.ts";
import type { Destination } from "../../remote-write/endpoint/endpoints.ts";
import type { RejectedRequest } from "../../remote-write/rejected/rejected-store.ts";
import { isolate, type Rejection } from "../../remote-write/send/isolate.ts";
import type { Outcome, Unfinished } from "../../remote-write/send/outcome.ts";
import type { Batch } from "../batch/batcher.ts";
import type { SinkStats } from "../sink-stats.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow, StateStore } from "../state/sink-state.ts";

/** Keeps rejected samples. Never rejects. */
export interface RejectedSamples {
  add(rejected: RejectedRequest): Promise<unknown>;
}

/** A sink's memory of rejections between windows. */
export interface RefusalMemory {
  /** Nothing of the last rejected request was accepted, nor anything since: searching culprits is futile. */
  isHopeless: boolean;
}

export interface RefusedRequestsDeps {
  readonly sink: string;
  readonly endpoint: string;
  readonly destination: Destination;
  readonly rejected: RejectedSamples;
  readonly refusals: RefusalMemory;
  readonly state: StateStore;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface RefusedRequestsOptions {
  /** The second reading of a window; its requests have one entry per sample. */
  readonly isLate: boolean;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** Called when a part of a rejected request was accepted on its own. */
  readonly onDelivered: (request: EncodedRequest) => void;
}

/** By default Prometheus accepts samples up to about an hour old. */
const oldSampleMs = 50 * 60_000;

/** Handles the requests of one window that its receiver rejects: isolates the culprits, and keeps those. */
export class RefusedRequests {
  readonly #deps: RefusedRequestsDeps;
  readonly #options: RefusedRequestsOptions;
  #rejected = { samples: 0, message: "" };

  constructor(deps: RefusedRequestsDeps, options: RefusedRequestsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Rejects a request, or isolates the culprits in it where that is promising.
   *
   * @param mayHaveArrived the request was sent before and is in doubt
   * @returns the failure that interrupted the search, if any; otherwise the request is finished
   */
  async take(
    window: OpenWindow,
    ready: Batch,
    refusal: Rejection,
    mayHaveArrived: boolean,
  ): Promise<Unfinished | undefined> {
    const { destination, refusals, clock, state } = this.#deps;
    const isPartlyWritten = (refusal.written ?? 0) > 0;
    const isAboutSize = refusal.status === 413;
    const isAboutContent = destination.state.acceptedRecently(clock.monotonicMs()) && !refusals.isHopeless;
    if (ready.request.sampleCount === 1 || isPartlyWritten || !(isAboutSize || isAboutContent)) {
      await this.#reject(ready.request, refusal, mayHaveArrived);
      return undefined;
    }
    // A crash during the search must not send the accepted parts again.
    let journaled = Promise.resolve();
    const settlePart = (part: RequestPart) => {
      journaled = journaled.then(() => this.#settlePart(window, ready, part));
    };
    const { culprits, delivered, interrupted } = await isolate(
      ready.request,
      refusal,
      {
        clock,
        send: (request, signal) => destination.sender.send(request, signal),
        onDelivered: (part) => {
          this.#options.onDelivered(part.request);
          settlePart(part);
        },
      },
      this.#options.signal,
    );
    for (const { part, rejection: own } of culprits) {
      await this.#reject(part.request, own, mayHaveArrived || own.responseLost);
      if (interrupted !== undefined) settlePart(part);
    }
    await journaled;
    if (interrupted === undefined) {
      if (delivered.length === 0) refusals.isHopeless = true;
      return undefined;
    }
    // The request itself got a response: only the part without one is in doubt, and is sent alone the next
    // time.
    if (interrupted.outcome.responseLost && !mayHaveArrived) {
      await state.requestSent(window, this.#entriesOf(ready, interrupted.part));
    }
    return interrupted.outcome;
  }

  /** `delivery.onExhausted: drop` */
  async drop(request: EncodedRequest, outcome: Outcome & { kind: "exhausted" }): Promise<void> {
    const { stats, clock, rejected, sink, endpoint, log } = this.#deps;
    const { message, status } = outcome;
    stats.dropped += request.sampleCount;
    stats.fail(message, clock.nowMs());
    log.warn({ sink, samples: request.sampleCount, message }, "samples were dropped: no attempt is left");
    await rejected.add({ sink, endpoint, message, request, ...(status === undefined ? {} : { status }) });
  }

  /** Logs what was rejected since the last call, in one line. */
  report(): void {
    const { samples, message } = this.#rejected;
    if (samples === 0) return;
    this.#rejected = { samples: 0, message: "" };
    this.#deps.log.warn({ sink: this.#deps.sink, samples, message }, "samples were refused for good");
  }

  async #settlePart(window: OpenWindow, ready: Batch, part: RequestPart): Promise<void> {
    const { state } = this.#deps;
    await state.requestSettled(window, await state.requestSent(window, this.#entriesOf(ready, part)));
  }

  #entriesOf({ entries }: Batch, { request, firstSeries, firstSample }: RequestPart): RequestEntries {
    if (this.#options.isLate) return entries.slice(firstSample, request.sampleCount);
    // A single series may have been split in time; several are whole.
    return entries.slice(
      firstSeries,
      request.seriesCount,
      request.seriesCount === 1 ? request.maxMs : Infinity,
    );
  }

  async #reject(request: EncodedRequest, refusal: Rejection, isRepeat: boolean): Promise<void> {
    const { stats, clock, rejected, sink, endpoint } = this.#deps;
    const { status, written = 0 } = refusal;
    if (written > 0) stats.deliver(written, clock.nowMs(), clock.monotonicMs());
    const samples = request.sampleCount - written;
    if (samples === 0) return;
    // Rejected because the receiver already has the samples: nothing is lost.
    if (isRepeat) {
      stats.repeated += samples;
      return;
    }
    const message = withRemedy(refusal, clock.nowMs() - request.maxMs) + withCounts(refusal, request);
    stats.reject(samples, message, clock.nowMs());
    this.#rejected = { samples: this.#rejected.samples + samples, message };
    await rejected.add({ sink, endpoint, status, message, request });
  }
}

/** The receiver does not report in a readable form which of the request's samples were written. */
function withCounts({ written = 0 }: Rejection, { sampleCount }: EncodedRequest): string {
  return written === 0 ? "" : ` (it has written ${written} of the ${sampleCount} samples in this request)`;
}

/** Names the setting that fixes the usual reason for a rejection of samples of this age. */
function withRemedy({ status, message }: Rejection, ageMs: number): string {
  if (status !== 400 || ageMs < oldSampleMs) return message;
  const age = formatDuration(Math.round(ageMs / 60_000) * 60_000);
  return `${message} (the samples are ${age} old; a Prometheus takes them with storage.tsdb.out_of_order_time_window)`;
}
