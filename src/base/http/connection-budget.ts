import { FairSemaphore } from "../core/fair-semaphore.ts";

/** A connection without an exchange. */
export interface IdleConnection {
  /** The tenant it was opened for. */
  readonly tenant: string;
  close(): void;
}

/**
 * The limit of open connections over all pools that share it: each costs a file descriptor and memory, and
 * there may be more endpoints than those allow. Tenants share it by the rules of {@link FairSemaphore}. When
 * a connection is wanted, an idle one is closed for it, a tenant's own first.
 */
export class ConnectionBudget {
  readonly #places: FairSemaphore;
  /** The one idle for longest comes first. */
  readonly #idle = new Set<IdleConnection>();

  /** @param connections Infinity for no limit */
  constructor(connections: number) {
    this.#places = new FairSemaphore(connections, "half");
  }

  /** @returns whether the caller may open a connection; it calls {@link release} when that has closed */
  tryAcquire(tenant: string): boolean {
    return this.#places.tryAcquire(tenant);
  }

  /** Resolves when the caller may open a connection; see {@link tryAcquire}. @throws the signal's reason */
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

  /** @returns whether the connection may be kept; false when a request waits for its place */
  keep(connection: IdleConnection): boolean {
    const isWanted = this.#places.isFullyTaken || this.#places.isWaiting(connection.tenant);
    if (!isWanted) this.#idle.add(connection);
    return !isWanted;
  }

  /** The connection is in use again, or has closed. */
  unkeep(connection: IdleConnection): void {
    this.#idle.delete(connection);
  }

  /** Prefers the tenant's own idle connection; another tenant's is closed only when no place is free. */
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
