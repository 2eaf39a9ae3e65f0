import type { Clock } from "../../../base/core/clock.ts";
import type { Outcome, Unfinished } from "../../remote-write/send/outcome.ts";
import { type Refusal, refusalOf } from "../../remote-write/send/refusal-search.ts";
import { longestWaitMs } from "../../remote-write/send/retry.ts";
import type { Batch } from "../batch/batch.ts";
import type { BudgetShare } from "../batch/memory-budget.ts";
import { Partitions } from "../batch/partitions.ts";
import type { SeriesHash } from "../batch/series-hash.ts";
import { SeriesHashTable } from "../batch/series-hash-table.ts";
import type { SinkRecorder } from "../stats/sink-recorder.ts";
import type { DeliveryFailure } from "./delivery-state.ts";
import type { Interruption } from "./interruption.ts";
import type { Receiver, RejectedSamples } from "./receiver.ts";
import { type RefusedBatch, RefusedBatches } from "./refused-batches.ts";
import type { WindowJournal } from "./window-journal.ts";

export interface DispatcherDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly receiver: Receiver;
  readonly rejected: RejectedSamples;
  readonly share: BudgetShare;
  readonly recorder: SinkRecorder;
  readonly clock: Clock;
}

export interface DispatcherOptions {
  /** Nothing is sent before it resolves, and nothing at all if it resolves to false. */
  readonly predecessorClosed: Promise<boolean>;
  /** Only the first batch is sent. */
  readonly isProbe: boolean;
  /** After this monotonic time, no batch but the first is sent. */
  readonly untilMs?: number | undefined;
  /** Called after a failure, with a spent memory share, and when a probe has its batch. */
  readonly stopReading: () => void;
  readonly interruption: Interruption;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
}

/** A partition with at most this many batches left is nearly drained. */
const fewBatchesOfPartition = 2;
/** When as many batches are refused and nothing was accepted, the rest of the window is not tried. */
const mostParked = 16;
/** After as many connections that end without a response, smaller requests are tried. */
const mostResets = 3;
/** Series of a refused request of which later samples are tried. */
const mostTriedLater = 16;

/** A refused batch of which nothing was accepted. */
interface ParkedBatch extends Omit<RefusedBatch, "isProven"> {
  readonly number: number;
  /** When it was refused: a mark. */
  readonly at: number;
}

/** Samples that were refused, and of which none was accepted: nothing of them is rejected yet. */
export interface UnprovenRefusal {
  readonly refusal: Refusal;
  /** Some of the refused series. */
  readonly series: readonly SeriesHash[];
  /** All of them were sent before without a response: the receiver may have them. */
  readonly isInDoubt: boolean;
  /** They were not refused, but fail again and again. */
  readonly isFailing: boolean;
}

/**
 * Sends the batches of one window in partitions, records them in the journal, and handles the receiver's
 * responses: the delivery table.
 *
 * A batch's states: queued -> `sent` in the journal -> delivered or rejected: acknowledged; certainly not
 * stored: returned; possibly stored: it stays `sent` for the next run of the window.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #options: DispatcherOptions;
  readonly #journal: WindowJournal;
  readonly #partitions: Partitions;
  readonly #refused: RefusedBatches;
  #queued = 0;
  #responses = 0;
  #hasBegun = false;
  #isIncomplete = false;
  /** A batch was sent and has to be sent again. */
  #hasLeft = false;
  #outgrewMemory = false;
  #failure: DeliveryFailure | undefined;
  #parked: ParkedBatch[] = [];
  /** The series of parked batches: none of their later samples may overtake them. */
  #waiting: SeriesHashTable | undefined;
  #unproven: UnprovenRefusal | undefined;
  #isSearching = false;

  constructor(journal: WindowJournal, deps: DispatcherDeps, options: DispatcherOptions) {
    this.#journal = journal;
    this.#deps = deps;
    this.#options = options;
    this.#partitions = new Partitions(deps.receiver.partitionCount);
    this.#refused = new RefusedBatches(deps, journal);
  }

  /** Number of requests accepted or rejected by the receiver. */
  get responses(): number {
    return this.#responses;
  }

  /** Whether samples that were read are not acknowledged: no checkpoint may pass them. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  get outgrewMemory(): boolean {
    return this.#outgrewMemory;
  }

  get failure(): DeliveryFailure | undefined {
    return this.#failure;
  }

  /** Set when samples are refused, and nothing proves that the endpoint takes any. */
  get unproven(): UnprovenRefusal | undefined {
    return this.#unproven;
  }

  /** A search has to continue in the next cycle, since its requests are used up. */
  get isSearching(): boolean {
    return this.#isSearching;
  }

  queue(batch: Batch): void {
    const { share } = this.#deps;
    if (batch.request.sampleCount === 0) {
      this.follow(this.#journal.gone(batch));
      return;
    }
    this.#queued++;
    if (this.#options.isProbe) {
      this.#options.stopReading();
      if (this.#queued > 1) {
        this.#isIncomplete = true;
        return;
      }
    }
    const bytes = batch.request.payload.length + batch.entries.byteLength;
    share.hold(bytes);
    this.#partitions.add(batch.partitions, () =>
      this.#guard(this.#send(batch)).finally(() => share.release(bytes)),
    );
    if (share.isSpent() && !this.#outgrewMemory) {
      this.#outgrewMemory = true;
      this.#options.stopReading();
    }
  }

  /** Adds work that {@link drained} waits for, and whose rejection it reports. */
  follow(work: Promise<void>): void {
    this.#partitions.follow(this.#guard(work));
  }

  /** Sends nothing further. Resolves when no request is in flight; never rejects. */
  async abandoned(): Promise<void> {
    this.#isIncomplete = true;
    this.#hasLeft = true;
    await this.#partitions.drained().catch(() => undefined);
  }

  /**
   * After an internal error it is unknown which samples were sent: nothing may overtake them. See
   * {@link #isOver}.
   */
  async #guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#isIncomplete = true;
      this.#hasLeft = true;
      this.#options.stopReading();
      throw error;
    }
  }

  /** Some samples that were read will not be sent: the window has to be run again. */
  markIncomplete(): void {
    this.#isIncomplete = true;
  }

  /** Resolves when the partitions have little left to do. @returns whether there has been no failure so far */
  async nearlyDrained(): Promise<boolean> {
    await this.#partitions.drainedTo(fewBatchesOfPartition * this.#deps.receiver.partitionCount);
    return !this.#isOver() && !this.#options.interruption.signal.aborted;
  }

  /** Resolves when every queued batch has an outcome, and reports rejected samples. */
  async drained(): Promise<void> {
    await this.#partitions.drained();
    await this.#concludeParked();
    await this.#partitions.drained();
    this.#deps.recorder.logRejected();
  }

  /** Once another request was accepted, refused batches are searched to their end. */
  async #concludeParked(): Promise<void> {
    const { memory, episode } = this.#deps.receiver;
    while (this.#parked.length > 0 && !this.#isOver()) {
      const [next] = this.#parked;
      if (next === undefined || !memory.acceptedSince(next.at)) break;
      this.#parked.shift();
      const { sender } = this.#deps.receiver.destination;
      const { number, batch, isFailing } = next;
      const outcome = await sender.send(batch.request, this.#options.signal, isFailing ? 1 : undefined);
      await this.#guard(this.#conclude(number, batch, outcome, { ...next, isProven: true }));
    }
    if (this.#parked.length === 0) return;
    const parked = this.#parked;
    this.#parked = [];
    this.#isIncomplete = true;
    this.#hasLeft = true;
    const series: SeriesHash[] = [];
    for (const { number, batch, mayHaveArrived } of parked) {
      const { length } = batch.entries;
      const step = Math.max(1, Math.floor(length / mostTriedLater));
      for (let at = memory.turn % step; at < length; at += step) {
        batch.entries.eachOf(at, at + 1, (high, low) => {
          if (series.length < mostTriedLater) series.push({ high, low });
        });
      }
      if (!mayHaveArrived) await this.#journal.returned(number);
    }
    const [first] = parked;
    if (first === undefined || this.#options.interruption.signal.aborted || this.#options.signal.aborted)
      return;
    const isInDoubt = parked.every(({ mayHaveArrived }) => mayHaveArrived);
    memory.refuse(episode);
    memory.turn++;
    this.#unproven = { refusal: first.refusal, series, isInDoubt, isFailing: first.isFailing };
  }

  async #send(batch: Batch): Promise<void> {
    const isReady = (await this.#options.predecessorClosed) && !this.#isOver() && !this.#isOverdue();
    if (!isReady || this.#waitsForParked(batch)) {
      this.#isIncomplete = true;
      return;
    }
    this.#hasBegun = true;
    const number = await this.#journal.sent(batch);
    const { sender } = this.#deps.receiver.destination;
    const attempts = batch.suspicion?.isFailing === true ? 1 : undefined;
    await this.#conclude(number, batch, await sender.send(batch.request, this.#options.signal, attempts));
  }

  #waitsForParked({ entries }: Batch): boolean {
    const waiting = this.#waiting;
    if (waiting === undefined) return false;
    let isAny = false;
    entries.each((high, low) => {
      if (waiting.get(high, low) !== undefined) isAny = true;
    });
    if (isAny) entries.each((high, low) => waiting.set(high, low, 1));
    return isAny;
  }

  #park(parked: ParkedBatch): void {
    this.#parked.push(parked);
    this.#waiting ??= new SeriesHashTable(parked.batch.entries.length);
    const waiting = this.#waiting;
    parked.batch.entries.each((high, low) => waiting.set(high, low, 1));
    if (this.#parked.length < mostParked) return;
    this.#hasLeft = true;
    this.#options.stopReading();
  }

  #isOverdue(): boolean {
    const { untilMs = Infinity } = this.#options;
    return this.#hasBegun && this.#deps.clock.monotonicMs() > untilMs;
  }

  /**
   * After an edit the rest is sent differently, after a failure not at all; after a stop, queued batches are
   * still sent. Nothing may overtake a batch that was left: the journal records how far a series was sent,
   * so earlier samples would be lost.
   */
  #isOver(): boolean {
    const { signal, interruption } = this.#options;
    return this.#hasLeft || signal.aborted || interruption.reason === "edit";
  }

  /** @param before set when the batch was parked */
  async #conclude(
    number: number,
    batch: Batch,
    outcome: Outcome,
    before?: Pick<RefusedBatch, "mayHaveArrived" | "isProven">,
  ): Promise<void> {
    const { receiver, recorder } = this.#deps;
    const mayHaveArrived =
      batch.inDoubt !== undefined ||
      before?.mayHaveArrived === true ||
      (outcome.kind !== "delivered" && outcome.responseLost);
    if (outcome.kind === "delivered") {
      recorder.delivered(batch.request.sampleCount, outcome.unwritten);
      receiver.memory.accept(batch.request);
      if (batch.suspicion === undefined) receiver.memory.forgetFailed(batch.entries);
      else receiver.memory.acceptSeries(batch.entries);
      this.#responses++;
      // Not awaited: the log keeps the order, and this record is written with the partition's next batch.
      this.follow(this.#journal.acknowledged(number, batch));
      return;
    }
    if (outcome.kind === "rejected" || (outcome.kind === "exhausted" && this.#isSearched(batch, outcome))) {
      const isFailing = outcome.kind === "exhausted";
      const refusal = refusalOf(outcome);
      const isProven = before?.isProven === true;
      return this.#search({ number, batch, refusal, mayHaveArrived, isFailing, isProven }, outcome);
    }
    return this.#leave(number, outcome, mayHaveArrived);
  }

  async #search(
    refused: RefusedBatch & { readonly number: number },
    outcome: Outcome & { readonly kind: "rejected" | "exhausted" },
  ): Promise<void> {
    const { number, batch, mayHaveArrived, isFailing } = refused;
    const { memory, dropExhausted } = this.#deps.receiver;
    const { signal, interruption } = this.#options;
    const at = memory.mark();
    if (this.#parked.length > 0 && !refused.isProven) return this.#park({ ...refused, at });
    if (isFailing && batch.suspicion?.isFailing === true && !dropExhausted) {
      if (!memory.failedAlone(batch.entries)) return this.#park({ ...refused, at });
    }
    const isPoison = this.#mayBePoison(batch, outcome);
    const { kind, accepted, unfinished } = await this.#refused.search(refused, [signal, interruption.signal]);
    this.#responses += accepted + (isFailing ? 0 : 1);
    if (kind === "complete") return this.#journal.acknowledged(number, batch);
    if (kind === "unfinished" && unfinished !== undefined) {
      return this.#leave(number, unfinished, mayHaveArrived);
    }
    // What is left of a batch is another batch.
    if (kind === "unproven" && outcome.kind === "exhausted" && (accepted > 0 || !isPoison)) {
      return this.#leave(number, outcome, mayHaveArrived);
    }
    if (kind === "unproven") return this.#park({ ...refused, at });
    this.#isSearching = true;
    return this.#leave(number, { kind: "aborted", responseLost: false }, mayHaveArrived);
  }

  /**
   * Whether a failed request is searched for the samples that make it fail: it has failed for long, and
   * nothing was accepted meanwhile; or all of its samples failed alone before, or their series did.
   */
  #isSearched(batch: Batch, outcome: Outcome & { readonly kind: "exhausted" }): boolean {
    const { memory, dropExhausted } = this.#deps.receiver;
    memory.fail();
    if (this.#options.interruption.signal.aborted || (outcome.retryAfterMs ?? 0) > longestWaitMs)
      return false;
    return batch.suspicion?.isFailing === true || dropExhausted || this.#mayBePoison(batch, outcome);
  }

  #mayBePoison({ entries, request }: Batch, outcome: Outcome): boolean {
    const { memory } = this.#deps.receiver;
    if (memory.hasFailedLong || memory.hasFailedAlone(entries)) return true;
    if (outcome.kind !== "exhausted" || outcome.reason !== "connection_lost") return false;
    return memory.failures >= mostResets && request.sampleCount > 1;
  }

  /** The samples cannot be delivered now: the window is run again later. */
  async #leave(number: number, outcome: Unfinished, mayHaveArrived: boolean): Promise<void> {
    this.#isIncomplete = true;
    this.#hasLeft = true;
    // After an interruption the result of further attempts is unknown.
    if (outcome.kind !== "aborted" && !this.#options.interruption.signal.aborted) {
      this.#failure ??= {
        kind: outcome.kind === "exhausted" ? "retrying" : outcome.kind,
        message: outcome.message,
        detail: outcome.detail,
        retryAfterMs: outcome.kind === "exhausted" ? outcome.retryAfterMs : undefined,
      };
      this.#deps.recorder.failed(outcome.detail ?? outcome.message);
      this.#options.stopReading();
    }
    if (!mayHaveArrived) await this.#journal.returned(number);
  }
}
