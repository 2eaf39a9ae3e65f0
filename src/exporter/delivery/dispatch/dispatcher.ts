import { type Outcome, refusalOf, type Unfinished } from "../../remote-write/send/outcome.ts";
import type { Batch } from "../batch/batch.ts";
import type { BudgetShare } from "../batch/memory-budget.ts";
import { Partitions } from "../batch/partitions.ts";
import { type DeliveryFailure, failureOf } from "./delivery-state.ts";
import type { Interruption } from "./interruption.ts";
import {
  type ParkedBatch,
  ParkedBatches,
  type UnprovenRefusal,
  unprovenRefusalOf,
} from "./parked-batches.ts";
import {
  type RefusedBatch,
  RefusedBatches,
  type RefusedBatchesDeps,
  type SentBatch,
} from "./refused-batches.ts";
import type { WindowJournal } from "./window-journal.ts";

export interface DispatcherDeps extends RefusedBatchesDeps {
  readonly share: BudgetShare;
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
/** What has become of the batches of a window so far. */
export class Dispatched {
  /** Number of requests accepted or rejected by the receiver. */
  requestsWithResponse = 0;
  /** Samples that were read are not acknowledged: no checkpoint may pass them. */
  isIncomplete = false;
  outgrewMemory = false;
  failure: DeliveryFailure | undefined;
  /** Set when samples are refused, and nothing proves that the endpoint takes any. */
  unproven: UnprovenRefusal | undefined;
  /** A search has to continue in the next cycle, since its requests are used up. */
  isSearching = false;
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
  readonly #parked = new ParkedBatches();
  readonly #result = new Dispatched();
  #queued = 0;
  #hasBegun = false;
  /** A batch was sent and has to be sent again. */
  #hasLeft = false;

  constructor(journal: WindowJournal, deps: DispatcherDeps, options: DispatcherOptions) {
    this.#journal = journal;
    this.#deps = deps;
    this.#options = options;
    this.#partitions = new Partitions(deps.receiver.partitionCount);
    this.#refused = new RefusedBatches(deps, journal);
  }

  get result(): Readonly<Dispatched> {
    return this.#result;
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
        this.#result.isIncomplete = true;
        return;
      }
    }
    const bytes = batch.request.payload.length + batch.entries.byteLength;
    share.hold(bytes);
    this.#partitions.add(batch.partitions, () =>
      this.#guard(this.#send(batch)).finally(() => share.release(bytes)),
    );
    if (share.isSpent() && !this.#result.outgrewMemory) {
      this.#result.outgrewMemory = true;
      this.#options.stopReading();
    }
  }

  /** Adds work that {@link drained} waits for, and whose rejection it reports. */
  follow(work: Promise<void>): void {
    this.#partitions.follow(this.#guard(work));
  }

  /** Sends nothing further. Resolves when no request is in flight; never rejects. */
  async abandoned(): Promise<void> {
    this.#stopSending();
    await this.#partitions.drained().catch(() => undefined);
  }

  /** Nothing may overtake what was left: see {@link #isOver}. */
  #stopSending(): void {
    this.#result.isIncomplete = true;
    this.#hasLeft = true;
  }

  /** After an internal error it is unknown which samples were sent. */
  async #guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#stopSending();
      this.#options.stopReading();
      throw error;
    }
  }

  /** Some samples that were read will not be sent: the window has to be run again. */
  markIncomplete(): void {
    this.#result.isIncomplete = true;
  }

  /** Resolves when the partitions have little left to do. @returns whether there has been no failure so far */
  async nearlyDrained(): Promise<boolean> {
    await this.#partitions.drainedTo(fewBatchesOfPartition * this.#deps.receiver.partitionCount);
    return !this.#isOver() && !this.#isInterrupted;
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
    while (!this.#isOver()) {
      const next = this.#parked.takeProven(memory);
      if (next === undefined) break;
      await this.#guard(this.#deliver({ ...next, isProven: true }, next.isFailing));
    }
    const parked = this.#parked.takeAll();
    if (parked.length === 0) return;
    this.#stopSending();
    for (const { number, mayHaveArrived } of parked) {
      if (!mayHaveArrived) await this.#journal.returned(number);
    }
    if (this.#isInterrupted || this.#options.signal.aborted) return;
    this.#result.unproven = unprovenRefusalOf(parked, memory.turn);
    memory.refuse(episode);
    memory.turn++;
  }

  async #send(batch: Batch): Promise<void> {
    const isReady = (await this.#options.predecessorClosed) && !this.#isOver() && !this.#isOverdue();
    if (!isReady || this.#parked.holdsBack(batch)) {
      this.#result.isIncomplete = true;
      return;
    }
    this.#hasBegun = true;
    const number = await this.#journal.sent(batch);
    const mayHaveArrived = batch.inDoubt !== undefined;
    const isFailing = batch.suspicion?.isFailing === true;
    await this.#deliver({ number, batch, mayHaveArrived, isProven: false }, isFailing);
  }

  /** @param isFailing it failed before: another failure means as much as several */
  async #deliver(sent: SentBatch, isFailing: boolean): Promise<void> {
    const { sender } = this.#deps.receiver.destination;
    const attempts = isFailing ? 1 : undefined;
    await this.#conclude(sent, await sender.send(sent.batch.request, this.#options.signal, attempts));
  }

  #park(parked: ParkedBatch): void {
    this.#parked.add(parked);
    if (!this.#parked.isFull) return;
    this.#hasLeft = true;
    this.#options.stopReading();
  }

  get #isInterrupted(): boolean {
    return this.#options.interruption.reason !== undefined;
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

  async #conclude(sent: SentBatch, outcome: Outcome): Promise<void> {
    const { number, batch } = sent;
    const { receiver, recorder } = this.#deps;
    if (outcome.kind === "delivered") {
      recorder.delivered(batch.request.sampleCount, outcome.unwritten);
      receiver.memory.accept(batch.request);
      if (batch.suspicion === undefined) receiver.memory.forgetFailed(batch.entries);
      else receiver.memory.acceptSeries(batch.entries);
      this.#result.requestsWithResponse++;
      // Not awaited: the log keeps the order, and this record is written with the partition's next batch.
      this.follow(this.#journal.acknowledged(number, batch));
      return;
    }
    const mayHaveArrived = sent.mayHaveArrived || outcome.responseLost;
    if (outcome.kind === "limited") {
      this.#result.requestsWithResponse++;
      await this.#refused.drop(batch, refusalOf(outcome), mayHaveArrived);
      return this.#journal.acknowledged(number, batch);
    }
    const isFailing = outcome.kind === "exhausted";
    if (isFailing) receiver.memory.fail();
    const isSearched = isFailing && !this.#isInterrupted && this.#refused.isSearched(batch, outcome);
    if (outcome.kind === "rejected" || isSearched) {
      return this.#search({ ...sent, mayHaveArrived, isFailing, refusal: refusalOf(outcome) }, outcome);
    }
    return this.#leave(number, outcome, mayHaveArrived);
  }

  async #search(
    refused: RefusedBatch,
    outcome: Outcome & { readonly kind: "rejected" | "exhausted" },
  ): Promise<void> {
    const { number, batch, mayHaveArrived, isFailing } = refused;
    const { memory, dropExhausted } = this.#deps.receiver;
    const { signal, interruption } = this.#options;
    const at = memory.mark();
    if (this.#parked.size > 0 && !refused.isProven) return this.#park({ ...refused, at });
    if (isFailing && batch.suspicion?.isFailing === true && !dropExhausted) {
      if (!memory.failedAlone(batch.entries)) return this.#park({ ...refused, at });
    }
    const isPoison = this.#refused.mayBePoison(batch, outcome);
    const { kind, accepted, unfinished } = await this.#refused.search(refused, [signal, interruption.signal]);
    this.#result.requestsWithResponse += accepted + (isFailing ? 0 : 1);
    if (kind === "complete") return this.#journal.acknowledged(number, batch);
    if (kind === "unfinished" && unfinished !== undefined) {
      return this.#leave(number, unfinished, mayHaveArrived);
    }
    // What is left of a batch is another batch.
    if (kind === "unproven" && outcome.kind === "exhausted" && (accepted > 0 || !isPoison)) {
      return this.#leave(number, outcome, mayHaveArrived);
    }
    if (kind === "unproven") return this.#park({ ...refused, at });
    this.#result.isSearching = true;
    return this.#leave(number, { kind: "aborted", responseLost: false }, mayHaveArrived);
  }

  /** The samples cannot be delivered now: the window is run again later. */
  async #leave(number: number, outcome: Unfinished, mayHaveArrived: boolean): Promise<void> {
    this.#stopSending();
    // After an interruption the result of further attempts is unknown.
    if (outcome.kind !== "aborted" && !this.#isInterrupted) {
      const failure = failureOf(outcome);
      this.#result.failure ??= failure;
      this.#deps.recorder.failed(failure.detail ?? failure.message);
      this.#options.stopReading();
    }
    if (!mayHaveArrived) await this.#journal.returned(number);
  }
}
