import type { Clock } from "../core/clock.ts";
import { formatDuration } from "../core/duration.ts";
import type { Logger } from "../core/log.ts";
import type { Connection } from "../remote-write/endpoints.ts";
import { isolate, type Refusal, type UnfinishedIsolation } from "../remote-write/isolate.ts";
import type { Outcome, Unfinished } from "../remote-write/outcome.ts";
import type { RejectedRequest } from "../remote-write/rejected-store.ts";
import type { EncodedRequest } from "../remote-write/request.ts";
import { longestWaitMs } from "../remote-write/retry.ts";
import type { RequestPart } from "../remote-write/split-request.ts";
import { Lanes } from "./lanes.ts";
import type { LateSamples } from "./late-samples.ts";
import type { BudgetShare } from "./memory-budget.ts";
import type { RequestEntries } from "./request-entries.ts";
import type { OpenWindow, StateStore, WindowBounds } from "./sink-state.ts";
import type { SinkStats } from "./sink-stats.ts";
import type { Setback } from "./standing.ts";
import type { ReadyRequest } from "./window-pass.ts";

/** Keeps what receivers refuse for good. Never rejects. */
export interface RejectedSamples {
  add(rejected: RejectedRequest): Promise<unknown>;
}

/** What a sink remembers from one window to the next about refusals. */
export interface RefusalMemory {
  /** Nothing of the last refused request was good, and nothing was accepted since: looking for culprits is idle. */
  isHopeless: boolean;
}

export interface WindowDeliveryDeps {
  readonly sink: string;
  readonly endpoint: string;
  readonly connection: Connection;
  readonly rejected: RejectedSamples;
  readonly refusals: RefusalMemory;
  readonly laneCount: number;
  /** `delivery.onExhausted: drop` */
  readonly dropExhausted: boolean;
  readonly state: StateStore;
  /** Where `delivery.lateness` is set. */
  readonly late: LateSamples | undefined;
  readonly share: BudgetShare;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
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

/** Prometheus takes samples up to about an hour old, unless it is told otherwise. */
const oldSampleMs = 50 * 60_000;

/** When a lane has no more than these to send, its work is soon over. */
const fewRequestsOfLane = 2;

/**
 * Sends the requests of one window in lanes, keeps its journal, and deals with what the receiver says: the delivery
 * table.
 *
 * A request's way: queued -> `sent` in the journal -> delivered or refused for good: `settled`; surely not arrived:
 * `returned`; perhaps arrived: it stays `sent` for the next run of the window.
 */
export class WindowDelivery {
  readonly #deps: WindowDeliveryDeps;
  readonly #options: WindowDeliveryOptions;
  readonly #lanes: Lanes;
  #window: OpenWindow | undefined;
  #opening: Promise<OpenWindow> | undefined;
  #queued = 0;
  #answered = 0;
  #hasUnsettled = false;
  /** A request was sent and has to be sent again. */
  #hasLeft = false;
  #outgrewMemory = false;
  #setback: Setback | undefined;
  #rejected = { samples: 0, message: "" };

  constructor(deps: WindowDeliveryDeps, options: WindowDeliveryOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#lanes = new Lanes(deps.laneCount);
    this.#window = options.open;
  }

  /** Undefined while nothing was sent: an empty window needs no journal. */
  get window(): OpenWindow | undefined {
    return this.#window;
  }

  /** Requests that the receiver has taken or refused for good. */
  get answered(): number {
    return this.#answered;
  }

  /** A request was cut that is not settled: no checkpoint may pass it. */
  get hasUnsettled(): boolean {
    return this.#hasUnsettled;
  }

  get outgrewMemory(): boolean {
    return this.#outgrewMemory;
  }

  get setback(): Setback | undefined {
    return this.#setback;
  }

  queue(ready: ReadyRequest): void {
    const { share } = this.#deps;
    if (ready.request.sampleCount === 0) {
      this.#lanes.follow(this.#forgetEmpty(ready));
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
    this.#lanes.add(ready.lanes, () => this.#send(ready).finally(() => share.release(bytes)));
    if (share.isSpent() && !this.#outgrewMemory) {
      this.#outgrewMemory = true;
      this.#options.onEnough();
    }
  }

  /** Work that `drained` waits for, and whose rejection it reports. */
  follow(work: Promise<void>): void {
    this.#lanes.follow(work);
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
    const { samples, message } = this.#rejected;
    if (samples === 0) return;
    this.#rejected = { samples: 0, message: "" };
    this.#deps.log.warn({ sink: this.#deps.sink, samples, message }, "samples were refused for good");
  }

  async #send(ready: ReadyRequest): Promise<void> {
    if (!(await this.#options.mayGo) || this.#isOver()) {
      this.#hasUnsettled = true;
      return;
    }
    const { state, connection } = this.#deps;
    const window = await this.#open();
    if (ready.samples !== undefined) {
      await this.#deps.late?.record(this.#options.bounds, this.#options.sources, ready.samples);
    }
    const number = ready.unanswered ?? (await state.requestSent(window, ready.entries));
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

  async #settle(window: OpenWindow, number: number, ready: ReadyRequest, outcome: Outcome): Promise<void> {
    const { dropExhausted, state } = this.#deps;
    const mayHaveArrived =
      ready.unanswered !== undefined || (outcome.kind !== "delivered" && outcome.answerLost);
    if (outcome.kind === "delivered") {
      this.#noteDelivered(ready.request, outcome.unwritten);
      // Not waited for: the log keeps the order, and this record goes to disk in one write with the lane's next request.
      this.#lanes.follow(this.#markSettled(window, number, ready));
      return;
    }
    if (outcome.kind === "refused") {
      const interrupted = await this.#refused(window, ready, outcome, mayHaveArrived);
      if (interrupted === undefined) return this.#markSettled(window, number, ready);
      // The request itself was answered: only the part without an answer is in doubt, and goes alone the next time.
      if (interrupted.outcome.answerLost && !mayHaveArrived) {
        await state.requestSent(window, this.#entriesOf(ready, interrupted.part));
      }
      return this.#leave(window, number, interrupted.outcome, mayHaveArrived);
    }
    const isUsedUp = outcome.kind === "exhausted" && (outcome.retryAfterMs ?? 0) <= longestWaitMs;
    if (isUsedUp && dropExhausted && !this.#options.interrupt.aborted) {
      await this.#drop(ready.request, outcome);
      return this.#markSettled(window, number, ready);
    }
    return this.#leave(window, number, outcome, mayHaveArrived);
  }

  /**
   * Of a request that was sent again without the samples of a source that is not read, only what was in it is settled. The
   * rest stays in doubt until the source comes back.
   */
  async #markSettled(window: OpenWindow, number: number, ready: ReadyRequest): Promise<void> {
    const { state } = this.#deps;
    if (ready.unanswered === undefined || !this.#options.isPart) return state.requestSettled(window, number);
    await state.requestSettled(window, await state.requestSent(window, ready.entries));
  }

  /** A request without an answer whose samples are gone from the store, unless they are those of a source that is not read. */
  async #forgetEmpty({ unanswered }: ReadyRequest): Promise<void> {
    if (unanswered === undefined || this.#options.isPart) return;
    await this.#deps.state.requestReturned(await this.#open(), unanswered);
  }

  #noteDelivered({ sampleCount }: EncodedRequest, unwritten = 0): void {
    const { stats, clock, refusals } = this.#deps;
    stats.deliver(sampleCount - unwritten, clock.nowMs(), clock.monotonicMs());
    stats.unwritten += unwritten;
    refusals.isHopeless = false;
    this.#answered++;
  }

  /**
   * Rejects a refused request, or looks for the culprits in it where that promises something.
   *
   * @returns what broke the search off, if something did
   */
  async #refused(
    window: OpenWindow,
    ready: ReadyRequest,
    refusal: Refusal,
    mayHaveArrived: boolean,
  ): Promise<UnfinishedIsolation | undefined> {
    const { connection, refusals, clock } = this.#deps;
    this.#answered++;
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
    const isolation = await isolate(
      ready.request,
      refusal,
      {
        clock,
        send: (request, signal) => connection.sender.send(request, signal),
        onDelivered: (part) => {
          this.#noteDelivered(part.request);
          settlePart(part);
        },
      },
      this.#options.signal,
    );
    for (const { part, refusal: own } of isolation.culprits) {
      await this.#reject(part.request, own, mayHaveArrived || own.answerLost);
      if (isolation.interrupted !== undefined) settlePart(part);
    }
    await journaled;
    if (isolation.delivered.length === 0 && isolation.interrupted === undefined) refusals.isHopeless = true;
    return isolation.interrupted;
  }

  async #settlePart(window: OpenWindow, ready: ReadyRequest, part: RequestPart): Promise<void> {
    const { state } = this.#deps;
    await state.requestSettled(window, await state.requestSent(window, this.#entriesOf(ready, part)));
  }

  #entriesOf({ entries }: ReadyRequest, { request, firstSeries, firstSample }: RequestPart): RequestEntries {
    if (this.#options.isLate) return entries.slice(firstSample, request.sampleCount);
    // A single series may have been cut in time; several are whole.
    return entries.slice(
      firstSeries,
      request.seriesCount,
      request.seriesCount === 1 ? request.maxMs : Infinity,
    );
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
      this.#setback ??= {
        kind: outcome.kind === "exhausted" ? "retrying" : outcome.kind,
        message: outcome.message,
        retryAfterMs: outcome.kind === "exhausted" ? outcome.retryAfterMs : undefined,
      };
      this.#deps.stats.fail(outcome.message, this.#deps.clock.nowMs());
      this.#options.onEnough();
    }
    if (!mayHaveArrived) await this.#deps.state.requestReturned(window, number);
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

  async #drop(request: EncodedRequest, outcome: Outcome & { kind: "exhausted" }): Promise<void> {
    const { stats, clock, rejected, sink, endpoint, log } = this.#deps;
    const { message, status } = outcome;
    stats.dropped += request.sampleCount;
    stats.fail(message, clock.nowMs());
    log.warn({ sink, samples: request.sampleCount, message }, "samples were dropped: no attempt is left");
    await rejected.add({ sink, endpoint, message, request, ...(status === undefined ? {} : { status }) });
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
