import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import type { Clock } from "../../../base/core/clock.ts";
import { pause } from "../../../base/core/signals.ts";

/**
 * Interval of checks for a path that leads elsewhere without an event (a symlink further up has changed).
 * Until then the caller's poll finds changes.
 */
const checkEveryMs = 30_000;

/**
 * Wakes waiters when something in a directory changes. One watcher is kept while the path leads to the same
 * directory: a new one for every scan would dominate an idle daemon's CPU time (bench/idle.ts).
 */
export class DirectoryWatch {
  readonly #directory: string;
  readonly #clock: Clock;
  #watcher: FSWatcher | undefined;
  /** Device and inode of the watched directory. */
  #identity: string | undefined;
  #wake = new AbortController();
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Call before each scan. A later change ends the next wait, even if it comes before that wait begins. */
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

  /**
   * Waits up to `ms` for a change since `begin`.
   *
   * @returns whether something changed; also true when the signal aborts
   */
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

  /** @returns undefined where the system provides no watcher; the caller's poll remains */
  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(this.#directory, () => this.#wake.abort());
      // A removed directory ends its watcher with an error.
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
