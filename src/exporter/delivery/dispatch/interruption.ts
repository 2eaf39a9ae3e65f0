/** A changed plan, or the daemon's shutdown. */
export type InterruptionReason = "edit" | "stop";

/** Ends a cycle early. After an edit the rest is sent differently; after a stop, queued batches are still sent. */
export class Interruption {
  readonly #controller = new AbortController();
  /** Aborts when the cycle is to end. */
  readonly signal = this.#controller.signal;
  #reason: InterruptionReason | undefined;

  /** Undefined until the cycle is to end. */
  get reason(): InterruptionReason | undefined {
    return this.#reason;
  }

  /** Later calls change nothing. */
  begin(reason: InterruptionReason): void {
    this.#reason ??= reason;
    this.#controller.abort();
  }
}
