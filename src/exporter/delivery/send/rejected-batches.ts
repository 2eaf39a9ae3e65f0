import type { Clock } from "../../../base/core/clock.ts";
import { formatDuration } from "../../../base/core/duration.ts";
import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import type { RequestPart } from "../../remote-write/encoding/split-request.ts";
import { type Isolation, isolate, type Rejection } from "../../remote-write/send/isolate.ts";
import type { Outcome, Unfinished } from "../../remote-write/send/outcome.ts";
import type { Batch } from "../batch/batch.ts";
import type { SinkRecorder } from "../sink-recorder.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { WindowJournal } from "../state/window-journal.ts";
import type { Receiver, RejectedSamples } from "./receiver.ts";

export interface RejectedBatchesDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly receiver: Receiver;
  readonly rejected: RejectedSamples;
  readonly recorder: SinkRecorder;
  readonly clock: Clock;
}

export interface RejectionResult {
  /** Number of requests that the receiver accepted. */
  readonly delivered: number;
  /** The failure that interrupted the search; otherwise the batch is finished. */
  readonly unfinished?: Unfinished | undefined;
}

/** By default Prometheus accepts samples up to about an hour old. */
const oldSampleMs = 50 * 60_000;

/** Handles the batches of one window that its receiver rejects: isolates the culprits, and keeps those. */
export class RejectedBatches {
  readonly #deps: RejectedBatchesDeps;
  readonly #journal: WindowJournal;

  constructor(deps: RejectedBatchesDeps, journal: WindowJournal) {
    this.#deps = deps;
    this.#journal = journal;
  }

  /**
   * Rejects a batch, or isolates the culprits in it where that is promising.
   *
   * @param mayHaveArrived the batch was sent before and is in doubt
   * @param signal ends the search at once
   */
  async take(
    batch: Batch,
    rejection: Rejection,
    mayHaveArrived: boolean,
    signal: AbortSignal,
  ): Promise<RejectionResult> {
    const { destination, rejections } = this.#deps.receiver;
    const isPartlyWritten = (rejection.written ?? 0) > 0;
    const isAboutSize = rejection.status === 413;
    const isAboutContent =
      destination.state.acceptedRecently(this.#deps.clock.monotonicMs()) && !rejections.isHopeless;
    const isPromising = batch.request.sampleCount > 1 && (isAboutSize || isAboutContent);
    // Only the exemplars may be the reason: no sample is given up before it was sent without them.
    if (isPartlyWritten || !(isPromising || batch.request.hasExemplars === true)) {
      await this.#reject(batch.request, rejection, mayHaveArrived);
      return { delivered: 0 };
    }
    const { delivered, culprits, interrupted } = await this.#isolate(batch, rejection, signal);
    for (const { part, rejection: own } of culprits) {
      await this.#reject(part.request, own, mayHaveArrived || own.responseLost);
      if (interrupted !== undefined) await this.#journal.partAcknowledged(this.#entriesOf(batch, part));
    }
    if (interrupted === undefined) {
      if (delivered.length === 0) rejections.isHopeless = true;
      return { delivered: delivered.length };
    }
    // The batch itself got a response: only the part without one is in doubt, and is sent alone the next
    // time.
    if (interrupted.outcome.responseLost && !mayHaveArrived) {
      await this.#journal.partInDoubt(this.#entriesOf(batch, interrupted.part));
    }
    return { delivered: delivered.length, unfinished: interrupted.outcome };
  }

  /** Records each accepted part at once: a crash during the search must not send it again. */
  async #isolate(batch: Batch, rejection: Rejection, signal: AbortSignal): Promise<Isolation> {
    const { recorder, clock, receiver } = this.#deps;
    const { sender } = receiver.destination;
    const search = isolate(batch.request, rejection, { clock, send: sender.send.bind(sender) }, signal);
    // Not awaited: the log keeps the order, and the next part need not wait for the disk.
    let journaled = Promise.resolve();
    let step = await search.next();
    while (!step.done) {
      const entries = this.#entriesOf(batch, step.value);
      recorder.delivered(step.value.request.sampleCount);
      receiver.rejections.isHopeless = false;
      journaled = journaled.then(() => this.#journal.partAcknowledged(entries));
      step = await search.next();
    }
    await journaled;
    return step.value;
  }

  /** `delivery.onExhausted: drop` */
  async drop(request: EncodedRequest, { message, status }: Outcome & { kind: "exhausted" }): Promise<void> {
    this.#deps.recorder.dropped(request.sampleCount, message);
    await this.#keep(request, message, status);
  }

  #entriesOf({ entries }: Batch, { request, firstSeries }: RequestPart): RequestEntries {
    const { seriesCount, minMs, maxMs } = request;
    // A single series may have been split in time; several are whole.
    return seriesCount === 1
      ? entries.slice(firstSeries, 1, minMs, maxMs)
      : entries.slice(firstSeries, seriesCount);
  }

  async #reject(request: EncodedRequest, rejection: Rejection, isRepeat: boolean): Promise<void> {
    const { recorder, clock } = this.#deps;
    const { written = 0 } = rejection;
    if (written > 0) recorder.delivered(written);
    const samples = request.sampleCount - written;
    if (samples === 0) return;
    // Rejected because the receiver already has the samples: nothing is lost.
    if (isRepeat) return recorder.repeated(samples);
    const ageMs = clock.nowMs() - request.maxMs;
    const isOld = recorder.isLate || ageMs >= oldSampleMs;
    const message =
      (isOld ? withRemedy(rejection, ageMs) : rejection.message) + withCounts(rejection, request);
    recorder.rejected(samples, message);
    await this.#keep(request, message, rejection.status);
  }

  async #keep(request: EncodedRequest, message: string, status: number | undefined): Promise<void> {
    const { rejected, sink, receiver } = this.#deps;
    await rejected.add({ sink, endpoint: receiver.endpoint, message, request, status });
  }
}

/** The receiver does not report in a readable form which of the request's samples were written. */
function withCounts({ written = 0 }: Rejection, { sampleCount }: EncodedRequest): string {
  return written === 0 ? "" : ` (it has written ${written} of the ${sampleCount} samples in this request)`;
}

/** Names the setting that fixes the usual reason for a rejection of samples of this age. */
function withRemedy({ status, message }: Rejection, ageMs: number): string {
  if (status !== 400) return message;
  const age = formatDuration(Math.round(ageMs / 60_000) * 60_000);
  const remedy = "a Prometheus takes them with storage.tsdb.out_of_order_time_window";
  return `${message} (the samples are ${age} old; ${remedy})`;
}
