import type { Clock } from "../../../base/core/clock.ts";
import { formatDuration } from "../../../base/core/duration.ts";
import type { Logger } from "../../../base/core/log.ts";
import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import type { RequestPart } from "../../remote-write/encoding/split-request.ts";
import type { Connection } from "../../remote-write/endpoint/endpoints.ts";
import type { RejectedRequest } from "../../remote-write/rejected/rejected-store.ts";
import { isolate, type Refusal } from "../../remote-write/send/isolate.ts";
import type { Outcome, Unfinished } from "../../remote-write/send/outcome.ts";
import type { Batch } from "../batch/batcher.ts";
import type { SinkStats } from "../sink-stats.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow, StateStore } from "../state/sink-state.ts";

/** Keeps what receivers refuse for good. Never rejects. */
export interface RejectedSamples {
  add(rejected: RejectedRequest): Promise<unknown>;
}

/** What a sink remembers from one window to the next about refusals. */
export interface RefusalMemory {
  /** Nothing of the last refused request was good, and nothing was accepted since: looking for culprits is idle. */
  isHopeless: boolean;
}

export interface RefusedRequestsDeps {
  readonly sink: string;
  readonly endpoint: string;
  readonly connection: Connection;
  readonly rejected: RejectedSamples;
  readonly refusals: RefusalMemory;
  readonly state: StateStore;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface RefusedRequestsOptions {
  /** The second reading of a window; entries of its requests are one for each sample. */
  readonly isLate: boolean;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** A part of a refused request was taken, sent alone. */
  readonly onDelivered: (request: EncodedRequest) => void;
}

/** Prometheus takes samples up to about an hour old, unless it is told otherwise. */
const oldSampleMs = 50 * 60_000;

/** The requests of one window that its receiver does not take: finds the culprits in them, and keeps those. */
export class RefusedRequests {
  readonly #deps: RefusedRequestsDeps;
  readonly #options: RefusedRequestsOptions;
  #rejected = { samples: 0, message: "" };

  constructor(deps: RefusedRequestsDeps, options: RefusedRequestsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Rejects a refused request, or looks for the culprits in it where that promises something.
   *
   * @param mayHaveArrived it was sent before, and its response is not known
   * @returns what broke the search off, if something did; otherwise the request is done with
   */
  async take(
    window: OpenWindow,
    ready: Batch,
    refusal: Refusal,
    mayHaveArrived: boolean,
  ): Promise<Unfinished | undefined> {
    const { connection, refusals, clock, state } = this.#deps;
    const isPartlyWritten = (refusal.written ?? 0) > 0;
    const isAboutSize = refusal.status === 413;
    const isAboutContent = connection.state.acceptedRecently(clock.monotonicMs()) && !refusals.isHopeless;
    if (ready.request.sampleCount === 1 || isPartlyWritten || !(isAboutSize || isAboutContent)) {
      await this.#reject(ready.request, refusal, mayHaveArrived);
      return undefined;
    }
    // A crash in the middle must not send the good parts again.
    let journaled = Promise.resolve();
    const settlePart = (part: RequestPart) => {
      journaled = journaled.then(() => this.#settlePart(window, ready, part));
    };
    const { culprits, delivered, interrupted } = await isolate(
      ready.request,
      refusal,
      {
        clock,
        send: (request, signal) => connection.sender.send(request, signal),
        onDelivered: (part) => {
          this.#options.onDelivered(part.request);
          settlePart(part);
        },
      },
      this.#options.signal,
    );
    for (const { part, refusal: own } of culprits) {
      await this.#reject(part.request, own, mayHaveArrived || own.responseLost);
      if (interrupted !== undefined) settlePart(part);
    }
    await journaled;
    if (interrupted === undefined) {
      if (delivered.length === 0) refusals.isHopeless = true;
      return undefined;
    }
    // The request itself got a response: only the part without a response is in doubt, and goes alone the next time.
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

  /** Says what was rejected since the last time, in one line. */
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
    // A single series may have been cut in time; several are whole.
    return entries.slice(
      firstSeries,
      request.seriesCount,
      request.seriesCount === 1 ? request.maxMs : Infinity,
    );
  }

  async #reject(request: EncodedRequest, refusal: Refusal, isRepeat: boolean): Promise<void> {
    const { stats, clock, rejected, sink, endpoint } = this.#deps;
    const { status, written = 0 } = refusal;
    if (written > 0) stats.deliver(written, clock.nowMs(), clock.monotonicMs());
    const samples = request.sampleCount - written;
    if (samples === 0) return;
    // Refused as what the receiver has already: nothing is lost.
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

/** Which of the request's samples are which, the receiver does not say in a way that could be read. */
function withCounts({ written = 0 }: Refusal, { sampleCount }: EncodedRequest): string {
  return written === 0 ? "" : ` (it has written ${written} of the ${sampleCount} samples in this request)`;
}

/** Names the setting that cures the usual reason for which samples of this age are refused. */
function withRemedy({ status, message }: Refusal, ageMs: number): string {
  if (status !== 400 || ageMs < oldSampleMs) return message;
  const age = formatDuration(Math.round(ageMs / 60_000) * 60_000);
  return `${message} (the samples are ${age} old; a Prometheus takes them with storage.tsdb.out_of_order_time_window)`;
}
