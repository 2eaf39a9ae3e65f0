/** A fixed number of places, given out first come, first served. */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when a place is the caller's; it must call `release` once. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#limit) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const granted = () => {
        signal.removeEventListener("abort", left);
        resolve();
      };
      const left = () => {
        this.#waiting.delete(granted);
        reject(signal.reason);
      };
      this.#waiting.add(granted);
      signal.addEventListener("abort", left, { once: true });
    });
  }

  release(): void {
    // Handed over, not given back: whoever asks in between would otherwise get in before those who wait.
    for (const granted of this.#waiting) {
      this.#waiting.delete(granted);
      granted();
      return;
    }
    this.#taken--;
  }
}
