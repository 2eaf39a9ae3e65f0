import { bytesBelow } from "./disk.ts";
import { processUsage } from "./process-usage.ts";
import type { RestartableSender } from "./senders.ts";

/** What a program took, over all of its starts. */
export interface TotalUsage {
  readonly cpuMs: number;
  readonly peakBytes: number;
  /** The most that its data took on disk. */
  readonly diskBytes: number;
}

const lookEveryMs = 250;
const looksPerDiskLook = 20;

/** Looks at a program that may be killed: what it took until shortly before counts. */
export class UsageMeter {
  readonly #sender: RestartableSender;
  readonly #timer: NodeJS.Timeout;
  readonly #cpuMs = new Map<number, number>();
  #peakBytes = 0;
  #diskBytes = 0;
  #looks = 0;

  constructor(sender: RestartableSender) {
    this.#sender = sender;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  stop(): TotalUsage {
    clearInterval(this.#timer);
    this.#look();
    const cpuMs = [...this.#cpuMs.values()].reduce((sum, each) => sum + each, 0);
    return { cpuMs, peakBytes: this.#peakBytes, diskBytes: this.#diskBytes };
  }

  #look(): void {
    const { pid, dataDir } = this.#sender;
    try {
      const { cpuMs, peakBytes } = processUsage(pid);
      this.#cpuMs.set(pid, cpuMs);
      // One that has ended, and is not reaped yet, has no memory.
      if (Number.isFinite(peakBytes)) this.#peakBytes = Math.max(this.#peakBytes, peakBytes);
    } catch {
      // It has just been killed.
    }
    if (this.#looks++ % looksPerDiskLook === 0) {
      this.#diskBytes = Math.max(this.#diskBytes, bytesBelow(dataDir));
    }
  }
}
