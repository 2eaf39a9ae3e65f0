/** Counters shared by all shares of a budget. */
interface BudgetUse {
  readonly limitBytes: number;
  usedBytes: number;
  shares: number;
}

/**
 * Limits the memory of all sinks' requests, both open batches and requests waiting to be sent. One half of
 * the limit is shared, first come, first served. The other half is divided into equal quotas, so that sinks
 * with hanging receivers cannot take the memory that a healthy sink needs. The total never exceeds the limit
 * by more than one request per sink.
 */
export class MemoryBudget {
  readonly #use: BudgetUse;

  constructor(limitBytes: number) {
    this.#use = { limitBytes, usedBytes: 0, shares: 0 };
  }

  get limitBytes(): number {
    return this.#use.limitBytes;
  }

  get usedBytes(): number {
    return this.#use.usedBytes;
  }

  /** Opens a sink's share; close it with the sink. */
  openShare(): BudgetShare {
    return new BudgetShare(this.#use);
  }
}

/** One sink's share of the budget. */
export class BudgetShare {
  readonly #use: BudgetUse;
  #waitingBytes = 0;
  #openBytes = 0;
  #isClosed = false;

  constructor(use: BudgetUse) {
    this.#use = use;
    use.shares++;
  }

  /** Accounts for a request that waits to be sent. */
  hold(bytes: number): void {
    this.#waitingBytes += bytes;
    this.#use.usedBytes += bytes;
  }

  release(bytes: number): void {
    this.hold(-bytes);
  }

  /** Accounts for a change in the memory of open batches; negative when memory was released. */
  growOpenBatches(changeBytes: number): void {
    this.#openBytes += changeBytes;
    this.#use.usedBytes += changeBytes;
  }

  /** True when the sink has to send before it may read more. */
  isSpent(): boolean {
    return this.#isBeyondQuota(this.#waitingBytes);
  }

  /** True when the sink has to finish its open batches: compressed, they need a fraction of the memory. */
  isCrowded(): boolean {
    return this.#isBeyondQuota(this.heldBytes());
  }

  heldBytes(): number {
    return this.#waitingBytes + this.#openBytes;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#use.shares--;
    this.#use.usedBytes -= this.heldBytes();
    this.#waitingBytes = 0;
    this.#openBytes = 0;
  }

  #isBeyondQuota(bytes: number): boolean {
    const { limitBytes, usedBytes, shares } = this.#use;
    return usedBytes >= limitBytes / 2 && bytes >= limitBytes / 2 / Math.max(1, shares);
  }
}
