import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import type { Clock } from "../../../base/core/clock.ts";
import { pause } from "../../../base/core/signals.ts";

/** A path that leads elsewhere without an event (a symlink further up) is noticed after this; until then the caller's poll finds changes. */
const checkEveryMs = 30_000;

/**
 * Wakes whoever waits when something in a directory changes. One watcher serves as long as the path leads to the same
 * directory: making a new one for every look is most of what an idle daemon would do (bench/idle.ts).
 */
export class DirectoryWatch {
  readonly #directory: string;
  readonly #clock: Clock;
  #watcher: FSWatcher | undefined;
  /** Device and inode of the directory that is watched. */
  #identity: string | undefined;
  #wake = new AbortController();
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** To be called before a look: what changes after it ends the next wait, at the latest when it begins. */
  async begin(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#wake.signal.aborted && nowMs < this.#checkedAtMs + checkEveryMs) return;
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    this.#checkedAtMs = nowMs;
    const identity = await identityOf(this.#directory);
    if (identity !== undefined && identity === this.#identity) return;
    this.close();
    this.#identity = identity;
    this.#watcher = this.#watch();
  }

  /** Waits for a change since `begin`, or that long. @returns whether something changed; also true when the signal aborts */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const wake = this.#wake.signal;
    await pause(this.#clock, ms, [signal, wake]);
    return signal.aborted || wake.aborted;
  }

  get isWatching(): boolean {
    return this.#watcher !== undefined;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#identity = undefined;
  }

  /** @returns undefined where the system has no watcher to give; the caller's poll remains */
  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(this.#directory, () => this.#wake.abort());
      // A directory that is taken away ends its watcher with an error.
      watcher.on("error", () => {
        this.close();
        this.#wake.abort();
      });
      return watcher;
    } catch {
      return undefined;
    }
  }
}

async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(directory, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
