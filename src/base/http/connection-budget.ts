import { FairSemaphore } from "../core/fair-semaphore.ts";

/** A connection that nobody uses now. */
export interface IdleConnection {
  /** For whom it was opened. */
  readonly tenant: string;
  close(): void;
}

/**
 * How many connections may be open, over all pools that share it: each is a file descriptor and memory, and there are
 * fewer of those than endpoints. Tenants share them as {@link FairSemaphore} has it. Idle ones give way to those that are
 * wanted, a tenant's own first.
 */
export class ConnectionBudget {
  readonly #places: FairSemaphore;
  /** The one that has been idle for longest is first. */
  readonly #idle = new Set<IdleConnection>();

  /** @param connections Infinity: as many as wanted */
  constructor(connections: number) {
    this.#places = new FairSemaphore(connections, "half");
  }

  /** @returns whether the caller may open a connection, and calls {@link release} when that has closed */
  tryAcquire(tenant: string): boolean {
    return this.#places.tryAcquire(tenant);
  }

  /** Resolves when the caller may; see {@link tryAcquire}. @throws the signal's reason */
  async acquire(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryAcquire(tenant)) return;
    const place = this.#places.acquire(tenant, signal);
    this.#closeIdleFor(tenant);
    await place;
  }

  release(tenant: string): void {
    this.#places.release(tenant);
  }

  /** @returns whether it may be kept; false where somebody waits for its place */
  keep(connection: IdleConnection): boolean {
    const isWanted = this.#places.isFullyTaken || this.#places.isWaiting(connection.tenant);
    if (!isWanted) this.#idle.add(connection);
    return !isWanted;
  }

  /** It is used again, or has closed. */
  unkeep(connection: IdleConnection): void {
    this.#idle.delete(connection);
  }

  /** Whoever has more than its part gets room at nobody else's cost. */
  #closeIdleFor(tenant: string): void {
    const [oldest] = this.#idle;
    let idle = this.#places.free === 0 ? oldest : undefined;
    for (const one of this.#idle) {
      if (one.tenant !== tenant) continue;
      idle = one;
      break;
    }
    if (idle === undefined) return;
    this.#idle.delete(idle);
    idle.close();
  }
}
