import type { WindowPlanner } from "../plan/window-planner.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import {
  WindowExport,
  type WindowExportDeps,
  type WindowExportOptions,
  type WindowResult,
} from "./window-export.ts";
import type { WindowProgress } from "./window-progress.ts";

export type ReadAheadOptions = Omit<WindowExportOptions, "isProbe">;

/** The circumstances in which a window is run. */
interface WindowRun {
  /** Only the oldest unsent batch is sent, alone. */
  readonly isProbe: boolean;
  /** Sources that could not be read in this cycle. */
  readonly failed: ReadonlySet<string>;
}

/** A window that runs, or is read ahead. */
interface StartedWindow {
  readonly window: WindowExport;
  readonly result: Promise<WindowResult>;
}

/**
 * Runs windows strictly one after another, but may read the next one in advance: a store searches for series
 * before it returns the first sample, and would be idle during the last requests (bench/catch-up.ts). A
 * window read ahead waits in memory; before its predecessor is closed, none of it is sent or recorded in a
 * journal.
 *
 * While the receiver keeps up, the next read begins with the first samples of the current window. Otherwise
 * it waits until few of the current window's batches are left, since a slow receiver would keep two windows
 * in memory.
 */
export class ReadAhead {
  readonly #planner: Pick<WindowPlanner, "after" | "adapt">;
  readonly #deps: WindowExportDeps;
  readonly #options: ReadAheadOptions;
  #ahead: Promise<StartedWindow | undefined> = Promise.resolve(undefined);
  #keepsUp = false;

  constructor(
    planner: Pick<WindowPlanner, "after" | "adapt">,
    deps: WindowExportDeps,
    options: ReadAheadOptions,
  ) {
    this.#planner = planner;
    this.#deps = deps;
    this.#options = options;
  }

  /** The window being read ahead, which has to run next. */
  async ahead(): Promise<PlannedWindow | undefined> {
    return (await this.#ahead)?.window.planned;
  }

  async run(planned: PlannedWindow, circumstances: WindowRun): Promise<WindowResult> {
    const ahead = await this.#ahead;
    const current = ahead?.window.planned === planned ? ahead : this.#start(planned, circumstances.isProbe);
    const { progress } = current.window;
    progress.maySend();
    this.#ahead = this.#readAfter(current.window, circumstances);
    const result = await current.result;
    const pace = await progress.pace;
    if (pace !== undefined) this.#keepsUp = pace === "kept up";
    // The window read ahead is valid only after a closed one.
    if (result.kind !== "closed") await this.giveUp();
    return result;
  }

  /** Abandons the window being read ahead, and waits until it has ended. */
  async giveUp(): Promise<void> {
    const ahead = await this.#ahead;
    this.#ahead = Promise.resolve(undefined);
    if (ahead === undefined) return;
    ahead.window.progress.abandon();
    await Promise.allSettled([ahead.result]);
  }

  #start(planned: PlannedWindow, isProbe: boolean): StartedWindow {
    const window = new WindowExport(planned, this.#deps, { ...this.#options, isProbe });
    const result = window.run();
    // The error is reported when the window is run; until then there is no listener.
    result.catch(() => undefined);
    if (planned.late === undefined) void this.#adaptTo(window.progress);
    return { window, result };
  }

  async #adaptTo(progress: WindowProgress): Promise<void> {
    const cost = await progress.cost;
    if (cost !== undefined) this.#planner.adapt(cost);
  }

  /** Starts the window after `current` as soon as it may be read. */
  async #readAfter(
    current: WindowExport,
    { failed, isProbe }: WindowRun,
  ): Promise<StartedWindow | undefined> {
    if (!(await current.progress.mayReadNext(this.#keepsUp))) return undefined;
    // A failure of the state store is reported by the next window, not by this one.
    const next = await this.#planner.after(current.planned, failed).catch(() => undefined);
    return next && this.#start(next, isProbe);
  }
}
