import type { Logger } from "../../../base/log/log.ts";
import type { OpenWindow, SinkState, StateStore } from "../state/sink-state.ts";
import { aheadKey } from "../state/state-keys.ts";
import {
  aheadSpans,
  newSpanStart,
  openWindowsOf,
  type PlannerState,
  sourceOf,
  startOf,
} from "./ahead-spans.ts";
import type { Watermark } from "./watermarks.ts";

/** Begins and ends the spans ahead of one sink. */
export class NewestFirst {
  readonly #sink: string;
  readonly #state: StateStore;
  readonly #log: Logger;
  /** There may be spans, although the plan wants none: another process may have begun them. */
  #mayHaveSpans = true;

  /** @param sink its key */
  constructor(sink: string, state: StateStore, log: Logger) {
    this.#sink = sink;
    this.#state = state;
    this.#log = log;
  }

  /** Call after a change of the plan. */
  change(): void {
    this.#mayHaveSpans = true;
  }

  /** The key of their state while there may be spans. */
  get key(): string | undefined {
    return this.#mayHaveSpans ? aheadKey(this.#sink) : undefined;
  }

  async load(main: SinkState): Promise<PlannerState> {
    return { main, ahead: this.key === undefined ? noState : await this.#state.load(this.key) };
  }

  /**
   * Moves the checkpoints that have reached the start of their spans to the ends of these.
   *
   * @returns whether the state has changed
   */
  async join(current: PlannerState): Promise<boolean> {
    const { main, ahead } = current;
    const key = aheadKey(this.#sink);
    const spans = aheadSpans(current);
    let hasChanged = false;
    for (const name of new Set([...ahead.checkpoints.keys()].map(sourceOf))) {
      const span = spans.get(name);
      const checkpointMs = main.checkpoints.get(name);
      if (checkpointMs === undefined) continue;
      const open = openWindowsOf(ahead, name);
      if (span !== undefined) {
        if (checkpointMs < span.fromMs || open.length > 0) continue;
        await this.#state.setCheckpoint(this.#sink, name, span.toMs);
      }
      // The start first: without it there is no span, even if a crash follows a window that moves the end.
      await this.#state.dropSource(key, startOf(name));
      if (span === undefined) {
        for (const window of open) await this.#state.closeSources(window, [name]);
      }
      await this.#state.dropSource(key, name);
      hasChanged = true;
    }
    return hasChanged;
  }

  /**
   * Begins the spans that sources need now. Call at the start of a cycle.
   *
   * @param sources none unless the plan wants the newest samples first
   */
  async begin(current: PlannerState, sources: readonly Watermark[], newestMs: number): Promise<void> {
    const { main, ahead } = current;
    const key = aheadKey(this.#sink);
    this.#mayHaveSpans = sources.length > 0 || ahead.checkpoints.size > 0;
    const spans = aheadSpans(current);
    for (const { name, watermarkMs, gridMs } of sources) {
      const checkpointMs = main.checkpoints.get(name);
      if (checkpointMs === undefined) continue;
      const open = openWindowsOf(ahead, name);
      const span = spans.get(name);
      const openToMs = Math.max(-Infinity, ...openWindowsOf(main, name).map(({ toMs }) => toMs));
      const hasSpanBegun = open.some(hasAcknowledged);
      const backlog = { checkpointMs, watermarkMs, gridMs, openToMs, span, hasSpanBegun };
      const fromMs = newSpanStart(backlog, newestMs);
      if (fromMs === undefined) continue;
      // What is in doubt of them is sent again with the time before the span, as it would be now.
      for (const window of open) await this.#state.dropWindow(window);
      // In this order: the end of an earlier span with the start of a new one is no span.
      await this.#state.setCheckpoint(key, startOf(name), fromMs);
      await this.#state.setCheckpoint(key, name, fromMs);
      if (span !== undefined) continue;
      const from = new Date(fromMs).toISOString();
      this.#log.info({ sink: this.#sink, source: name, from }, "new samples are delivered before older ones");
    }
  }
}

const noState: SinkState = { checkpoints: new Map(), windows: [] };

function hasAcknowledged({ requests }: OpenWindow): boolean {
  return [...requests.values()].some(({ state }) => state === "acknowledged");
}
