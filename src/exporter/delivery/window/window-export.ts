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

/** The dependencies of a window export on its sink. */
export interface WindowExportDeps extends DispatcherDeps {
  readonly sources: ReadonlyMap<string, PolicySource>;
  readonly tenant: Tenant | undefined;
  /** The tenant, or the policy where there are no tenants; see `ReadRequest`. */
  readonly owner: string;
  readonly batch: { readonly timeoutMs: number; readonly maxSize: number };
  readonly reader: SampleReader;
  readonly collisions: KnownCollisions;
  /** Grid of expressions in a window that is not open yet. */
  readonly stepMs: number;
}

export interface WindowResult {
  /**
   * `closed`: every source is complete. `partly`: those in `sourceErrors` could not be read. `unfinished`: to
   * be run again at once (the memory share was spent, or the probe was delivered). `failed`: see the field.
   * `interrupted`: by an edit or a stop.
   */
  readonly kind: "closed" | "partly" | "unfinished" | "failed" | "interrupted";
  readonly failure?: DeliveryFailure;
  readonly sourceErrors: ReadonlyMap<string, ReadFailure>;
  readonly requestsWithResponse: number;
}

/** Controls a window that may be read ahead; see `read-ahead.ts`. */
export interface WindowTurn {
  /** Resolves when its requests may be sent; to false when they never may. */
  readonly mayGo: Promise<boolean>;
  /** The first requests of its last source are built. */
  readonly onReading: () => void;
  /**
   * The window is read completely, and few of its requests await a response; `keptUp`: that took no longer
   * than the reading.
   */
  readonly onNearlyDelivered: (keptUp: boolean) => void;
}

/** The sources that were read completely, and those that could not be read. */
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
  /** Called when the reading has ended by itself, or for lack of memory. */
  readonly onRead: (cost: WindowCost) => void;
}

/** Receivers limit the size of a request (Prometheus: 32 MiB decoded); very long labels could exceed it. */
const maxRequestBytes = 8 * 2 ** 20;

/**
 * Exports one window of a sink: reads its sources one after another into requests, has them delivered, and
 * moves the checkpoints of the sources that were completely read and delivered.
 *
 * Reading never waits for the receiver: requests queue in memory. When the sink's memory share is spent,
 * reading stops, queued requests are delivered, and the window is run again, which skips everything its
 * journal records.
 *
 * If the window has requests in doubt, a first reading resolves those; see {@link InDoubtBatcher}.
 */
export class WindowExport {
  readonly #group: WindowGroup;
  readonly #deps: WindowExportDeps;
  readonly #options: WindowExportOptions;
  readonly #delivery: Dispatcher;
  readonly #stepMs: number;
  /** Aborted to end the reading: by a failure, a spent share, an interruption. */
  readonly #reading = new AbortController();
  #samplesRead = 0;
  #readMs = 0;
  /** Size of this run's open batches. */
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

  /** Stops reading. */
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
      // The window is run again: none of this run's requests may still be in flight then.
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
   * Accounts for open batches. When memory is short they are finished early, right after the current decoding
   * step: smaller requests, and no second reading. Reading stops only when finished requests wait too long
   * for the receiver.
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

  /** @returns a result when the window cannot continue; undefined when none of its requests is in doubt */
  async #settle(): Promise<WindowResult | undefined> {
    const { open } = this.#group;
    if (open === undefined) return undefined;
    const pass = new InDoubtBatcher(open, settledSeries(open), this.#passOptions());
    const { errors } = await this.#read(pass);
    // Only a complete reading shows what a request held; half of it would leave the rest in doubt for ever.
    if (errors.size === 0 && !this.#reading.signal.aborted) pass.finishAll();
    await this.#delivery.drained();
    if (this.#isStopped()) return this.#result("interrupted", errors);
    if (this.#delivery.failure !== undefined) return this.#result("failed", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    // A probe has shown that the receiver is back; so has a request that was cut short. The window starts
    // over.
    return this.#reading.signal.aborted ? this.#result("unfinished", errors) : undefined;
  }

  async #deliver(): Promise<WindowResult> {
    const delivery = this.#delivery;
    const pass = this.#openBatcher();
    const { errors, whole } = await this.#readWatchingAge(pass);
    // After an edit the rest is sent differently, after a failure not at all; otherwise open batches are
    // sent.
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
    // Only these: the others' samples may still be sent in a window of other bounds, which then records them.
    if (!this.#group.isLate) await late?.remember(this.#bounds(), sources);
    if (window !== undefined) return state.closeSources(window, sources);
    // Nothing was sent, so no journal was opened: only the checkpoints move.
    await Promise.all(sources.map((source) => state.setCheckpoint(sink, source, this.#group.toMs)));
  }

  /** Reads the sources one after another, past failed ones, until the reading is ended. */
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

  /**
   * Reads the sources; finishes requests whose first sample has waited long enough, even without new samples.
   */
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
    const { destination, collisions, batch, laneCount, late, clock, stats, log } = this.#deps;
    const keepsSamples = late !== undefined && !this.#group.isLate;
    // An entry for each sample takes about as much memory as the sample.
    const weight = keepsSamples || this.#group.isLate ? 2 : 1;
    return {
      encoder: destination.encoder(),
      collisions,
      newBuilder: () => destination.newBuilder((changeBytes) => this.#growOpenBatches(changeBytes * weight)),
      fromMs: this.#group.fromMs,
      maxSamples: batch.maxSize,
      maxBytes: Math.min(maxRequestBytes, destination.state.maxRequestBytes(clock.monotonicMs())),
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
