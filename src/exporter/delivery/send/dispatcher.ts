import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import type { Outcome, Unfinished } from "../../remote-write/send/outcome.ts";
import { longestWaitMs } from "../../remote-write/send/retry.ts";
import type { Batch } from "../batch/batcher.ts";
import type { BudgetShare } from "../batch/memory-budget.ts";
import type { LateSamples } from "../late/late-samples.ts";
import type { OpenWindow, WindowBounds } from "../state/sink-state.ts";
import type { DeliveryFailure } from "./delivery-state.ts";
import { Lanes } from "./lanes.ts";
import { RefusedRequests, type RefusedRequestsDeps } from "./refused-requests.ts";

export interface DispatcherDeps extends RefusedRequestsDeps {
  readonly laneCount: number;
  /** `delivery.onExhausted: drop` */
  readonly dropExhausted: boolean;
  /** Where `delivery.lateness` is set. */
  readonly late: LateSamples | undefined;
  readonly share: BudgetShare;
}

/** Why a cycle was told to stop early: a changed plan, or the end of the daemon. */
export type Interruption = "edit" | "stop";

export interface WindowDeliveryOptions {
  readonly bounds: WindowBounds;
  readonly sources: readonly string[];
  readonly open: OpenWindow | undefined;
  /** Not all sources that the open window has are read: the policy has lost one. */
  readonly isPart: boolean;
  /** The second reading of a window; entries of its requests are one for each sample. */
  readonly isLate: boolean;
  /** Only the first request is sent. */
  readonly isProbe: boolean;
  /** Nothing is sent before it resolves, and nothing at all when to false. */
  readonly mayGo: Promise<boolean>;
  /** Its reason is an {@link Interruption}. */
  readonly interrupt: AbortSignal;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** Called when no more is to be read: by trouble, a spent share of memory, or a probe that has its request. */
  readonly onEnough: () => void;
}

/** When a lane has no more than these to send, its work is soon over. */
const fewRequestsOfLane = 2;

/**
 * Sends the requests of one window in lanes, keeps its journal, and deals with what the receiver says: the delivery
 * table.
 *
 * A request's way: queued -> `sent` in the journal -> delivered or refused for good: `settled`; surely not arrived:
 * `returned`; perhaps arrived: it stays `sent` for the next run of the window.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #options: WindowDeliveryOptions;
  readonly #lanes: Lanes;
  #window: OpenWindow | undefined;
  #opening: Promise<OpenWindow> | undefined;
  #queued = 0;
  #responses = 0;
  #hasUnsettled = false;
  /** A request was sent and has to be sent again. */
  #hasLeft = false;
  #outgrewMemory = false;
  #failure: DeliveryFailure | undefined;
  readonly #refused: RefusedRequests;

  constructor(deps: DispatcherDeps, options: WindowDeliveryOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#lanes = new Lanes(deps.laneCount);
    this.#window = options.open;
    const { isLate, signal } = options;
    this.#refused = new RefusedRequests(deps, {
      isLate,
      signal,
      onDelivered: (request) => this.#noteDelivered(request),
    });
  }

  /** Undefined while nothing was sent: an empty window needs no journal. */
  get window(): OpenWindow | undefined {
    return this.#window;
  }

  /** Requests that the receiver has taken or refused for good. */
  get responses(): number {
    return this.#responses;
  }

  /** A request was cut that is not settled: no checkpoint may pass it. */
  get hasUnsettled(): boolean {
    return this.#hasUnsettled;
  }

  get outgrewMemory(): boolean {
    return this.#outgrewMemory;
  }

  get failure(): DeliveryFailure | undefined {
    return this.#failure;
  }

  queue(ready: Batch): void {
    const { share } = this.#deps;
    if (ready.request.sampleCount === 0) {
      this.follow(this.#forgetEmpty(ready));
      return;
    }
    this.#queued++;
    if (this.#options.isProbe) {
      this.#options.onEnough();
      if (this.#queued > 1) {
        this.#hasUnsettled = true;
        return;
      }
    }
    const bytes = ready.request.payload.length + ready.entries.byteLength;
    share.hold(bytes);
    this.#lanes.add(ready.lanes, () => this.#guard(this.#send(ready)).finally(() => share.release(bytes)));
    if (share.isSpent() && !this.#outgrewMemory) {
      this.#outgrewMemory = true;
      this.#options.onEnough();
    }
  }

  /** Work that `drained` waits for, and whose rejection it reports. */
  follow(work: Promise<void>): void {
    this.#lanes.follow(this.#guard(work));
  }

  /** Sends nothing that has not been begun. Resolves when nothing is on its way; never rejects. */
  async abandoned(): Promise<void> {
    this.#hasUnsettled = true;
    this.#hasLeft = true;
    await this.#lanes.drained().catch(() => undefined);
  }

  /** After a fault it is not known which samples went, so nothing may go past them: see {@link #isOver}. */
  async #guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#hasUnsettled = true;
      this.#hasLeft = true;
      this.#options.onEnough();
      throw error;
    }
  }

  /** What was read is not all delivered: the window has to be run again. */
  leaveRest(): void {
    this.#hasUnsettled = true;
  }

  /** Resolves when the lanes have little left to do. @returns whether all is well so far */
  async nearlyDrained(): Promise<boolean> {
    await this.#lanes.drainedTo(fewRequestsOfLane * this.#deps.laneCount);
    return !this.#isOver() && !this.#options.interrupt.aborted;
  }

  /** Resolves when every queued request has an outcome, and reports what was refused. */
  async drained(): Promise<void> {
    await this.#lanes.drained();
    this.#refused.report();
  }

  async #send(ready: Batch): Promise<void> {
    if (!(await this.#options.mayGo) || this.#isOver()) {
      this.#hasUnsettled = true;
      return;
    }
    const { state, connection } = this.#deps;
    const window = await this.#open();
    if (ready.samples !== undefined) {
      await this.#deps.late?.record(this.#options.bounds, this.#options.sources, ready.samples);
    }
    const number = ready.inDoubt ?? (await state.requestSent(window, ready.entries));
    const outcome = await connection.sender.send(ready.request, this.#options.signal);
    await this.#settle(window, number, ready, outcome);
  }

  /**
   * An edit changes how the rest is sent, trouble means that it is not; after a stop what is queued still goes. But never
   * past a request that was left: the journal notes how far a series went, and what lies before that would be lost.
   */
  #isOver(): boolean {
    const { signal, interrupt } = this.#options;
    return this.#hasLeft || signal.aborted || (interrupt.aborted && interrupt.reason === "edit");
  }

  async #settle(window: OpenWindow, number: number, ready: Batch, outcome: Outcome): Promise<void> {
    const mayHaveArrived =
      ready.inDoubt !== undefined || (outcome.kind !== "delivered" && outcome.responseLost);
    if (outcome.kind === "delivered") {
      this.#noteDelivered(ready.request, outcome.unwritten);
      // Not waited for: the log keeps the order, and this record goes to disk in one write with the lane's next request.
      this.follow(this.#markSettled(window, number, ready));
      return;
    }
    if (outcome.kind === "refused") {
      this.#responses++;
      const unfinished = await this.#refused.take(window, ready, outcome, mayHaveArrived);
      if (unfinished === undefined) return this.#markSettled(window, number, ready);
      return this.#leave(window, number, unfinished, mayHaveArrived);
    }
    const isUsedUp = outcome.kind === "exhausted" && (outcome.retryAfterMs ?? 0) <= longestWaitMs;
    if (isUsedUp && this.#deps.dropExhausted && !this.#options.interrupt.aborted) {
      await this.#refused.drop(ready.request, outcome);
      return this.#markSettled(window, number, ready);
    }
    return this.#leave(window, number, outcome, mayHaveArrived);
  }

  /**
   * Of a request that was sent again without the samples of a source that is not read, only what was in it is settled. The
   * rest stays in doubt until the source comes back.
   */
  async #markSettled(window: OpenWindow, number: number, ready: Batch): Promise<void> {
    const { state } = this.#deps;
    if (ready.inDoubt === undefined || !this.#options.isPart) return state.requestSettled(window, number);
    await state.requestSettled(window, await state.requestSent(window, ready.entries));
  }

  /** A request without a response whose samples are gone from the store, unless they are those of a source that is not read. */
  async #forgetEmpty({ inDoubt }: Batch): Promise<void> {
    if (inDoubt === undefined || this.#options.isPart) return;
    await this.#deps.state.requestReturned(await this.#open(), inDoubt);
  }

  #noteDelivered({ sampleCount }: EncodedRequest, unwritten = 0): void {
    const { stats, clock, refusals } = this.#deps;
    stats.deliver(sampleCount - unwritten, clock.nowMs(), clock.monotonicMs());
    stats.unwritten += unwritten;
    refusals.isHopeless = false;
    this.#responses++;
  }

  /** The samples cannot be delivered now: the window is run again later. */
  async #leave(
    window: OpenWindow,
    number: number,
    outcome: Unfinished,
    mayHaveArrived: boolean,
  ): Promise<void> {
    this.#hasUnsettled = true;
    this.#hasLeft = true;
    // After an interruption it is not known what further attempts would have come to.
    if (outcome.kind !== "aborted" && !this.#options.interrupt.aborted) {
      this.#failure ??= {
        kind: outcome.kind === "exhausted" ? "retrying" : outcome.kind,
        message: outcome.message,
        detail: outcome.detail,
        retryAfterMs: outcome.kind === "exhausted" ? outcome.retryAfterMs : undefined,
      };
      this.#deps.stats.fail(outcome.detail ?? outcome.message, this.#deps.clock.nowMs());
      this.#options.onEnough();
    }
    if (!mayHaveArrived) await this.#deps.state.requestReturned(window, number);
  }

  /** Opens the journal with the window's first request. */
  async #open(): Promise<OpenWindow> {
    if (this.#window !== undefined) return this.#window;
    const { bounds, sources } = this.#options;
    this.#opening ??= this.#deps.state.openWindow(this.#deps.sink, bounds, sources);
    this.#window = await this.#opening;
    return this.#window;
  }
}
