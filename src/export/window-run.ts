import type { Clock } from "../core/clock.ts";
import type { Logger } from "../core/log.ts";
import type { BatchSettings, PolicySource } from "../policy/types.ts";
import type { SeriesEncoder } from "../remote-write/labels.ts";
import type { Outcome, Sender } from "../remote-write/outcome.ts";
import type { SampleReader, TenantFilter } from "../source/sample-reader.ts";
import { Lanes } from "./lanes.ts";
import type { BudgetShare } from "./memory-budget.ts";
import type { OpenWindow, StateStore } from "./sink-state.ts";
import type { SinkStats } from "./sink-stats.ts";
import type { Setback } from "./standing.ts";
import type { WindowGroup } from "./window-groups.ts";
import {
  type PassOptions,
  type PassSource,
  type ReadyRequest,
  SettlingPass,
  settledSeries,
  WindowPass,
} from "./window-pass.ts";

/** Everything that running a window needs of its sink. */
export interface WindowRunDeps {
  readonly sink: string;
  readonly sources: ReadonlyMap<string, PolicySource>;
  readonly tenant: TenantFilter | undefined;
  readonly batch: BatchSettings;
  readonly laneCount: number;
  readonly dropExhausted: boolean;
  readonly reader: SampleReader;
  readonly encoder: SeriesEncoder;
  readonly sender: Sender;
  readonly state: StateStore;
  readonly share: BudgetShare;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Why a cycle was told to stop early: a changed plan, or the end of the daemon. */
export type Interruption = "edit" | "stop";

export interface WindowResult {
  /**
   * `closed`: every source has everything. `partly`: those in `sourceErrors` could not be read. `unfinished`: to be run
   * again at once (the memory share was spent, or the probe was delivered). `setback`: see the field.
   * `interrupted`: an edit or a stop came between.
   */
  readonly kind: "closed" | "partly" | "unfinished" | "setback" | "interrupted";
  readonly setback?: Setback;
  readonly sourceErrors: ReadonlyMap<string, string>;
  readonly samplesRead: number;
  readonly readMs: number;
  readonly outgrewMemory: boolean;
  readonly deliveredRequests: number;
}

/**
 * Runs one window of a sink: reads its sources one after another into requests, sends them in lanes, keeps the
 * journal, and moves the checkpoints of the sources that were read whole and delivered whole.
 *
 * Reading never waits for the receiver: requests queue in memory. When the sink's share of memory is spent the read is
 * broken off, what is queued is sent, and the window is run again; the journal makes the second run go on where the
 * first one stopped.
 */
export class WindowRun {
  readonly #group: WindowGroup;
  readonly #deps: WindowRunDeps;
  readonly #isProbe: boolean;
  readonly #interrupt: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #lanes: Lanes;
  #window: OpenWindow | undefined;
  #opening: Promise<OpenWindow> | undefined;
  /** Aborted to end the reading: by trouble, a spent share, an interruption. */
  #reading = new AbortController();
  #setback: Setback | undefined;
  #outgrewMemory = false;
  #queued = 0;
  #delivered = 0;
  /** A request was cut that is not settled: no checkpoint may pass it. */
  #hasUnsettled = false;
  #samplesRead = 0;
  #readMs = 0;

  /**
   * @param isProbe only the oldest unsent batch is sent, alone
   * @param interrupt its reason is an {@link Interruption}
   * @param signal ends everything at once
   */
  constructor(
    group: WindowGroup,
    deps: WindowRunDeps,
    isProbe: boolean,
    interrupt: AbortSignal,
    signal: AbortSignal,
  ) {
    this.#group = group;
    this.#deps = deps;
    this.#isProbe = isProbe;
    this.#interrupt = interrupt;
    this.#signal = signal;
    this.#lanes = new Lanes(deps.laneCount);
    this.#window = group.open;
  }

  async run(): Promise<WindowResult> {
    const endReading = () => this.#reading.abort();
    this.#interrupt.addEventListener("abort", endReading);
    this.#signal.addEventListener("abort", endReading);
    try {
      if (this.#hasUnanswered()) {
        const settled = await this.#settle();
        if (settled !== undefined) return settled;
      }
      return await this.#deliver();
    } finally {
      this.#interrupt.removeEventListener("abort", endReading);
      this.#signal.removeEventListener("abort", endReading);
    }
  }

  #hasUnanswered(): boolean {
    for (const { state } of this.#window?.requests.values() ?? []) if (state === "sent") return true;
    return false;
  }

  /** @returns a result where the window cannot go on, undefined when every request of it is answered */
  async #settle(): Promise<WindowResult | undefined> {
    const window = this.#window;
    if (window === undefined) return undefined;
    const pass = new SettlingPass(window, settledSeries(window), this.#passOptions());
    const { errors } = await this.#read(pass);
    // Only a whole reading shows what a request held; half of it would leave the rest unsettled for ever.
    if (errors.size === 0 && !this.#reading.signal.aborted) pass.finishAll();
    await this.#lanes.drained();
    if (this.#isStopped()) return this.#result("interrupted", errors);
    if (this.#setback !== undefined) return this.#result("setback", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    return this.#isProbe && this.#delivered > 0 ? this.#result("unfinished", errors) : undefined;
  }

  async #deliver(): Promise<WindowResult> {
    const { batch } = this.#deps;
    const pass = new WindowPass(settledSeries(this.#window), this.#passOptions());
    const aging = new AbortController();
    const age = this.#watchAge(pass, Math.max(50, batch.timeoutMs / 4), aging.signal);
    const { errors, whole } = await this.#read(pass);
    aging.abort();
    await age;
    // An edit changes how the rest is to be sent, trouble means that it is not; otherwise what is batched goes out.
    if (this.#interruption() !== "edit" && this.#setback === undefined) pass.finishAll();
    await this.#lanes.drained();
    if (this.#setback !== undefined) return this.#result("setback", errors);
    if (!this.#hasUnsettled) await this.#close(whole);
    if (this.#isStopped()) return this.#result("interrupted", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    const isComplete = !this.#hasUnsettled && whole.length === this.#group.sources.length;
    return this.#result(isComplete ? "closed" : "unfinished", errors);
  }

  async #close(sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    const { state, sink } = this.#deps;
    if (this.#window !== undefined) return state.closeSources(this.#window, sources);
    // Nothing was sent, so no journal was opened: the checkpoints just move.
    await Promise.all(sources.map((source) => state.setCheckpoint(sink, source, this.#group.toMs)));
  }

  /** Reads the sources one after another until one is left unread or the reading is ended. */
  async #read(pass: {
    source(name: string): PassSource;
  }): Promise<{ whole: string[]; errors: Map<string, string> }> {
    const { sources, tenant, reader, stats } = this.#deps;
    const whole: string[] = [];
    const errors = new Map<string, string>();
    const { fromMs, toMs } = this.#group;
    for (const name of this.#group.sources) {
      const source = sources.get(name);
      if (source === undefined) continue;
      if (this.#reading.signal.aborted) break;
      const consumer = pass.source(name);
      const request = { selector: source.metricsql, window: { fromMs, toMs }, ...(tenant && { tenant }) };
      const outcome = await reader.read(request, consumer, this.#reading.signal).catch((error: unknown) => {
        if (this.#reading.signal.aborted) return undefined;
        throw error;
      });
      if (outcome === undefined) break;
      if (outcome.kind === "complete") {
        whole.push(name);
        this.#samplesRead += outcome.samples;
        this.#readMs += outcome.durationMs;
        stats.read += outcome.samples;
      } else if (outcome.kind === "failed") {
        errors.set(name, outcome.message);
      }
    }
    return { whole, errors };
  }

  /** Sends a request when its first sample has waited long enough, also while the store is silent. */
  async #watchAge(pass: WindowPass, everyMs: number, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#deps.clock.sleep(everyMs, signal);
        pass.finishAged();
      }
    } catch {
      // The pass has ended.
    }
  }

  #passOptions(): PassOptions {
    const { encoder, batch, laneCount, clock, stats, log } = this.#deps;
    return {
      encoder,
      maxSamples: batch.maxSize,
      timeoutMs: batch.timeoutMs,
      laneCount,
      monotonicMs: () => clock.monotonicMs(),
      onRequest: (ready) => this.#queue(ready),
      onRefused: (refused, samples) => {
        stats.rejected += samples;
        stats.fail(refused.message, clock.nowMs());
        log.warn({ sink: this.#deps.sink, reason: refused.reason, samples }, refused.message);
      },
    };
  }

  #queue(ready: ReadyRequest): void {
    this.#queued++;
    if (this.#isProbe) {
      this.#reading.abort();
      if (this.#queued > 1) {
        this.#hasUnsettled = true;
        return;
      }
    }
    const { share } = this.#deps;
    const bytes = ready.request.payload.length + ready.entries.length * 8;
    share.hold(bytes);
    this.#lanes.add(ready.lanes, () => this.#send(ready).finally(() => share.release(bytes)));
    if (share.isSpent() && !this.#reading.signal.aborted) {
      this.#outgrewMemory = true;
      this.#reading.abort();
    }
  }

  async #send(ready: ReadyRequest): Promise<void> {
    if (this.#setback !== undefined || this.#signal.aborted || this.#interruption() === "edit") {
      this.#hasUnsettled = true;
      return;
    }
    const { state, sender } = this.#deps;
    const window = await this.#open();
    if (ready.request.sampleCount === 0) {
      if (ready.unanswered !== undefined) await state.requestReturned(window, ready.unanswered);
      return;
    }
    const number = ready.unanswered ?? (await state.requestSent(window, ready.entries));
    const outcome = await sender.send(ready.request, { giveUp: this.#interrupt }, this.#signal);
    await this.#settleRequest(window, number, ready, outcome);
  }

  async #settleRequest(
    window: OpenWindow,
    number: number,
    ready: ReadyRequest,
    outcome: Outcome,
  ): Promise<void> {
    const { state, stats, clock, dropExhausted } = this.#deps;
    const samples = ready.request.sampleCount;
    const mayHaveArrived =
      ready.unanswered !== undefined || (outcome.kind !== "delivered" && outcome.answerLost);
    switch (outcome.kind) {
      case "delivered":
        stats.deliver(samples, clock.nowMs(), clock.monotonicMs());
        this.#delivered++;
        return state.requestSettled(window, number);
      case "refused":
        this.#delivered++;
        if (mayHaveArrived) stats.repeated += samples;
        else {
          stats.rejected += samples;
          this.#fail(outcome.message);
        }
        return state.requestSettled(window, number);
      case "exhausted":
      case "suspended":
      case "aborted":
        break;
    }
    if (outcome.kind === "exhausted" && dropExhausted && outcome.retryAfterMs === undefined) {
      stats.dropped += samples;
      this.#fail(outcome.message);
      return state.requestSettled(window, number);
    }
    this.#hasUnsettled = true;
    if (outcome.kind !== "aborted") {
      this.#setback ??= {
        kind: outcome.kind === "suspended" ? "suspended" : "retrying",
        message: outcome.message,
        retryAfterMs: outcome.kind === "exhausted" ? outcome.retryAfterMs : undefined,
      };
      this.#fail(outcome.message);
      this.#reading.abort();
    }
    if (!mayHaveArrived) await state.requestReturned(window, number);
  }

  #fail(message: string): void {
    this.#deps.stats.fail(message, this.#deps.clock.nowMs());
  }

  /** Opens the journal with the window's first request: an empty window needs none. */
  async #open(): Promise<OpenWindow> {
    if (this.#window !== undefined) return this.#window;
    this.#opening ??= this.#deps.state.openWindow(this.#deps.sink, this.#group, this.#group.sources);
    this.#window = await this.#opening;
    return this.#window;
  }

  #interruption(): Interruption | undefined {
    return this.#interrupt.aborted ? (this.#interrupt.reason as Interruption) : undefined;
  }

  #isStopped(): boolean {
    return this.#signal.aborted || this.#interrupt.aborted;
  }

  #result(kind: WindowResult["kind"], sourceErrors: ReadonlyMap<string, string>): WindowResult {
    return {
      kind,
      ...(this.#setback && { setback: this.#setback }),
      sourceErrors,
      samplesRead: this.#samplesRead,
      readMs: this.#readMs,
      outgrewMemory: this.#outgrewMemory,
      deliveredRequests: this.#delivered,
    };
  }
}
