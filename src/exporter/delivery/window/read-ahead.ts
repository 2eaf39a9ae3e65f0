import type { WindowGroup } from "../plan/window-groups.ts";
import type { WindowResult, WindowTurn } from "./window-export.ts";

/** What a sequence has to know of a window's run (`window-export.ts`). */
interface Run {
  run(): Promise<WindowResult>;
  /** Reads no more. */
  abandon(): void;
}

export interface WindowSequenceOptions {
  readonly newExport: (group: WindowGroup, turn: WindowTurn) => Run;
  /** The window that follows `group` when that is closed, where it is known before. */
  readonly after: (group: WindowGroup) => Promise<WindowGroup | undefined>;
}

/** A window that runs, or is read before its turn. */
interface Started {
  readonly group: WindowGroup;
  readonly run: Run;
  readonly result: Promise<WindowResult>;
  readonly takeTurn: (mayGo: boolean) => void;
  /** Its first samples have come. */
  isReading: boolean;
}

/**
 * Runs windows strictly one after another, except that the next one may already be read: a store looks for series before it
 * gives the first sample, and would do nothing while the last requests are on their way (bench/catch-up.ts). What is
 * read ahead waits in memory; nothing of it is sent, and no journal tells of it, before its predecessor is closed.
 *
 * As long as the receiver keeps up, the next read begins with the first samples of the one before, otherwise when few of that
 * one's requests are left: two windows that a slow receiver has to take would both wait in memory.
 */
export class ReadAhead {
  readonly #options: WindowSequenceOptions;
  #current: Started | undefined;
  #ahead: Promise<Started | undefined> | undefined;
  #keepsUp = false;

  constructor(options: WindowSequenceOptions) {
    this.#options = options;
  }

  /** The window that is read ahead: it is to run next. */
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
      // What is ahead follows a closed window only.
      if (result.kind !== "closed") await this.giveUp();
      return result;
    } finally {
      this.#current = undefined;
    }
  }

  /** Gives up what is read ahead, and waits until nothing is left of it. */
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
    // Not at once: what it calls back with needs `started`, and a reader may respond right away.
    const result = Promise.resolve().then(() => run.run());
    const started: Started = { group, run, result, takeTurn, isReading: false };
    // Whoever runs this window learns of it; until its turn nobody listens.
    result.catch(() => undefined);
    return started;
  }

  #readAfter(started: Started): void {
    // What is read ahead itself waits for its turn before anything is read after it.
    if (this.#current === started) this.#ahead ??= this.#startAfter(started.group);
  }

  async #startAfter(group: WindowGroup): Promise<Started | undefined> {
    // A state that cannot be asked is a failure of the next window, not of this one.
    const next = await this.#options.after(group).catch(() => undefined);
    return next && this.#start(next);
  }
}
