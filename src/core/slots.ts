interface Waiting {
  readonly owner: string;
  readonly grant: () => void;
}

/**
 * A fixed number of places, given out first come, first served, with one exception: where there are several, no owner has
 * them all, so that one whose reads take long leaves a place for the others, if there are others.
 */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Set<Waiting>();
  readonly #takenBy = new Map<string, number>();
  /** Who has asked for a place since about the last {@link forgetIdle}. */
  #owners = new Set<string>();
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

  /**
   * Resolves when a place is the caller's; it must call `release` once, with the same owner.
   *
   * @throws the signal's reason
   */
  async take(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#owners.add(owner);
    if (this.#mayTake(owner)) {
      this.#give(owner);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        grant: () => {
          signal.removeEventListener("abort", left);
          resolve();
        },
      };
      const left = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", left, { once: true });
    });
  }

  release(owner: string): void {
    this.#taken--;
    const rest = (this.#takenBy.get(owner) ?? 1) - 1;
    if (rest === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, rest);
    // Handed over right here: whoever asks in between would otherwise get in before those who wait.
    for (const waiting of this.#waiting) {
      if (this.#taken >= this.#limit) return;
      if (!this.#mayTake(waiting.owner)) continue;
      this.#waiting.delete(waiting);
      this.#give(waiting.owner);
      waiting.grant();
    }
  }

  /** Owners that neither have nor want a place now are no others any more, unless they come back. */
  forgetIdle(): void {
    this.#owners = new Set([...this.#takenBy.keys(), ...[...this.#waiting].map(({ owner }) => owner)]);
  }

  #mayTake(owner: string): boolean {
    const ownLimit = this.#owners.size > 1 ? Math.max(1, this.#limit - 1) : this.#limit;
    return this.#taken < this.#limit && (this.#takenBy.get(owner) ?? 0) < ownLimit;
  }

  #give(owner: string): void {
    this.#taken++;
    this.#takenBy.set(owner, (this.#takenBy.get(owner) ?? 0) + 1);
  }
}
