import type { Clock } from "../../../base/core/clock.ts";
import { formatDuration } from "../../../base/core/duration.ts";
import { withLegalNames } from "../../remote-write/encoding/convert-request.ts";
import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import type { Outcome, Refusal, Unfinished } from "../../remote-write/send/outcome.ts";
import { RefusalSearch } from "../../remote-write/send/refusal-search.ts";
import { longestWaitMs } from "../../remote-write/send/retry.ts";
import type { SearchEnd, SearchStep } from "../../remote-write/send/search-step.ts";
import type { SearchPart } from "../../remote-write/send/undecided-samples.ts";
import type { Batch } from "../batch/batch.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { SinkRecorder } from "../stats/sink-recorder.ts";
import type { Receiver, RejectedSamples } from "./receiver.ts";
import type { WindowJournal } from "./window-journal.ts";

export interface RefusedBatchesDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly receiver: Receiver;
  readonly rejected: RejectedSamples;
  readonly recorder: SinkRecorder;
  readonly clock: Clock;
}

export interface SentBatch {
  /** In the journal. */
  readonly number: number;
  readonly batch: Batch;
  /** It was sent before without a response, or an attempt's response was lost. */
  readonly mayHaveArrived: boolean;
  /** The endpoint has accepted another request since this one was refused. */
  readonly isProven: boolean;
}

/** A batch that the receiver has refused, or that fails again and again. */
export interface RefusedBatch extends SentBatch {
  readonly refusal: Refusal;
  /** It was not refused, but failed. */
  readonly isFailing: boolean;
}

/** How the search for the samples that are refused has ended. */
interface SearchResult {
  /** See {@link SearchEnd}; `complete`: the batch is finished. */
  readonly kind: SearchEnd["kind"];
  readonly unfinished: Unfinished | undefined;
  /** Number of requests that the receiver accepted. */
  readonly accepted: number;
}

/** By default Prometheus accepts samples up to about an hour old. */
const oldSampleMs = 50 * 60_000;
/** Refused samples that are tried with legal names: if none of them is accepted, the names are not the reason. */
const mostLegalNames = 16;
/** After as many connections that end without a response, smaller requests are tried. */
const mostResets = 3;
/** A search that has to wait longer for its turn continues in the next cycle. */
const longestSearchMs = 20_000;

/** Handles the batches of one window that its receiver refuses: searches them, and keeps what is rejected. */
export class RefusedBatches {
  readonly #deps: RefusedBatchesDeps;
  readonly #journal: WindowJournal;

  constructor(deps: RefusedBatchesDeps, journal: WindowJournal) {
    this.#deps = deps;
    this.#journal = journal;
  }

  /**
   * Whether a failed request is searched for the samples that make it fail: it has failed for long, and
   * nothing was accepted meanwhile; or all of its samples failed alone before, or their series did.
   */
  isSearched(batch: Batch, outcome: Outcome & { readonly kind: "exhausted" }): boolean {
    if ((outcome.retryAfterMs ?? 0) > longestWaitMs) return false;
    if (batch.suspicion?.isFailing === true || this.#deps.receiver.dropExhausted) return true;
    return this.mayBePoison(batch, outcome);
  }

  /** Whether the samples of a batch may be why it fails. */
  mayBePoison({ entries, request }: Batch, outcome: Outcome): boolean {
    const { memory } = this.#deps.receiver;
    if (memory.hasFailedLong || memory.hasFailedAlone(entries)) return true;
    if (outcome.kind !== "exhausted" || outcome.reason !== "connection_lost") return false;
    return memory.failures >= mostResets && request.sampleCount > 1;
  }

  /**
   * The receiver limits its rate, and the policy does not repeat such a request. A rate limit says nothing of
   * what an earlier request without a response has stored: all of it counts as dropped.
   */
  async drop(
    { request }: Pick<Batch, "request">,
    { status, message }: Refusal,
    mayHaveArrived: boolean,
  ): Promise<void> {
    const { recorder, receiver, rejected, sink } = this.#deps;
    recorder.dropped(request.sampleCount, message);
    const { endpoint } = receiver;
    const isRepeat = mayHaveArrived && { isRepeat: true };
    await rejected.add({ sink, endpoint, message, request, status, ...isRepeat });
  }

  /** @param signals end the search at once; the first one ends a request, too */
  async search(
    refused: RefusedBatch,
    signals: readonly [AbortSignal, ...AbortSignal[]],
  ): Promise<SearchResult> {
    const { batch, refusal, mayHaveArrived, isFailing } = refused;
    const { receiver, clock, recorder } = this.#deps;
    const { memory } = receiver;
    if ((refusal.written ?? 0) > 0) {
      await this.#reject(batch.request, refusal, mayHaveArrived, isFailing);
      return { kind: "complete", unfinished: undefined, accepted: 1 };
    }
    const { isSure, isFailing: wasFailing } = batch.suspicion ?? {};
    const isSurelyRefused = isSure === true && wasFailing === isFailing && memory.takesSize(batch.request);
    if (isSurelyRefused && memory.acceptedLately()) {
      await this.#reject(batch.request, refusal, mayHaveArrived, isFailing);
      memory.forgetFailed(batch.entries);
      return { kind: "complete", unfinished: undefined, accepted: 0 };
    }
    recorder.refused(refusal.message);
    const isProvenLater = memory.isProvenLater(receiver.episode, batch.request.maxMs);
    const isDoubtOnly = mayHaveArrived && memory.hasNothingLater;
    const { sender, state } = receiver.destination;
    const untilMs = clock.monotonicMs() + longestSearchMs;
    const search = new RefusalSearch(batch.request, refusal, {
      // What is to be dropped alone has all its attempts.
      send: (request) =>
        sender.send(request, signals[0], isFailing && request.sampleCount > 1 ? 1 : undefined),
      pace: () => memory.pace.next(untilMs, signals, mayHaveArrived),
      paceAccepted: () => memory.pace.giveBack(),
      isProven: refused.isProven || isProvenLater || isDoubtOnly,
      mayPass: isProvenLater || mayHaveArrived,
      isFailing,
      ...(isFailing &&
        !receiver.dropExhausted && {
          failedAlone: ({ series }) => memory.failedAlone(batch.entries.pick(series)),
        }),
      turn: memory.turn,
      withLegalNames: (request) => {
        if (isFailing || state.names === "legacy" || memory.legalNamesTried >= mostLegalNames)
          return undefined;
        const legal = withLegalNames(request);
        if (legal === undefined || legal.leftOut > 0) return undefined;
        memory.legalNamesTried++;
        return legal.request;
      },
      learnLegalNames: () => state.learnLegacyNames(),
    });
    const { end, accepted } = await this.#follow(search.run(), refused);
    const { acceptedSize } = end;
    if (acceptedSize !== undefined && acceptedSize.samples > 0) {
      if (acceptedSize.isSure || memory.doubtsSize(batch.request)) {
        memory.learnSize(acceptedSize.samples);
        state.learnSize(acceptedSize, clock.monotonicMs());
      }
    }
    if (end.kind === "complete") recorder.searched();
    const { inDoubt = [] } = end;
    // The batch itself got a response: only what has none is in doubt, with what is before an acknowledged
    // sample of its series. The next run sends it first.
    if (inDoubt.length > 0 && !mayHaveArrived) await this.#journal.partInDoubt(batch.entries.pick(inDoubt));
    return { kind: end.kind, unfinished: end.unfinished, accepted };
  }

  /** Records each step at once: a crash during the search must not repeat it. */
  async #follow(
    steps: AsyncGenerator<SearchStep, SearchEnd, void>,
    { batch, mayHaveArrived, isFailing }: RefusedBatch,
  ): Promise<{ readonly end: SearchEnd; readonly accepted: number }> {
    const { recorder, clock, receiver } = this.#deps;
    const { memory } = receiver;
    let accepted = 0;
    const overtaken = new Map<string, number>();
    const refused: RequestEntries[] = [];
    const decided: RequestEntries[] = [];
    let isAnyPassed = false;
    // Not awaited: the log keeps the order, and the next part need not wait for the disk.
    let journaled = Promise.resolve();
    for (let step = await steps.next(); ; step = await steps.next()) {
      if (step.done) {
        await journaled;
        for (const entries of decided) memory.forgetFailed(entries);
        // What is too old says nothing about its series.
        if (!isAnyPassed)
          for (const entries of refused) memory.suspects.add(entries, clock.nowMs(), isFailing);
        return { end: step.value, accepted };
      }
      const { part } = step.value;
      const entries = batch.entries.pick(part.series);
      if (step.value.kind === "overtaken") {
        // The journal knows up to when a series is acknowledged: what is before that is in doubt until then.
        await journaled;
        overtaken.set(keyOf(part), await this.#journal.partInDoubt(entries));
        continue;
      }
      if (step.value.kind === "accepted") {
        accepted++;
        recorder.delivered(part.request.sampleCount);
        memory.accept(part.request);
        memory.acceptSeries(entries);
      } else if (step.value.kind === "limited") {
        const { refusal } = step.value;
        await this.drop(part, refusal, mayHaveArrived || refusal.responseLost);
      } else {
        const { refusal, isPassed } = step.value;
        const isRepeat = mayHaveArrived || refusal.responseLost;
        await this.#reject(part.request, refusal, isRepeat, isFailing, isPassed);
        decided.push(entries);
        isAnyPassed ||= isPassed;
        if (!isRepeat && !recorder.isLate) refused.push(entries);
      }
      const number = overtaken.get(keyOf(part));
      journaled = journaled.then(() =>
        number === undefined ? this.#journal.partAcknowledged(entries) : this.#journal.partDecided(number),
      );
    }
  }

  async #reject(
    request: EncodedRequest,
    refusal: Refusal,
    isRepeat: boolean,
    isFailing: boolean,
    isPassed = false,
  ): Promise<void> {
    const { recorder, clock, receiver, rejected, sink } = this.#deps;
    const { written = 0, status } = refusal;
    if (written > 0) {
      recorder.delivered(written);
      receiver.memory.accept(request);
    }
    const samples = request.sampleCount - written;
    if (samples === 0) return;
    const ageMs = clock.nowMs() - request.maxMs;
    const isOld = recorder.isLate || ageMs >= oldSampleMs;
    const text = isOld ? withRemedy(refusal, ageMs) : refusal.message;
    const message = text + withCounts(refusal, request);
    if (isRepeat) recorder.repeated(samples);
    else if (isFailing && receiver.dropExhausted) recorder.dropped(samples, message);
    else recorder.rejected(samples, message, isPassed);
    const { endpoint } = receiver;
    await rejected.add({ sink, endpoint, message, request, status, ...(isRepeat && { isRepeat }) });
  }
}

function keyOf({ series }: SearchPart): string {
  const [only] = series;
  return series.length === 1 ? `${only?.index} ${only?.timesMs.join()}` : "";
}

/** The receiver does not report in a readable form which of the request's samples were written. */
function withCounts({ written = 0 }: Refusal, { sampleCount }: EncodedRequest): string {
  return written === 0 ? "" : ` (it has written ${written} of the ${sampleCount} samples in this request)`;
}

/** Names the setting that fixes the usual reason for a rejection of samples of this age. */
function withRemedy({ status, message }: Refusal, ageMs: number): string {
  if (status !== 400) return message;
  const age = formatDuration(Math.round(ageMs / 60_000) * 60_000);
  const remedy = "a Prometheus takes them with storage.tsdb.out_of_order_time_window";
  return `${message} (the samples are ${age} old; ${remedy})`;
}
