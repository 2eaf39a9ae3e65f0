import type { Clock } from "../../base/core/clock.ts";
import { onAbort } from "../../base/core/on-abort.ts";

export interface UnsentLimits {
  /** Total of all watches in the process. Each may exceed it by one event. */
  readonly maxBytes: number;
  /** Above this, a watch counts as behind. */
  readonly maxBytesOfWatch: number;
  /** A reader that receives nothing for this long is disconnected. */
  readonly stallMs: number;
  /** The same limit while other watches wait for room. */
  readonly crowdedStallMs: number;
}

export const defaultUnsentLimits: UnsentLimits = {
  maxBytes: 64 * 2 ** 20,
  maxBytesOfWatch: 256 * 1024,
  stallMs: 60_000,
  crowdedStallMs: 5_000,
};

/** Interval of reader checks while events are unsent. */
const sweepMs = 250;

/** Events that one watch has written and its reader has not yet received. */
export interface UnsentOfWatch {
  /** Whether the next event may be written. */
  isReady(): boolean;
  /**
   * Counts a written event.
   *
   * @returns a function to call when its reader has received a piece of it, at last the whole
   */
  add(bytes: number): (isWhole?: boolean) => void;
  /** Waits until {@link isReady}. @throws the signal's reason */
  ready(signal: AbortSignal): Promise<void>;
  /** The watch is over: drops its unsent events. */
  close(): void;
}

interface Reader {
  bytes: number;
  /** Time of the last progress, or of the first unreceived event; monotonic. */
  progressMs: number;
  /** Wakes the watch if it is waiting. */
  wake: (() => void) | undefined;
  readonly end: () => void;
}

/**
 * Bounds the memory of unsent events across all watches of the process. A watch whose reader is behind, or
 * that finds no room, waits and reads the change log later. A reader that receives nothing is disconnected,
 * as in Kubernetes; it may resume from its last version.
 */
export class UnsentEvents {
  readonly #clock: Clock;
  readonly #limits: UnsentLimits;
  readonly #readers = new Set<Reader>();
  /** Those that wait, in the order in which they are admitted. */
  readonly #waiting = new Set<Reader>();
  #bytes = 0;
  #sweeping: NodeJS.Timeout | undefined;
  #lastSweepMs = 0;

  constructor(clock: Clock, limits: UnsentLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** @param end ends the watch of a stalled reader */
  open(end: () => void): UnsentOfWatch {
    const reader: Reader = { bytes: 0, progressMs: 0, wake: undefined, end };
    let isClosed = false;
    const isReady = (): boolean =>
      reader.bytes < this.#limits.maxBytesOfWatch && this.#bytes < this.#limits.maxBytes;
    return {
      isReady,
      add: (bytes) => {
        if (reader.bytes === 0) reader.progressMs = this.#clock.monotonicMs();
        this.#change(reader, bytes);
        return (isWhole = true) => {
          if (isClosed) return;
          reader.progressMs = this.#clock.monotonicMs();
          if (isWhole) this.#change(reader, -bytes);
        };
      },
      ready: async (signal) => {
        while (!isReady()) await this.#untilWoken(reader, signal);
      },
      close: () => {
        isClosed = true;
        this.#change(reader, -reader.bytes);
      },
    };
  }

  /** Disconnects stalled readers, and admits as many of those that wait as there is room for. */
  sweep(): void {
    const { maxBytes, stallMs, crowdedStallMs } = this.#limits;
    const hasRoom = this.#bytes < maxBytes;
    const limitMs = hasRoom ? stallMs : crowdedStallMs;
    const nowMs = this.#clock.monotonicMs();
    for (const reader of this.#readers) {
      if (reader.bytes > 0 && nowMs - reader.progressMs > limitMs) reader.end();
    }
    this.#admit(Math.ceil((maxBytes - this.#bytes) / this.#limits.maxBytesOfWatch));
  }

  /** Thousands that wake for the room of one would each look for it again, and again. */
  #admit(count: number): void {
    if (this.#bytes >= this.#limits.maxBytes) return;
    let left = count;
    for (const reader of this.#waiting) {
      if (left-- <= 0) return;
      // It resumes later: the next call admits the next one.
      this.#waiting.delete(reader);
      reader.wake?.();
    }
  }

  #change(reader: Reader, bytes: number): void {
    reader.bytes += bytes;
    this.#bytes += bytes;
    if (bytes < 0) {
      reader.wake?.();
      this.#admit(1);
    }
    this.#follow(reader);
  }

  /** Monitors a reader while it has unsent events or waits. */
  #follow(reader: Reader): void {
    if (reader.bytes > 0 || reader.wake !== undefined) this.#readers.add(reader);
    else this.#readers.delete(reader);
    if (this.#readers.size > 0) {
      this.#sweeping ??= this.#startSweeping();
      return;
    }
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #startSweeping(): NodeJS.Timeout {
    this.#lastSweepMs = this.#clock.monotonicMs();
    return setInterval(() => {
      this.#forgiveDelay();
      this.sweep();
    }, sweepMs).unref();
  }

  /** While this process itself was held up, no progress of a reader could be noticed. */
  #forgiveDelay(): void {
    const nowMs = this.#clock.monotonicMs();
    const delayMs = nowMs - this.#lastSweepMs - sweepMs;
    this.#lastSweepMs = nowMs;
    if (delayMs > sweepMs) for (const reader of this.#readers) reader.progressMs += delayMs;
  }

  async #untilWoken(reader: Reader, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const forget = onAbort(signal, () => reader.wake?.());
    await new Promise<void>((resolve) => {
      reader.wake = resolve;
      this.#waiting.add(reader);
      this.#follow(reader);
    });
    reader.wake = undefined;
    this.#waiting.delete(reader);
    this.#follow(reader);
    forget();
    signal.throwIfAborted();
  }
}
