/**
 * Bounds what all sinks together hold in requests, those in the making and those that wait to be sent. One half of the
 * limit is shared by whoever comes first; the other half is divided into equal quotas, so that sinks whose receivers hang
 * cannot take the memory that a healthy one needs. Together: never more than the limit, and one request a sink beyond it.
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
    let waitingBytes = 0;
    let draftBytes = 0;
    let isClosed = false;
    const isBeyondQuota = (bytes: number) =>
      this.#usedBytes >= this.limitBytes / 2 && bytes >= this.limitBytes / 2 / Math.max(1, this.#shares);
    return {
      hold: (bytes) => {
        waitingBytes += bytes;
        this.#usedBytes += bytes;
      },
      release: (bytes) => {
        waitingBytes -= bytes;
        this.#usedBytes -= bytes;
      },
      draft: (changeBytes) => {
        draftBytes += changeBytes;
        this.#usedBytes += changeBytes;
      },
      isSpent: () => isBeyondQuota(waitingBytes),
      isCrowded: () => isBeyondQuota(waitingBytes + draftBytes),
      heldBytes: () => waitingBytes + draftBytes,
      close: () => {
        if (isClosed) return;
        isClosed = true;
        this.#shares--;
        this.#usedBytes -= waitingBytes + draftBytes;
        waitingBytes = 0;
        draftBytes = 0;
      },
    };
  }
}

/** One sink's part of the budget. */
export interface BudgetShare {
  /** A request waits to be sent. */
  hold(bytes: number): void;
  release(bytes: number): void;
  /** The memory of the requests in the making has changed, by a negative number when it was given back. */
  draft(changeBytes: number): void;
  /** True when the sink has to send before it may read on. */
  isSpent(): boolean;
  /** True when it has to finish the requests in the making: compressed, they take a fraction. */
  isCrowded(): boolean;
  heldBytes(): number;
  close(): void;
}
