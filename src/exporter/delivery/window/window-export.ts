import { withEither } from "../../../base/core/signals.ts";
import type { ReadFailure } from "../../metrics-store/client/read-failure.ts";
import type { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import type { Batch } from "../batch/batch.ts";
import type { BatcherOptions, WindowBatcher } from "../batch/batcher.ts";
import { InDoubtBatcher } from "../batch/in-doubt-batcher.ts";
import { type Dispatched, Dispatcher, type DispatcherOptions } from "../dispatch/dispatcher.ts";
import { WindowJournal } from "../dispatch/window-journal.ts";
import type { WindowCost } from "../plan/next-window.ts";
import { hasRequestsInDoubt, type PlannedWindow } from "../state/planned-window.ts";
import type { Reading, SourceReader } from "./source-reader.ts";
import { type WindowKind, type WindowKindDeps, windowKindOf } from "./window-kind.ts";
import { WindowProgress } from "./window-progress.ts";

/** The parts of a sink that export its windows, for one cycle. */
export interface WindowExportDeps extends WindowKindDeps {
  readonly sources: SourceReader;
  readonly batch: { readonly timeoutMs: number; readonly maxSize: number; readonly maxBytes: number };
  readonly collisions: KnownCollisions;
  /** Grid of expressions in a window that is not open yet. */
  readonly stepMs: number;
}

export type WindowExportOptions = Pick<DispatcherOptions, "isProbe" | "interruption" | "signal">;

export interface WindowResult extends Dispatched {
  /**
   * `closed`: every source is complete. `partly`: those in `sourceErrors` could not be read. `unfinished`: to
   * be run again at once (the memory share was spent, or the probe was delivered) unless `unproven` or
   * `isSearching` is set. `failed`: see the field. `interrupted`: by an edit or a stop.
   */
  readonly kind: "closed" | "partly" | "unfinished" | "failed" | "interrupted";
  readonly sourceErrors: ReadonlyMap<string, ReadFailure>;
}

/**
 * Exports one window of a sink: reads its sources one after another into batches, has them delivered, and
 * moves the checkpoints of the sources that were completely read and delivered.
 *
 * Reading never waits for the receiver: batches queue in memory. When the sink's memory share is spent,
 * reading stops, queued batches are delivered, and the window is run again, which skips everything its
 * journal records.
 *
 * If the window has requests in doubt, a first reading resolves those; see {@link InDoubtBatcher}.
 */
export class WindowExport {
  readonly planned: PlannedWindow;
  readonly progress = new WindowProgress();
  readonly #deps: WindowExportDeps;
  readonly #options: WindowExportOptions;
  readonly #journal: WindowJournal;
  readonly #kind: WindowKind;
  readonly #dispatcher: Dispatcher;
  #isReadingLast = false;
  #isFinishingEarly = false;
  /** Memory of the open batches, as accounted for. */
  #openBytes = 0;

  constructor(planned: PlannedWindow, deps: WindowExportDeps, options: WindowExportOptions) {
    this.planned = planned;
    this.#deps = deps;
    this.#options = options;
    this.#journal = new WindowJournal(planned, deps.stepMs, deps.journal);
    this.#kind = windowKindOf(planned, this.#journal, deps);
    const { dispatcher, untilMs } = this.#kind;
    this.#dispatcher = new Dispatcher(this.#journal, dispatcher, {
      ...options,
      untilMs,
      predecessorClosed: this.progress.predecessorClosed,
      stopReading: () => this.progress.stopReading(),
    });
  }

  /** Call once. @throws only for internal errors */
  async run(): Promise<WindowResult> {
    const { interruption, signal } = this.#options;
    const ends = [interruption.signal, signal, this.progress.reading];
    try {
      await this.#deps.dispatcher.receiver.destination.encoder().prepare();
      return await withEither(ends, async (ended) => {
        return (await this.#resolveDoubts(ended)) ?? (await this.#deliver(ended));
      });
    } catch (error) {
      // The window is run again: none of this run's requests may still be in flight then.
      this.progress.abandon();
      await this.#dispatcher.abandoned();
      throw error;
    } finally {
      this.#kind.end();
      this.#deps.dispatcher.share.growOpenBatches(-this.#openBytes);
      this.progress.end();
    }
  }

  /** @returns a result when the window cannot continue; undefined when none of its requests is in doubt */
  async #resolveDoubts(ended: AbortSignal): Promise<WindowResult | undefined> {
    const { open } = this.planned;
    if (open === undefined || !hasRequestsInDoubt(open)) return undefined;
    const batcher = new InDoubtBatcher(open, this.#batcherOptions());
    const reading = await this.#readInto(batcher, ended);
    const { errors } = reading;
    // Only a complete reading shows what a request held; half of it would leave the rest in doubt for ever.
    if (errors.size === 0 && !ended.aborted) this.#queue(batcher, batcher.finishAll());
    await this.#kind.noteReading(reading);
    await this.#dispatcher.drained();
    if (this.#isStopped()) return this.#result("interrupted", errors);
    const { failure, unproven, isSearching } = this.#dispatcher.result;
    if (failure !== undefined) return this.#result("failed", errors);
    if (unproven !== undefined || isSearching) return this.#result("unfinished", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    // A probe has shown that the receiver is back; so has a request that was cut short. The window starts
    // over.
    return ended.aborted ? this.#result("unfinished", errors) : undefined;
  }

  async #deliver(ended: AbortSignal): Promise<WindowResult> {
    const dispatcher = this.#dispatcher;
    const batcher = await this.#kind.newBatcher(this.#batcherOptions());
    const reading = await this.#readWatchingAge(batcher, ended);
    // After an edit the rest is sent differently, after a failure not at all; otherwise open batches are
    // sent.
    if (this.#options.interruption.reason !== "edit" && dispatcher.result.failure === undefined) {
      this.#queue(batcher, batcher.finishAll());
    } else {
      dispatcher.markIncomplete();
    }
    await this.#kind.noteReading(reading);
    this.progress.hasRead(this.#costOf(reading, ended));
    const isRead = reading.whole.length === this.planned.sources.length;
    if (!(await this.progress.predecessorClosed)) dispatcher.markIncomplete();
    else if (isRead && !ended.aborted) await this.#awaitNearlyDelivered(reading);
    await dispatcher.drained();
    const { errors } = reading;
    const { failure, isIncomplete } = dispatcher.result;
    if (failure !== undefined) return this.#result("failed", errors);
    if (!isIncomplete) await this.#kind.close(reading);
    if (this.#isStopped()) return this.#result("interrupted", errors);
    if (errors.size > 0) return this.#result("partly", errors);
    return this.#result(isRead && !isIncomplete ? "closed" : "unfinished", errors);
  }

  async #awaitNearlyDelivered({ durationMs }: Reading): Promise<void> {
    const { clock } = this.#deps.dispatcher;
    const sinceMs = clock.monotonicMs();
    if (!(await this.#dispatcher.nearlyDrained())) return;
    const waitedMs = clock.monotonicMs() - sinceMs;
    this.progress.nearlyDelivered(waitedMs <= durationMs ? "kept up" : "fell behind");
  }

  #costOf({ samples, durationMs }: Reading, ended: AbortSignal): WindowCost | undefined {
    const { outgrewMemory } = this.#dispatcher.result;
    if (ended.aborted && !outgrewMemory) return undefined;
    const { fromMs, toMs } = this.planned;
    return { lengthMs: toMs - fromMs, samples, readMs: durationMs, outgrewMemory };
  }

  #batcherOptions(): BatcherOptions {
    const { batch, collisions, dispatcher } = this.#deps;
    const { receiver, clock } = dispatcher;
    const { destination, partitionCount, memory } = receiver;
    const largest = destination.state.maxRequest(clock.monotonicMs());
    return {
      encoder: destination.encoder(),
      collisions,
      newBuilder: (onCapacity) => destination.newBuilder(onCapacity),
      fromMs: this.planned.fromMs,
      maxSamples: Math.min(batch.maxSize, largest.samples),
      maxBytes: Math.min(batch.maxBytes, largest.bytes),
      timeoutMs: batch.timeoutMs,
      partitionCount,
      monotonicMs: () => clock.monotonicMs(),
      suspects: memory.suspects.size > 0 ? memory.suspects : undefined,
      isProbe: this.#options.isProbe,
    };
  }

  /** Reads the sources; finishes aged batches even while no samples arrive. */
  async #readWatchingAge(batcher: WindowBatcher, ended: AbortSignal): Promise<Reading> {
    const aging = new AbortController();
    const age = this.#finishTimedOutBatches(batcher, aging.signal);
    this.#dispatcher.follow(age);
    try {
      return await this.#readInto(batcher, ended);
    } finally {
      aging.abort();
      await age.catch(() => undefined);
    }
  }

  async #finishTimedOutBatches(batcher: WindowBatcher, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps.dispatcher;
    const everyMs = Math.max(50, this.#deps.batch.timeoutMs / 4);
    for (;;) {
      await clock.sleep(everyMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      this.#queue(batcher, batcher.finishTimedOut());
    }
  }

  async #readInto(batcher: WindowBatcher, ended: AbortSignal): Promise<Reading> {
    const { sources } = this.planned;
    const consumerOf = (name: string) => {
      this.#isReadingLast = name === sources.at(-1);
      const source = batcher.source(name);
      const counts = this.#journal.newCounts(name);
      return this.#kind.consumer((series: Series, samples: SampleBuffer) => {
        counts?.add(samples);
        this.#queue(batcher, source.add(series, samples));
      });
    };
    const { bounds } = this.#journal;
    const selector = this.planned.late?.selector;
    const reading = await this.#deps.sources.read(sources, bounds, consumerOf, ended, selector);
    const { recorder } = this.#kind.dispatcher;
    for (const invalid of batcher.takeInvalid()) recorder.invalid(invalid);
    recorder.droppedByRules(batcher.takeDropped());
    return reading;
  }

  #queue(batcher: WindowBatcher, batches: readonly Batch[]): void {
    this.#accountFor(batcher);
    if (batches.length === 0) return;
    for (const batch of batches) this.#dispatcher.queue(batch);
    if (this.#isReadingLast) this.progress.hasBatch();
  }

  /**
   * Accounts for open batches. When memory is short they are finished early, right after the current decoding
   * step: smaller requests, and no second reading. Reading stops only when finished requests wait too long
   * for the receiver.
   */
  #accountFor(batcher: WindowBatcher): void {
    const { share } = this.#deps.dispatcher;
    const changeBytes = batcher.openBytes - this.#openBytes;
    if (changeBytes === 0) return;
    this.#openBytes += changeBytes;
    share.growOpenBatches(changeBytes);
    if (changeBytes < 0 || this.#isFinishingEarly || !share.isCrowded()) return;
    this.#isFinishingEarly = true;
    this.#dispatcher.follow(
      Promise.resolve().then(() => {
        this.#isFinishingEarly = false;
        this.#queue(batcher, batcher.finishEarly());
      }),
    );
  }

  #isStopped(): boolean {
    return this.#options.signal.aborted || this.#options.interruption.signal.aborted;
  }

  #result(kind: WindowResult["kind"], sourceErrors: ReadonlyMap<string, ReadFailure>): WindowResult {
    return { kind, sourceErrors, ...this.#dispatcher.result };
  }
}
