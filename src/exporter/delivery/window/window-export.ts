import type { ReadFailure } from "../../metrics-store/client/read-failure.ts";
import type { SampleReader, Tenant } from "../../metrics-store/sample-reader.ts";
import type { WindowCost } from "../../metrics-store/window.ts";
import type { PolicySource } from "../../policy/spec/types.ts";
import type { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import {
  type Batch,
  Batcher,
  type BatcherOptions,
  type BatchSource,
  InDoubtBatcher,
  settledSeries,
} from "../batch/batcher.ts";
import { LateBatcher } from "../late/late-batcher.ts";
import { hasRequestsInDoubt, type WindowGroup } from "../plan/window-groups.ts";
import type { DeliveryFailure } from "../send/delivery-state.ts";
import { Dispatcher, type DispatcherDeps, type Interruption } from "../send/dispatcher.ts";
import type { WindowBounds } from "../state/sink-state.ts";

/** Everything that running a window needs of its sink. */
export interface WindowExportDeps extends DispatcherDeps {
  readonly sources: ReadonlyMap<string, PolicySource>;
  readonly tenant: Tenant | undefined;
  /** The tenant, or the policy where there are none; see `ReadRequest`. */
  readonly owner: string;
  readonly batch: { readonly timeoutMs: number; readonly maxSize: number };
  readonly reader: SampleReader;
  readonly collisions: KnownCollisions;
  /** Grid of expressions in a window that is not open yet. */
  readonly stepMs: number;
}

export interface WindowResult {
  /**
   * `closed`: every source has everything. `partly`: those in `sourceErrors` could not be read. `unfinished`: to be run
   * again at once (the memory share was spent, or the probe was delivered). `failed`: see the field.
   * `interrupted`: an edit or a stop came between.
   */
  readonly kind: "closed" | "partly" | "unfinished" | "failed" | "interrupted";
  readonly failure?: DeliveryFailure;
  readonly sourceErrors: ReadonlyMap<string, ReadFailure>;
  readonly requestsWithResponse: number;
}

/** When a window may go, which may be read before; see `read-ahead.ts`. */
export interface WindowTurn {
  /** Resolves when its requests may be sent, to false when they never may. */
  readonly mayGo: Promise<boolean>;
  /** The first requests of its last source are made. */
  readonly onReading: () => void;
  /** It is read whole, and few of its requests are left to get a response; `keptUp`: that took no longer than the reading did. */
  readonly onNearlyDelivered: (keptUp: boolean) => void;
}

/** Which sources have been read whole, and which could not be read. */
interface Reading {
  readonly whole: readonly string[];
  readonly errors: ReadonlyMap<string, ReadFailure>;
}

export interface WindowExportOptions {
  readonly turn: WindowTurn;
  /** Only the oldest unsent batch is sent, alone. */
  readonly isProbe: boolean;
  /** Its reason is an {@link Interruption}. */
  readonly interrupt: AbortSignal;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** Called when the reading has ended by itself, or for want of memory. */
  readonly onRead: (cost: WindowCost) => void;
}

/** Receivers bound the size of a request (Prometheus: 32 MiB decoded); labels of great length could exceed it. */
const maxRequestBytes = 8 * 2 ** 20;

/**
 * Runs one window of a sink: reads its sources one after another into requests, has them delivered, and moves the
 * checkpoints of the sources that were read whole and delivered whole.
 *
 * Reading never waits for the receiver: requests queue in memory. When the sink's share of memory is spent the read is
 * given up, what is queued is delivered, and the window is run again, which skips what its journal names.
 *
 * A window with requests whose responses are not known is first read to settle those; see {@link InDoubtBatcher}.
 */
export class WindowExport {
  readonly #group: WindowGroup;
  readonly #deps: WindowExportDeps;
  readonly #options: WindowExportOptions;
  readonly #delivery: Dispatcher;
  readonly #stepMs: number;
  /** Aborted to end the reading: by trouble, a spent share, an interruption. */
  readonly #reading = new AbortController();
  #samplesRead = 0;
  #readMs = 0;
  /** Of this run's requests in the making. */
  #draftBytes = 0;
  /** Set while requests may be finished before they are full. */
  #pass: Batcher | LateBatcher | undefined;
  #isFinishing = false;
  #isReadingLast = false;

  constructor(group: WindowGroup, deps: WindowExportDeps, options: WindowExportOptions) {
    this.#group = group;
    this.#deps = deps;
    this.#options = options;
    this.#stepMs = group.open?.stepMs ?? deps.stepMs;
    this.#delivery = new Dispatcher(deps, {
      bounds: this.#bounds(),
      sources: group.sources,
      open: group.open,
      isPart: [...(group.open?.sources ?? [])].some((source) => !group.sources.includes(source)),
      isLate: group.isLate === true,
      isProbe: options.isProbe,
      mayGo: options.turn.mayGo,
      interrupt: options.interrupt,
      signal: options.signal,
      onEnough: () => this.abandon(),
    });
  }

  #bounds(): WindowBounds {
    return { fromMs: this.#group.fromMs, toMs: this.#group.toMs, stepMs: this.#stepMs };
  }

  /** Reads no more. */
  abandon(): void {
    this.#reading.abort();
  }

  async run(): Promise<WindowResult> {
    const { interrupt, signal } = this.#options;
    const endReading = () => this.abandon();
    interrupt.addEventListener("abort", endReading);
    signal.addEventListener("abort", endReading);
    try {
      if (this.#group.isLate !== true && hasRequestsInDoubt(this.#group.open)) {
        const result = await this.#settle();
        if (result !== undefined) return result;
      }
      return await this.#deliver();
    } catch (error) {
      // The window is run again: nothing of this run may still be on its way then.
      this.abandon();
      await this.#delivery.abandoned();
      throw error;
    } finally {
      interrupt.removeEventListener("abort", endReading);
      signal.removeEventListener("abort", endReading);
      this.#deps.share.growOpenBatches(-this.#draftBytes);
    }
  }

  /**
   * Accounts for the requests in the making. Where memory is short they are finished as they are, right after what is being
   * decoded: smaller requests, and no second reading. Only when those wait too long for the receiver is the read given up.
   */
  #growOpenBatches(changeBytes: number): void {
    const { share } = this.#deps;
    this.#draftBytes += changeBytes;
    share.growOpenBatches(changeBytes);
    if (changeBytes <= 0 || this.#isFinishing || !share.isCrowded()) return;
    this.#isFinishing = true;
    this.#delivery.follow(
      Promise.resolve().then(() => {
        this.#isFinishing = false;
        this.#pass?.finishAll();
      }),
    );
  }

  /** @returns a result where the window cannot go on, undefined when every request of it gets a response */
  async #settle(): Promise<WindowResult | undefined> {
    const { open } = this.#group;
    if (open === undefined) return undefined;
    const pass = new InDoubtBatcher(open, settledSeries(open), this.#passOptions());
    const { errors } = await this.#read(pass);
    // Only a whole reading shows what a request held; half of it would leave the rest unsettled for ever.
    if (errors.size === 0 && !this.#reading.signal.aborted) pass.finishAll();
    await this.#delivery.drained();
    if (this.#isStopped()) return this.#result("interrupted", errors);
    if (this.#delivery.failure !== undefined) return this.#result("failed", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    // A probe has shown that the receiver is back; so has a request that was cut short. The window starts over.
    return this.#reading.signal.aborted ? this.#result("unfinished", errors) : undefined;
  }

  async #deliver(): Promise<WindowResult> {
    const delivery = this.#delivery;
    const pass = this.#openBatcher();
    const { errors, whole } = await this.#readWatchingAge(pass);
    // An edit changes how the rest is to be sent, trouble means that it is not; otherwise what is batched goes out.
    if (this.#interruption() !== "edit" && delivery.failure === undefined) pass.finishAll();
    else delivery.leaveRest();
    this.#noteCost();
    const isWhole = whole.length === this.#group.sources.length && !this.#reading.signal.aborted;
    const { turn } = this.#options;
    if (!(await turn.mayGo)) delivery.leaveRest();
    else if (isWhole) {
      const sinceMs = this.#deps.clock.monotonicMs();
      const isWell = await delivery.nearlyDrained();
      if (isWell) turn.onNearlyDelivered(this.#deps.clock.monotonicMs() - sinceMs <= this.#readMs);
    }
    await delivery.drained();
    if (delivery.failure !== undefined) return this.#result("failed", errors);
    if (!delivery.hasUnsettled) await this.#close(whole);
    if (this.#isStopped()) return this.#result("interrupted", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    const isComplete = !delivery.hasUnsettled && whole.length === this.#group.sources.length;
    return this.#result(isComplete ? "closed" : "unfinished", errors);
  }

  #noteCost(): void {
    const { outgrewMemory } = this.#delivery;
    if (this.#reading.signal.aborted && !outgrewMemory) return;
    const { fromMs, toMs } = this.#group;
    this.#options.onRead({
      lengthMs: toMs - fromMs,
      samples: this.#samplesRead,
      readMs: this.#readMs,
      outgrewMemory,
    });
  }

  #openBatcher(): Batcher | LateBatcher {
    const { isLate, open } = this.#group;
    if (isLate && open !== undefined) {
      return new LateBatcher(open, this.#passOptions(), (samples) => {
        this.#deps.stats.late += samples;
      });
    }
    return new Batcher(settledSeries(this.#delivery.window), this.#passOptions());
  }

  async #close(sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    const { state, sink, late } = this.#deps;
    const { window } = this.#delivery;
    // Only these: the others' samples may yet be sent in a window of other bounds, which then remembers them.
    if (!this.#group.isLate) await late?.remember(this.#bounds(), sources);
    if (window !== undefined) return state.closeSources(window, sources);
    // Nothing was sent, so no journal was opened: the checkpoints just move.
    await Promise.all(sources.map((source) => state.setCheckpoint(sink, source, this.#group.toMs)));
  }

  /** Reads the sources one after another until one is left unread or the reading is ended. */
  async #read(pass: { source(name: string): BatchSource }): Promise<Reading> {
    const { sources, tenant, reader, stats } = this.#deps;
    const whole: string[] = [];
    const errors = new Map<string, ReadFailure>();
    const window = { fromMs: this.#group.fromMs, toMs: this.#group.toMs };
    for (const name of this.#group.sources) {
      const source = sources.get(name);
      if (source === undefined) continue;
      if (this.#reading.signal.aborted) break;
      this.#isReadingLast = name === this.#group.sources.at(-1);
      const { owner } = this.#deps;
      const request = { selector: source.metricsql, name, stepMs: this.#stepMs, window, tenant, owner };
      const outcome = await reader
        .read(request, pass.source(name), this.#reading.signal)
        .catch((error: unknown) => {
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
        errors.set(name, outcome);
      }
    }
    return { whole, errors };
  }

  /** Reads; a request is sent when its first sample has waited long enough, also while the store is silent. */
  async #readWatchingAge(pass: Batcher | LateBatcher): Promise<Reading> {
    const aging = new AbortController();
    const age = this.#watchAge(pass, Math.max(50, this.#deps.batch.timeoutMs / 4), aging.signal);
    this.#delivery.follow(age);
    this.#pass = pass;
    try {
      return await this.#read(pass);
    } finally {
      this.#pass = undefined;
      aging.abort();
      await age.catch(() => undefined);
    }
  }

  async #watchAge(pass: { finishAged(): void }, everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const sleeps = () =>
      clock.sleep(everyMs, signal).then(
        () => true,
        () => false,
      );
    while (await sleeps()) pass.finishAged();
  }

  #passOptions(): BatcherOptions {
    const { connection, collisions, batch, laneCount, late, clock, stats, log } = this.#deps;
    const keepsSamples = late !== undefined && !this.#group.isLate;
    // An entry for each sample takes about as much as the sample.
    const weight = keepsSamples || this.#group.isLate ? 2 : 1;
    return {
      encoder: connection.encoder(),
      collisions,
      newBuilder: () => connection.newBuilder((changeBytes) => this.#growOpenBatches(changeBytes * weight)),
      fromMs: this.#group.fromMs,
      maxSamples: batch.maxSize,
      maxBytes: Math.min(maxRequestBytes, connection.state.maxRequestBytes(clock.monotonicMs())),
      timeoutMs: batch.timeoutMs,
      laneCount,
      monotonicMs: () => clock.monotonicMs(),
      keepsSamples,
      onRequest: (ready: Batch) => {
        this.#delivery.queue(ready);
        if (!this.#isReadingLast) return;
        this.#isReadingLast = false;
        this.#options.turn.onReading();
      },
      onRefused: (refused, samples) => {
        stats.reject(samples, refused.message, clock.nowMs());
        log.warn({ sink: this.#deps.sink, reason: refused.reason, samples }, refused.message);
      },
    };
  }

  #interruption(): Interruption | undefined {
    const { interrupt } = this.#options;
    return interrupt.aborted ? (interrupt.reason as Interruption) : undefined;
  }

  #isStopped(): boolean {
    return this.#options.signal.aborted || this.#options.interrupt.aborted;
  }

  #result(kind: WindowResult["kind"], sourceErrors: ReadonlyMap<string, ReadFailure>): WindowResult {
    const { failure, responses } = this.#delivery;
    return { kind, ...(failure && { failure }), sourceErrors, requestsWithResponse: responses };
  }
}
