/**
 * Bounds what all sinks together hold in compressed requests that wait to be sent. One half of the limit is shared by
 * whoever comes first; the other half is divided into equal quotas, so that sinks whose receivers hang cannot take
 * the memory that a healthy one needs. Together: never more than the limit, and one request a sink beyond it.
 */
export class MemoryBudget {
  readonly limitBytes: number;
  #usedBytes = 0;
  #shares = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** A sink's part; to be closed with the sink. */
  openShare(): BudgetShare {
    this.#shares++;
    let heldBytes = 0;
    let isClosed = false;
    return {
      hold: (bytes) => {
        heldBytes += bytes;
        this.#usedBytes += bytes;
      },
      release: (bytes) => {
        heldBytes -= bytes;
        this.#usedBytes -= bytes;
      },
      isSpent: () =>
        this.#usedBytes >= this.limitBytes / 2 &&
        heldBytes >= this.limitBytes / 2 / Math.max(1, this.#shares),
      heldBytes: () => heldBytes,
      close: () => {
        if (isClosed) return;
        isClosed = true;
        this.#shares--;
        this.#usedBytes -= heldBytes;
        heldBytes = 0;
      },
    };
  }
}

/** One sink's part of the budget. */
export interface BudgetShare {
  hold(bytes: number): void;
  release(bytes: number): void;
  /** True when the sink has to send before it may read on. */
  isSpent(): boolean;
  heldBytes(): number;
  close(): void;
}
