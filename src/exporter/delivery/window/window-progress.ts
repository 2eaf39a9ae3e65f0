import { Deferred } from "../../../base/core/deferred.ts";
import type { WindowCost } from "../plan/next-window.ts";

/** Whether the receiver took a window's requests about as quickly as they were read. */
export type Pace = "kept up" | "fell behind";

/**
 * How far one run of a window has come. Its steps are the methods from {@link hasBatch} to {@link end}, in
 * this order; each concludes those before it, so that nothing waits for a step that was passed over.
 */
export class WindowProgress {
  readonly #predecessorClosed = new Deferred<boolean>();
  readonly #reading = new AbortController();
  readonly #firstBatch = new Deferred<boolean>();
  readonly #cost = new Deferred<WindowCost | undefined>();
  readonly #pace = new Deferred<Pace | undefined>();

  /** Until it resolves, nothing is sent; and nothing at all if it resolves to false. */
  get predecessorClosed(): Promise<boolean> {
    return this.#predecessorClosed.promise;
  }

  /** Aborts when reading is to stop. */
  get reading(): AbortSignal {
    return this.#reading.signal;
  }

  /** The cost of the reading once that has ended; undefined when it was cut off. */
  get cost(): Promise<WindowCost | undefined> {
    return this.#cost.promise;
  }

  /** Known when few batches of a window that was read completely are left; otherwise undefined. */
  get pace(): Promise<Pace | undefined> {
    return this.#pace.promise;
  }

  /** Resolves as soon as the next window may be read; to false when it may not. */
  async mayReadNext(keepsUp: boolean): Promise<boolean> {
    return (keepsUp && (await this.#firstBatch.promise)) || (await this.pace) !== undefined;
  }

  maySend(): void {
    this.#predecessorClosed.resolve(true);
  }

  stopReading(): void {
    this.#reading.abort();
  }

  /** Stops reading; what was not sent yet will not be, if the predecessor is not closed. */
  abandon(): void {
    this.stopReading();
    this.#predecessorClosed.resolve(false);
  }

  /** The last source has its first batch. */
  hasBatch(): void {
    this.#firstBatch.resolve(true);
  }

  hasRead(cost: WindowCost | undefined): void {
    this.#firstBatch.resolve(false);
    this.#cost.resolve(cost);
  }

  nearlyDelivered(pace: Pace | undefined): void {
    this.hasRead(undefined);
    this.#pace.resolve(pace);
  }

  end(): void {
    this.nearlyDelivered(undefined);
  }
}
