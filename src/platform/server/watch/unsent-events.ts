import type { Clock } from "../../../base/core/clock.ts";

export interface UnsentLimits {
  /** Of all watches of the process. Each may exceed it by one event. */
  readonly maxBytes: number;
  /** Above this, one watch counts as behind. */
  readonly maxBytesOfWatch: number;
  /** A reader that takes nothing for so long is ended. */
  readonly stallMs: number;
  /** The same while others wait for the room. */
  readonly crowdedStallMs: number;
}

export const defaultUnsentLimits: UnsentLimits = {
  maxBytes: 64 * 2 ** 20,
  maxBytesOfWatch: 256 * 1024,
  stallMs: 60_000,
  crowdedStallMs: 5_000,
};

/** How often readers are looked at while something is unsent. */
const sweepMs = 250;

/** What one watch has written and its reader has not taken. */
export interface UnsentOfWatch {
  /** Whether the next event may be written. */
  isReady(): boolean;
  /** An event has been written. @returns to be called when its reader has taken it */
  add(bytes: number): () => void;
  /** Waits until {@link isReady}. @throws the signal's reason */
  ready(signal: AbortSignal): Promise<void>;
  /** The watch is over: what is unsent is dropped. */
  close(): void;
}

interface Reader {
  bytes: number;
  /** When it last took something, or got the first that it has not taken; monotonic. */
  progressMs: number;
  /** Wakes the watch, if it waits. */
  wake: (() => void) | undefined;
  readonly end: () => void;
}

/**
 * Bounds the memory of events that are on their way to readers, over all watches of the process. A watch whose reader is
 * behind, or that finds no room, waits and reads the change log later; a reader that takes nothing is ended, as Kubernetes
 * ends it: it may come back from the version that it has.
 */
export class UnsentEvents {
  readonly #clock: Clock;
  readonly #limits: UnsentLimits;
  readonly #readers = new Set<Reader>();
  #bytes = 0;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(clock: Clock, limits: UnsentLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** @param end ends the watch of a reader that takes nothing */
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
        return () => {
          if (isClosed) return;
          reader.progressMs = this.#clock.monotonicMs();
          this.#change(reader, -bytes);
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

  /** Ends the readers that have taken nothing for too long, and lets those go on that wait for room if there is some. */
  sweep(): void {
    const { maxBytes, stallMs, crowdedStallMs } = this.#limits;
    const hasRoom = this.#bytes < maxBytes;
    const limitMs = hasRoom ? stallMs : crowdedStallMs;
    const nowMs = this.#clock.monotonicMs();
    for (const reader of this.#readers) {
      if (reader.bytes > 0 && nowMs - reader.progressMs > limitMs) reader.end();
      else if (hasRoom) reader.wake?.();
    }
  }

  #change(reader: Reader, bytes: number): void {
    reader.bytes += bytes;
    this.#bytes += bytes;
    if (bytes < 0) reader.wake?.();
    this.#follow(reader);
  }

  /** Looks after a reader while it has something unsent, or waits. */
  #follow(reader: Reader): void {
    if (reader.bytes > 0 || reader.wake !== undefined) this.#readers.add(reader);
    else this.#readers.delete(reader);
    if (this.#readers.size > 0) {
      this.#sweeping ??= setInterval(() => this.sweep(), sweepMs).unref();
      return;
    }
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  async #untilWoken(reader: Reader, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const wake = (): void => reader.wake?.();
    signal.addEventListener("abort", wake);
    await new Promise<void>((resolve) => {
      reader.wake = resolve;
      this.#follow(reader);
    });
    reader.wake = undefined;
    this.#follow(reader);
    signal.removeEventListener("abort", wake);
    signal.throwIfAborted();
  }
}
