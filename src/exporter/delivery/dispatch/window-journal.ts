import type { Batch } from "../batch/batch.ts";
import type { LateSamples } from "../late/late-samples.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import { SampleCounts } from "../state/sample-counts.ts";
import type { OpenWindow, StateStore, WindowBounds } from "../state/sink-state.ts";
import { aheadKey, lateKey } from "../state/state-keys.ts";

export interface WindowJournalDeps {
  readonly sink: string;
  readonly state: StateStore;
  /** The current time by the store's clock (Unix ms). */
  readonly storeNowMs: () => number | undefined;
  /** Set when `delivery.lateness` is set. */
  readonly late: LateSamples | undefined;
}

/**
 * The journal of one run of a window. A request's states: `sent`, before its first attempt; acknowledged,
 * when the receiver has accepted or rejected it; returned, when the receiver certainly has nothing of it. A
 * request that stays `sent` is in doubt, and resolved by the next run of the window.
 */
export class WindowJournal {
  readonly bounds: WindowBounds;
  readonly #planned: PlannedWindow;
  readonly #deps: WindowJournalDeps;
  /** Not all sources of the open window are read: the policy has lost one. */
  readonly #isPart: boolean;
  /** Of the last reading, by source. */
  readonly #counts = new Map<string, SampleCounts>();
  #window: OpenWindow | undefined;
  #opening: Promise<OpenWindow> | undefined;

  /** @param stepMs grid of expressions, in a window that is not open yet */
  constructor(planned: PlannedWindow, stepMs: number, deps: WindowJournalDeps) {
    this.#planned = planned;
    this.#deps = deps;
    this.#window = planned.open;
    this.bounds = { fromMs: planned.fromMs, toMs: planned.toMs, stepMs: planned.open?.stepMs ?? stepMs };
    this.#isPart = [...(planned.open?.sources ?? [])].some((source) => !planned.sources.includes(source));
  }

  /** What the sources had in the last reading, by name. */
  get counts(): ReadonlyMap<string, SampleCounts> {
    return this.#counts;
  }

  /**
   * The counts to fill in a reading of a source, if they are needed. When the window was read before, samples
   * may have come in between that are not sent: it counts as empty, so that it is checked.
   */
  newCounts(source: string): SampleCounts | undefined {
    const { late } = this.#deps;
    if (late === undefined) return undefined;
    const counts = new SampleCounts(late.stepMs);
    this.#counts.set(source, counts);
    return this.#planned.open === undefined ? counts : undefined;
  }

  /** Undefined while nothing was sent: an empty window needs no journal. */
  get window(): OpenWindow | undefined {
    return this.#window;
  }

  /** Call before a batch's first attempt. @returns its number */
  async sent(batch: Batch): Promise<number> {
    const window = await this.#open();
    return batch.inDoubt ?? this.#deps.state.requestSent(window, batch.entries);
  }

  /**
   * If a batch was sent again without the samples of an unread source, only the samples it contained are
   * acknowledged. The rest stays in doubt until the source returns.
   */
  async acknowledged(number: number, batch: Batch): Promise<void> {
    if (batch.inDoubt !== undefined && this.#isPart) return this.partAcknowledged(batch.entries);
    await this.#deps.state.requestAcknowledged(await this.#open(), number);
  }

  /** Records a part of a batch as a request of its own. */
  async partAcknowledged(entries: RequestEntries): Promise<void> {
    const { state } = this.#deps;
    const window = await this.#open();
    await state.requestAcknowledged(window, await state.requestSent(window, entries));
  }

  /** Records a part of a batch as a request in doubt. @returns its number */
  async partInDoubt(entries: RequestEntries): Promise<number> {
    return this.#deps.state.requestSent(await this.#open(), entries);
  }

  /** The part in doubt was accepted or rejected. */
  async partDecided(number: number): Promise<void> {
    await this.#deps.state.requestAcknowledged(await this.#open(), number);
  }

  async returned(number: number): Promise<void> {
    await this.#deps.state.requestReturned(await this.#open(), number);
  }

  /** Returns an in-doubt request whose samples are gone, unless they may belong to an unread source. */
  async gone({ inDoubt }: Batch): Promise<void> {
    if (inDoubt !== undefined && !this.#isPart) await this.returned(inDoubt);
  }

  /** Moves the checkpoints of these sources to the window's end. */
  async close(sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    const { state, late, storeNowMs } = this.#deps;
    const closed = new Map([...this.#counts].filter(([source]) => sources.includes(source)));
    const nowMs = storeNowMs() ?? this.bounds.toMs;
    // What is remembered has to follow what was remembered before.
    if (this.#planned.isAhead !== true) await late?.remember(this.bounds, this.#window, closed, nowMs);
    if (this.#window !== undefined) return state.closeSources(this.#window, sources);
    // Nothing was sent, so no journal was opened: only the checkpoints move.
    await Promise.all(sources.map((source) => state.setCheckpoint(this.#key, source, this.bounds.toMs)));
  }

  get #key(): string {
    const { sink } = this.#deps;
    if (this.#planned.late !== undefined) return lateKey(sink);
    return this.#planned.isAhead === true ? aheadKey(sink) : sink;
  }

  async #open(): Promise<OpenWindow> {
    if (this.#window !== undefined) return this.#window;
    const { state } = this.#deps;
    this.#opening ??= state.openWindow(this.#key, this.bounds, this.#planned.sources);
    this.#window = await this.#opening;
    return this.#window;
  }
}
