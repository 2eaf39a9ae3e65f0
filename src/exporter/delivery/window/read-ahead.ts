import type { WindowGroup } from "../plan/window-groups.ts";
import type { WindowResult, WindowTurn } from "./window-export.ts";

/** The part of a window export that read-ahead uses (`window-export.ts`). */
interface Run {
  run(): Promise<WindowResult>;
  /** Stops reading. */
  abandon(): void;
}

export interface WindowSequenceOptions {
  readonly newExport: (group: WindowGroup, turn: WindowTurn) => Run;
  /** The window that follows `group` once that is closed, if it can be determined in advance. */
  readonly after: (group: WindowGroup) => Promise<WindowGroup | undefined>;
}

/** A window that runs, or is read ahead. */
interface Started {
  readonly group: WindowGroup;
  readonly run: Run;
  readonly result: Promise<WindowResult>;
  readonly takeTurn: (mayGo: boolean) => void;
  /** Its first samples have arrived. */
  isReading: boolean;
}

/**
 * Runs windows strictly one after another, but may read the next one in advance: a store searches for series
 * before it returns the first sample, and would be idle during the last requests (bench/catch-up.ts). A
 * window read ahead waits in memory; before its predecessor is closed, none of it is sent or recorded in a
 * journal.
 *
 * While the receiver keeps up, the next read begins with the first samples of the current window. Otherwise
 * it waits until few of the current window's requests are left, since a slow receiver would keep two windows
 * in memory.
 */
export class ReadAhead {
  readonly #options: WindowSequenceOptions;
  #current: Started | undefined;
  #ahead: Promise<Started | undefined> | undefined;
  #keepsUp = false;

  constructor(options: WindowSequenceOptions) {
    this.#options = options;
  }

  /** The window being read ahead, which has to run next. */
  async ahead(): Promise<WindowGroup | undefined> {
    return (await this.#ahead)?.group;
  }

  async run(group: WindowGroup): Promise<WindowResult> {
    const ahead = await this.#ahead;
    this.#ahead = undefined;
    const current = ahead?.group === group ? ahead : this.#start(group);
    this.#current = current;
    current.takeTurn(true);
    if (current.isReading && this.#keepsUp) this.#readAfter(current);
    try {
      const result = await current.result;
      // The window read ahead is valid only after a closed one.
      if (result.kind !== "closed") await this.giveUp();
      return result;
    } finally {
      this.#current = undefined;
    }
  }

  /** Abandons the window being read ahead, and waits until it has ended. */
  async giveUp(): Promise<void> {
    const ahead = await this.#ahead;
    this.#ahead = undefined;
    if (ahead === undefined) return;
    ahead.run.abandon();
    ahead.takeTurn(false);
    await Promise.allSettled([ahead.result]);
  }

  #start(group: WindowGroup): Started {
    let takeTurn = (_: boolean) => {};
    const mayGo = new Promise<boolean>((resolve) => {
      takeTurn = resolve;
    });
    const run = this.#options.newExport(group, {
      mayGo,
      onReading: () => {
        started.isReading = true;
        if (this.#keepsUp) this.#readAfter(started);
      },
      onNearlyDelivered: (keptUp) => {
        this.#keepsUp = keptUp;
        this.#readAfter(started);
      },
    });
    // Deferred: its callbacks need `started`, and a reader may respond immediately.
    const result = Promise.resolve().then(() => run.run());
    const started: Started = { group, run, result, takeTurn, isReading: false };
    // The error is reported when the window is run; until then there is no listener.
    result.catch(() => undefined);
    return started;
  }

  #readAfter(started: Started): void {
    // A window being read ahead must become current before a further one is read.
    if (this.#current === started) this.#ahead ??= this.#startAfter(started.group);
  }

  async #startAfter(group: WindowGroup): Promise<Started | undefined> {
    // A failure of the state store is reported by the next window, not by this one.
    const next = await this.#options.after(group).catch(() => undefined);
    return next && this.#start(next);
  }
}
