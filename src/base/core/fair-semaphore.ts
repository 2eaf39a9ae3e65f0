/**
 * How much of the places one owner may hold.
 *
 * - `half`: an owner gets a place while more are free than it holds. One alone gets half, n greedy ones get 1/(n+1)
 *   each, and as much stays free for everybody else.
 * - `all-but-one`: one alone gets everything; as soon as there are others, one place stays out of its reach, if there
 *   are several. Others are owners that have asked since about the last {@link FairSemaphore.forgetIdle}.
 */
export type Share = "half" | "all-but-one";

interface Waiting {
  readonly grant: () => void;
}

/**
 * A limited number of places that owners share, each at most its {@link Share}. Those who wait take turns, owner by
 * owner, so that a long queue of one is no delay for another.
 */
export class FairSemaphore {
  readonly #places: number;
  readonly #share: Share;
  #free: number;
  readonly #held = new Map<string, number>();
  /** In the order of their turns; no queue is empty. */
  readonly #queues = new Map<string, Set<Waiting>>();
  /** Who has asked since about the last {@link forgetIdle}; empty where halves are shared out. */
  #owners = new Set<string>();

  constructor(places: number, share: Share) {
    this.#places = places;
    this.#share = share;
    this.#free = places;
  }

  get free(): number {
    return this.#free;
  }

  get taken(): number {
    return this.#places - this.#free;
  }

  get waiting(): number {
    let count = 0;
    for (const queue of this.#queues.values()) count += queue.size;
    return count;
  }

  /** Nothing is free, and somebody waits. */
  get isFullyTaken(): boolean {
    return this.#free === 0 && this.#queues.size > 0;
  }

  isWaiting(owner: string): boolean {
    return this.#queues.has(owner);
  }

  /** @returns whether a place is the caller's now */
  tryAcquire(owner: string): boolean {
    if (this.#share === "all-but-one") this.#owners.add(owner);
    if (this.isWaiting(owner) || !this.#mayTake(owner)) return false;
    this.#take(owner);
    return true;
  }

  /**
   * Resolves when a place is the caller's, who gives it back with {@link release}, once and with the same owner.
   *
   * @throws the signal's reason
   */
  async acquire(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryAcquire(owner)) return;
    await new Promise<void>((resolve, reject) => {
      const grant = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#leave(owner, waiting);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = { grant };
      const queue = this.#queues.get(owner) ?? new Set();
      this.#queues.set(owner, queue.add(waiting));
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** The place is handed over at once: whoever asks in between does not get in before those who wait. */
  release(owner: string): void {
    this.#free++;
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
    this.#admit();
  }

  /** Stops counting owners that hold no place and wait for none. */
  forgetIdle(): void {
    this.#owners = new Set(this.#share === "half" ? [] : [...this.#held.keys(), ...this.#queues.keys()]);
    this.#admit();
  }

  #mayTake(owner: string): boolean {
    const held = this.#held.get(owner) ?? 0;
    if (this.#share === "half") return this.#free > held;
    const own = this.#owners.size > 1 ? Math.max(1, this.#places - 1) : this.#places;
    return this.#free > 0 && held < own;
  }

  #take(owner: string): void {
    this.#free--;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  /** Whoever has had a turn goes to the end, where this loop meets it once more. */
  #admit(): void {
    for (const [owner, queue] of this.#queues) {
      if (this.#free === 0) return;
      const [first] = queue;
      if (first === undefined || !this.#mayTake(owner)) continue;
      this.#take(owner);
      this.#queues.delete(owner);
      queue.delete(first);
      if (queue.size > 0) this.#queues.set(owner, queue);
      first.grant();
    }
  }

  #leave(owner: string, waiting: Waiting): void {
    const queue = this.#queues.get(owner);
    queue?.delete(waiting);
    if (queue?.size === 0) this.#queues.delete(owner);
  }
}
