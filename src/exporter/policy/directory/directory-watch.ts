import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import type { Clock } from "../../../base/core/clock.ts";

/**
 * Interval of checks for a path that leads elsewhere without an event (a symlink further up has changed).
 * Until then the caller's poll finds changes.
 */
const checkEveryMs = 30_000;

/**
 * Calls back when something in a directory changes. One watcher is kept while the path leads to the same
 * directory: a new one for every scan would dominate an idle daemon's CPU time (bench/idle.ts).
 */
export class DirectoryWatch {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined;
  /** Device and inode of the watched directory. */
  #identity: string | undefined;
  /** Something has changed since the last `begin`. */
  #isChanged = false;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(directory: string, clock: Clock, onChange: () => void) {
    this.#directory = directory;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Call before each scan: every later change calls back. */
  async begin(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#isChanged && nowMs < this.#checkedAtMs + checkEveryMs) return;
    this.#isChanged = false;
    this.#checkedAtMs = nowMs;
    const identity = await identityOf(this.#directory);
    if (identity !== undefined && identity === this.#identity) return;
    this.close();
    this.#identity = identity;
    this.#watcher = this.#watch();
  }

  get isWatching(): boolean {
    return this.#watcher !== undefined;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#identity = undefined;
  }

  #change(): void {
    this.#isChanged = true;
    this.#onChange();
  }

  /** @returns undefined where the system provides no watcher; the caller's poll remains */
  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(this.#directory, () => this.#change());
      // A removed directory ends its watcher with an error.
      watcher.on("error", () => {
        this.close();
        this.#change();
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
