import type { Clock } from "../../../base/core/clock.ts";
import type { Outcome, Unfinished } from "../../remote-write/send/outcome.ts";
import { longestWaitMs } from "../../remote-write/send/retry.ts";
import type { Batch } from "../batch/batch.ts";
import type { BudgetShare } from "../batch/memory-budget.ts";
import type { SinkRecorder } from "../sink-recorder.ts";
import type { WindowJournal } from "../state/window-journal.ts";
import type { DeliveryFailure } from "./delivery-state.ts";
import { Lanes } from "./lanes.ts";
import type { Receiver, RejectedSamples } from "./receiver.ts";
import { RejectedBatches } from "./rejected-batches.ts";

export interface DispatcherDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly receiver: Receiver;
  readonly rejected: RejectedSamples;
  readonly share: BudgetShare;
  readonly recorder: SinkRecorder;
  readonly clock: Clock;
}

/** Why a cycle was told to stop early: a changed plan, or the daemon's shutdown. */
export type Interruption = "edit" | "stop";

export interface DispatcherOptions {
  /** Nothing is sent before it resolves, and nothing at all if it resolves to false. */
  readonly predecessorClosed: Promise<boolean>;
  /** Only the first batch is sent. */
  readonly isProbe: boolean;
  /** After this monotonic time, no batch but the first is sent. */
  readonly untilMs?: number | undefined;
  /** Its reason is an {@link Interruption}. */
  readonly interrupt: AbortSignal;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
}

/** A lane with at most this many batches left is nearly drained. */
const fewBatchesOfLane = 2;

/**
 * Sends the batches of one window in lanes, records them in the journal, and handles the receiver's
 * responses: the delivery table.
 *
 * A batch's states: queued -> `sent` in the journal -> delivered or rejected: acknowledged; certainly not
 * stored: returned; possibly stored: it stays `sent` for the next run of the window.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #options: DispatcherOptions;
  readonly #journal: WindowJournal;
  readonly #lanes: Lanes;
  readonly #rejected: RejectedBatches;
  readonly #enough = new AbortController();
  #queued = 0;
  #responses = 0;
  #hasBegun = false;
  #isIncomplete = false;
  /** A batch was sent and has to be sent again. */
  #hasLeft = false;
  #outgrewMemory = false;
  #failure: DeliveryFailure | undefined;

  constructor(journal: WindowJournal, deps: DispatcherDeps, options: DispatcherOptions) {
    this.#journal = journal;
    this.#deps = deps;
    this.#options = options;
    this.#lanes = new Lanes(deps.receiver.laneCount);
    this.#rejected = new RejectedBatches(deps, journal);
  }

  /** Aborts when reading is to stop: after a failure, a spent memory share, or a probe that has its batch. */
  get enough(): AbortSignal {
    return this.#enough.signal;
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

  queue(batch: Batch): void {
    const { share } = this.#deps;
    if (batch.request.sampleCount === 0) {
      this.follow(this.#journal.gone(batch));
      return;
    }
    this.#queued++;
    if (this.#options.isProbe) {
      this.#enough.abort();
      if (this.#queued > 1) {
        this.#isIncomplete = true;
        return;
      }
    }
    const bytes = batch.request.payload.length + batch.entries.byteLength;
    share.hold(bytes);
    this.#lanes.add(batch.lanes, () => this.#guard(this.#send(batch)).finally(() => share.release(bytes)));
    if (share.isSpent() && !this.#outgrewMemory) {
      this.#outgrewMemory = true;
      this.#enough.abort();
    }
  }

  /** Adds work that {@link drained} waits for, and whose rejection it reports. */
  follow(work: Promise<void>): void {
    this.#lanes.follow(this.#guard(work));
  }

  /** Sends nothing further. Resolves when no request is in flight; never rejects. */
  async abandoned(): Promise<void> {
    this.#isIncomplete = true;
    this.#hasLeft = true;
    await this.#lanes.drained().catch(() => undefined);
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
      this.#enough.abort();
      throw error;
    }
  }

  /** Some samples that were read will not be sent: the window has to be run again. */
  leaveRest(): void {
    this.#isIncomplete = true;
  }

  /** Resolves when the lanes have little left to do. @returns whether there has been no failure so far */
  async nearlyDrained(): Promise<boolean> {
    await this.#lanes.drainedTo(fewBatchesOfLane * this.#deps.receiver.laneCount);
    return !this.#isOver() && !this.#options.interrupt.aborted;
  }

  /** Resolves when every queued batch has an outcome, and reports rejected samples. */
  async drained(): Promise<void> {
    await this.#lanes.drained();
    this.#deps.recorder.logRejected();
  }

  async #send(batch: Batch): Promise<void> {
    if (!(await this.#options.predecessorClosed) || this.#isOver() || this.#isOverdue()) {
      this.#isIncomplete = true;
      return;
    }
    this.#hasBegun = true;
    const number = await this.#journal.sent(batch);
    const { sender } = this.#deps.receiver.destination;
    await this.#conclude(number, batch, await sender.send(batch.request, this.#options.signal));
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
    const { signal, interrupt } = this.#options;
    return this.#hasLeft || signal.aborted || (interrupt.aborted && interrupt.reason === "edit");
  }

  async #conclude(number: number, batch: Batch, outcome: Outcome): Promise<void> {
    const { receiver, recorder } = this.#deps;
    const mayHaveArrived =
      batch.inDoubt !== undefined || (outcome.kind !== "delivered" && outcome.responseLost);
    if (outcome.kind === "delivered") {
      recorder.delivered(batch.request.sampleCount, outcome.unwritten);
      receiver.rejections.isHopeless = false;
      this.#responses++;
      // Not awaited: the log keeps the order, and this record is written with the lane's next batch.
      this.follow(this.#journal.acknowledged(number, batch));
      return;
    }
    if (outcome.kind === "rejected") {
      const { signal } = this.#options;
      const { delivered, unfinished } = await this.#rejected.take(batch, outcome, mayHaveArrived, signal);
      this.#responses += 1 + delivered;
      if (unfinished === undefined) return this.#journal.acknowledged(number, batch);
      return this.#leave(number, unfinished, mayHaveArrived);
    }
    const isUsedUp = outcome.kind === "exhausted" && (outcome.retryAfterMs ?? 0) <= longestWaitMs;
    if (isUsedUp && receiver.dropExhausted && !this.#options.interrupt.aborted) {
      await this.#rejected.drop(batch.request, outcome);
      return this.#journal.acknowledged(number, batch);
    }
    return this.#leave(number, outcome, mayHaveArrived);
  }

  /** The samples cannot be delivered now: the window is run again later. */
  async #leave(number: number, outcome: Unfinished, mayHaveArrived: boolean): Promise<void> {
    this.#isIncomplete = true;
    this.#hasLeft = true;
    // After an interruption the result of further attempts is unknown.
    if (outcome.kind !== "aborted" && !this.#options.interrupt.aborted) {
      this.#failure ??= {
        kind: outcome.kind === "exhausted" ? "retrying" : outcome.kind,
        message: outcome.message,
        detail: outcome.detail,
        retryAfterMs: outcome.kind === "exhausted" ? outcome.retryAfterMs : undefined,
      };
      this.#deps.recorder.failed(outcome.detail ?? outcome.message);
      this.#enough.abort();
    }
    if (!mayHaveArrived) await this.#journal.returned(number);
  }
}
