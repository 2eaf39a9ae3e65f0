import type { WindowGroup } from "../plan/window-groups.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import { keepForgottenMs, type OpenWindow, type StateStore, type WindowBounds } from "../state/sink-state.ts";

const suffix = " late";

/** Where the state store keeps a sink's windows that are to be read once more; no policy's name has a space in it. */
export function lateKey(sink: string): string {
  return sink + suffix;
}

/** The sink that a key of the state store belongs to. */
export function sinkOfKey(key: string): string {
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

/**
 * `delivery.lateness` of one sink: which samples of each window were sent, and which window is due to be read once more.
 *
 * A second journal beside the sink's own, in the same state store under a key of its own: for each window that was begun an
 * open window of the same bounds, with a 64-bit hash of every sample that was put into a request (12 bytes each), as
 * requests that are settled. That a request did not arrive needs no record: the sink's own journal sees to it that its
 * samples are sent before the window closes. The second reading adds its own requests, so that it too can be repeated.
 */
export class LateSamples {
  readonly #key: string;
  readonly #latenessMs: number;
  readonly #state: StateStore;
  readonly #windows = new Map<string, Promise<OpenWindow>>();
  /** Nothing is due before this, so the journal, which may be large, need not be looked at. */
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(sink: string, latenessMs: number, state: StateStore) {
    this.#key = lateKey(sink);
    this.#latenessMs = latenessMs;
    this.#state = state;
  }

  /** To be called before the samples are sent: what is not recorded would be sent again. */
  async record(bounds: WindowBounds, sources: readonly string[], samples: RequestEntries): Promise<void> {
    const window = await this.#windowOf(bounds, sources);
    await this.#state.requestSettled(window, await this.#state.requestSent(window, samples));
  }

  /** To be called before a window closes: one of which nothing was sent is read once more too. */
  async remember(bounds: WindowBounds, sources: readonly string[]): Promise<void> {
    await this.#windowOf(bounds, sources);
    this.#windows.clear();
    this.#restUntilMs = Math.min(this.#restUntilMs, bounds.toMs + this.#latenessMs);
  }

  /**
   * The oldest window that is due. Windows of sources that the sink has no more wait a day for them to come back, as its
   * checkpoints do.
   *
   * @param nowMs the store's time
   * @param checkpoints of the sink; a window that it has not closed yet is not due
   */
  async due(
    nowMs: number,
    sources: readonly string[],
    checkpoints: ReadonlyMap<string, number>,
  ): Promise<WindowGroup | undefined> {
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

  /** Gives up the windows that end at `oldestMs` or before: too old to be exported. */
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

  /** Begun in an earlier life of the daemon, or now. */
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
   * A window that was remembered, and not closed before the process was killed: what lies in it is sent in a window of other
   * bounds now, and remembered there.
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
