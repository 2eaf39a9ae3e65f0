interface Waiting {
  readonly grant: () => void;
}

/**
 * A limited number of places that tenants share. A tenant gets a place while more are free than it holds: one alone gets
 * half, n greedy ones get 1/(n+1) each, and as much stays free for everybody else. Those who wait take turns, tenant by
 * tenant, so that a long queue of one is no delay for another.
 */
export class FairSemaphore {
  #free: number;
  readonly #held = new Map<string, number>();
  /** In the order of their turns; no queue is empty. */
  readonly #queues = new Map<string, Set<Waiting>>();

  constructor(places: number) {
    this.#free = places;
  }

  get free(): number {
    return this.#free;
  }

  /** Nothing is free, and somebody waits. */
  get isFullyTaken(): boolean {
    return this.#free === 0 && this.#queues.size > 0;
  }

  isWaiting(tenant: string): boolean {
    return this.#queues.has(tenant);
  }

  /** @returns whether a place is the caller's now */
  tryAcquire(tenant: string): boolean {
    if (this.isWaiting(tenant) || !this.#mayTake(tenant)) return false;
    this.#take(tenant);
    return true;
  }

  /** Resolves when a place is the caller's, who gives it back with {@link release}. @throws the signal's reason */
  async acquire(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryAcquire(tenant)) return;
    await new Promise<void>((resolve, reject) => {
      const grant = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#leave(tenant, waiting);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = { grant };
      const queue = this.#queues.get(tenant) ?? new Set();
      this.#queues.set(tenant, queue.add(waiting));
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  release(tenant: string): void {
    this.#free++;
    const held = (this.#held.get(tenant) ?? 0) - 1;
    if (held > 0) this.#held.set(tenant, held);
    else this.#held.delete(tenant);
    this.#admit();
  }

  #mayTake(tenant: string): boolean {
    return this.#free > (this.#held.get(tenant) ?? 0);
  }

  #take(tenant: string): void {
    this.#free--;
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1);
  }

  /** Whoever has had a turn goes to the end, where this loop meets it once more. */
  #admit(): void {
    for (const [tenant, queue] of this.#queues) {
      if (this.#free === 0) return;
      const [first] = queue;
      if (first === undefined || !this.#mayTake(tenant)) continue;
      this.#take(tenant);
      this.#queues.delete(tenant);
      queue.delete(first);
      if (queue.size > 0) this.#queues.set(tenant, queue);
      first.grant();
    }
  }

  #leave(tenant: string, waiting: Waiting): void {
    const queue = this.#queues.get(tenant);
    queue?.delete(waiting);
    if (queue?.size === 0) this.#queues.delete(tenant);
  }
}
