/** What all shares of a budget count in. */
interface BudgetUse {
  readonly limitBytes: number;
  usedBytes: number;
  shares: number;
}

/**
 * Bounds what all sinks together hold in requests, those in the making and those that wait to be sent. One half of the
 * limit is shared by whoever comes first; the other half is divided into equal quotas, so that sinks whose receivers hang
 * cannot take the memory that a healthy one needs. Together: never more than the limit, and one request a sink beyond it.
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

  /** A sink's part; to be closed with the sink. */
  openShare(): BudgetShare {
    return new BudgetShare(this.#use);
  }
}

/** One sink's part of the budget. */
export class BudgetShare {
  readonly #use: BudgetUse;
  #waitingBytes = 0;
  #draftBytes = 0;
  #isClosed = false;

  constructor(use: BudgetUse) {
    this.#use = use;
    use.shares++;
  }

  /** A request waits to be sent. */
  hold(bytes: number): void {
    this.#waitingBytes += bytes;
    this.#use.usedBytes += bytes;
  }

  release(bytes: number): void {
    this.hold(-bytes);
  }

  /** The memory of the requests in the making has changed, by a negative number when it was given back. */
  growOpenBatches(changeBytes: number): void {
    this.#draftBytes += changeBytes;
    this.#use.usedBytes += changeBytes;
  }

  /** True when the sink has to send before it may read on. */
  isSpent(): boolean {
    return this.#isBeyondQuota(this.#waitingBytes);
  }

  /** True when it has to finish the requests in the making: compressed, they take a fraction. */
  isCrowded(): boolean {
    return this.#isBeyondQuota(this.heldBytes());
  }

  heldBytes(): number {
    return this.#waitingBytes + this.#draftBytes;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#use.shares--;
    this.#use.usedBytes -= this.heldBytes();
    this.#waitingBytes = 0;
    this.#draftBytes = 0;
  }

  #isBeyondQuota(bytes: number): boolean {
    const { limitBytes, usedBytes, shares } = this.#use;
    return usedBytes >= limitBytes / 2 && bytes >= limitBytes / 2 / Math.max(1, shares);
  }
}
