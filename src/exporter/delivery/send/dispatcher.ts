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
  /** Set when `delivery.lateness` is set. */
  readonly late: LateSamples | undefined;
  readonly share: BudgetShare;
}

/** Why a cycle was told to stop early: a changed plan, or the daemon's shutdown. */
export type Interruption = "edit" | "stop";

export interface WindowDeliveryOptions {
  readonly bounds: WindowBounds;
  readonly sources: readonly string[];
  readonly open: OpenWindow | undefined;
  /** Not all sources of the open window are read: the policy has lost one. */
  readonly isPart: boolean;
  /** The second reading of a window; its requests have one entry per sample. */
  readonly isLate: boolean;
  /** Only the first request is sent. */
  readonly isProbe: boolean;
  /** Nothing is sent before it resolves, and nothing at all if it resolves to false. */
  readonly mayGo: Promise<boolean>;
  /** Its reason is an {@link Interruption}. */
  readonly interrupt: AbortSignal;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /**
   * Called when reading is to stop: after a failure, a spent memory share, or a probe that has its request.
   */
  readonly onEnough: () => void;
}

/** A lane with at most this many requests left is nearly drained. */
const fewRequestsOfLane = 2;

/**
 * Sends the requests of one window in lanes, keeps its journal, and handles the receiver's responses: the
 * delivery table.
 *
 * A request's states: queued -> `sent` in the journal -> delivered or rejected: `settled`; certainly not
 * stored: `returned`; possibly stored: it stays `sent` for the next run of the window.
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

  /** Number of requests accepted or rejected by the receiver. */
  get responses(): number {
    return this.#responses;
  }

  /** Whether a request was cut but is not settled: no checkpoint may pass it. */
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

  /** Adds work that `drained` waits for, and whose rejection it reports. */
  follow(work: Promise<void>): void {
    this.#lanes.follow(this.#guard(work));
  }

  /** Sends nothing further. Resolves when no request is in flight; never rejects. */
  async abandoned(): Promise<void> {
    this.#hasUnsettled = true;
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
      this.#hasUnsettled = true;
      this.#hasLeft = true;
      this.#options.onEnough();
      throw error;
    }
  }

  /** Some samples that were read are not delivered: the window has to be run again. */
  leaveRest(): void {
    this.#hasUnsettled = true;
  }

  /** Resolves when the lanes have little left to do. @returns whether there has been no failure so far */
  async nearlyDrained(): Promise<boolean> {
    await this.#lanes.drainedTo(fewRequestsOfLane * this.#deps.laneCount);
    return !this.#isOver() && !this.#options.interrupt.aborted;
  }

  /** Resolves when every queued request has an outcome, and reports rejected samples. */
  async drained(): Promise<void> {
    await this.#lanes.drained();
    this.#refused.report();
  }

  async #send(ready: Batch): Promise<void> {
    if (!(await this.#options.mayGo) || this.#isOver()) {
      this.#hasUnsettled = true;
      return;
    }
    const { state, destination } = this.#deps;
    const window = await this.#open();
    if (ready.samples !== undefined) {
      await this.#deps.late?.record(this.#options.bounds, this.#options.sources, ready.samples);
    }
    const number = ready.inDoubt ?? (await state.requestSent(window, ready.entries));
    const outcome = await destination.sender.send(ready.request, this.#options.signal);
    await this.#settle(window, number, ready, outcome);
  }

  /**
   * After an edit the rest is sent differently, after a failure not at all; after a stop, queued requests are
   * still sent. Nothing may overtake a request that was left: the journal records how far a series was sent,
   * so earlier samples would be lost.
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
      // Not awaited: the log keeps the order, and this record is written with the lane's next request.
      this.follow(this.#markSettled(window, number, ready));
      return;
    }
    if (outcome.kind === "rejected") {
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
   * If a request was sent again without the samples of an unread source, only the samples it contained are
   * settled. The rest stays in doubt until the source returns.
   */
  async #markSettled(window: OpenWindow, number: number, ready: Batch): Promise<void> {
    const { state } = this.#deps;
    if (ready.inDoubt === undefined || !this.#options.isPart) return state.requestSettled(window, number);
    await state.requestSettled(window, await state.requestSent(window, ready.entries));
  }

  /** Returns an in-doubt request whose samples are gone, unless they may belong to an unread source. */
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
    // After an interruption the result of further attempts is unknown.
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
