import { onAbort } from "./on-abort.ts";

/**
 * The share of the places that one owner may hold.
 *
 * - `half`: an owner gets a place while more are free than it holds. A single owner gets half, n greedy ones
 *   get 1/(n+1) each, and as much stays free for everyone else.
 * - `all-but-one`: a single owner gets everything; with other owners, it leaves one place, if there are
 *   several. Others are owners that have asked since about the last {@link FairSemaphore.forgetIdle}.
 */
export type Share = "half" | "all-but-one";

interface Waiting {
  readonly grant: () => void;
}

/**
 * A semaphore whose places are shared by owners, each up to its {@link Share}. Waiting owners take turns, so
 * one owner's long queue does not delay another.
 */
export class FairSemaphore {
  readonly #places: number;
  readonly #share: Share;
  #free: number;
  readonly #held = new Map<string, number>();
  /** In turn order; no queue is empty. */
  readonly #queues = new Map<string, Set<Waiting>>();
  /** Owners that have asked since about the last {@link forgetIdle}; empty for `half`. */
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

  /** No place is free, and an owner waits. */
  get isFullyTaken(): boolean {
    return this.#free === 0 && this.#queues.size > 0;
  }

  isWaiting(owner: string): boolean {
    return this.#queues.has(owner);
  }

  /** @returns whether the caller now holds a place */
  tryAcquire(owner: string): boolean {
    if (this.#share === "all-but-one") this.#owners.add(owner);
    if (this.isWaiting(owner) || !this.#mayTake(owner)) return false;
    this.#take(owner);
    return true;
  }

  /**
   * Resolves when the caller holds a place; it returns it with {@link release}, once and with the same owner.
   *
   * @throws the signal's reason
   */
  async acquire(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryAcquire(owner)) return;
    await new Promise<void>((resolve, reject) => {
      const grant = () => {
        forget();
        resolve();
      };
      const waiting: Waiting = { grant };
      const queue = this.#queues.get(owner) ?? new Set();
      this.#queues.set(owner, queue.add(waiting));
      const forget = onAbort(signal, () => {
        this.#leave(owner, waiting);
        reject(signal.reason as Error);
      });
    });
  }

  /** Hands the place over at once: a new caller cannot overtake those waiting. */
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

  /** An owner that had a turn moves to the end, where this loop reaches it again. */
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
