import type { PlannedWindow } from "../plan/planned-windows.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import { keepForgottenMs, type OpenWindow, type StateStore, type WindowBounds } from "../state/sink-state.ts";

const suffix = " late";

/**
 * The state store's key for the windows of a sink's second readings. A policy's name never contains a space.
 */
export function lateKey(sink: string): string {
  return sink + suffix;
}

/** The sink that a key of the state store belongs to. */
export function sinkOfKey(key: string): string {
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

/**
 * `delivery.lateness` of one sink: records the samples sent in each window, and selects the windows that are
 * due for a second reading.
 *
 * This is a second journal beside the sink's own, under its own key of the same state store. Each opened
 * window has an open window of the same bounds here, which holds a 64-bit hash (12 bytes) of every sample
 * that was put into a request, in acknowledged requests. A request that did not arrive needs no record: the
 * sink's own journal ensures that its samples are sent before the window closes. The second reading adds its
 * own requests, so that it can be repeated too.
 */
export class LateSamples {
  readonly #key: string;
  readonly #latenessMs: number;
  readonly #state: StateStore;
  readonly #windows = new Map<string, Promise<OpenWindow>>();
  /** No window is due before this time, so the journal, which may be large, need not be searched. */
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(sink: string, latenessMs: number, state: StateStore) {
    this.#key = lateKey(sink);
    this.#latenessMs = latenessMs;
    this.#state = state;
  }

  /** Call before the samples are sent: unrecorded samples would be sent again. */
  async record(bounds: WindowBounds, sources: readonly string[], samples: RequestEntries): Promise<void> {
    const window = await this.#windowOf(bounds, sources);
    await this.#state.requestAcknowledged(window, await this.#state.requestSent(window, samples));
  }

  /** Call before a window closes: a window with nothing sent also gets its second reading. */
  async remember(bounds: WindowBounds, sources: readonly string[]): Promise<void> {
    await this.#windowOf(bounds, sources);
    this.#windows.clear();
    this.#restUntilMs = Math.min(this.#restUntilMs, bounds.toMs + this.#latenessMs);
  }

  /**
   * The oldest window that is due. Windows of removed sources are kept for a day in case the sources return,
   * as the sink's checkpoints are.
   *
   * @param nowMs the store's time
   * @param checkpoints of the sink; a window that it has not closed yet is not due
   */
  async due(
    nowMs: number,
    sources: readonly string[],
    checkpoints: ReadonlyMap<string, number>,
  ): Promise<PlannedWindow | undefined> {
    if (nowMs < this.#restUntilMs) return undefined;
    const { windows } = await this.#state.load(this.#key);
    for (const open of windows) {
      const members = sources.filter((name) => open.sources.has(name));
      if (members.length === 0) {
        if (open.toMs + this.#latenessMs + keepForgottenMs <= nowMs) await this.#state.dropWindow(open);
      } else if (open.toMs + this.#latenessMs > nowMs) {
        this.#restUntilMs = open.toMs + this.#latenessMs;
        return undefined;
      } else if (members.every((name) => (checkpoints.get(name) ?? 0) >= open.toMs)) {
        return { fromMs: open.fromMs, toMs: open.toMs, sources: members, open, isLate: true };
      }
    }
    return undefined;
  }

  /** Drops the windows that end at `oldestMs` or before: they are too old to be exported. */
  async dropUntil(oldestMs: number): Promise<void> {
    const { windows } = await this.#state.load(this.#key);
    for (const window of windows) if (window.toMs <= oldestMs) await this.#state.dropWindow(window);
  }

  #windowOf(bounds: WindowBounds, sources: readonly string[]): Promise<OpenWindow> {
    const name = JSON.stringify([bounds.fromMs, bounds.toMs, ...sources]);
    let window = this.#windows.get(name);
    if (window === undefined) {
      window = this.#find(bounds, sources);
      this.#windows.set(name, window);
    }
    return window;
  }

  /** Finds the window, which may have been opened before a restart of the daemon, or opens it. */
  async #find(bounds: WindowBounds, sources: readonly string[]): Promise<OpenWindow> {
    const { windows } = await this.#state.load(this.#key);
    const found = windows.find(
      (window) =>
        window.fromMs === bounds.fromMs &&
        window.toMs === bounds.toMs &&
        sources.every((name) => window.sources.has(name)),
    );
    if (found !== undefined) return found;
    for (const window of windows) await this.#leave(window, bounds, sources);
    return this.#state.openWindow(this.#key, bounds, sources);
  }

  /**
   * Handles a window that was recorded but not closed before the process was killed: its samples are now sent
   * in a window of other bounds, and recorded there.
   */
  async #leave(
    window: OpenWindow,
    { fromMs, toMs }: WindowBounds,
    sources: readonly string[],
  ): Promise<void> {
    if (window.fromMs >= toMs || window.toMs <= fromMs) return;
    const moved = sources.filter((name) => window.sources.has(name));
    if (moved.length > 0) await this.#state.closeSources(window, moved);
  }
}
