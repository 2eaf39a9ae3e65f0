import type { Clock } from "../../base/core/clock.ts";
import type { ReadFailure, ReadFailureReason } from "./client/read-failure.ts";

/** Why the metrics store cannot be read. Times are Unix ms. */
export interface StoreTroubleView {
  /** When the first of the failures ended. */
  readonly sinceMs: number;
  /** When the last one did. */
  readonly atMs: number;
  readonly message: string;
}

/** Failures of one query that the store can be read for nevertheless. */
const ofQuery: ReadonlySet<ReadFailureReason> = new Set([
  "bad_request",
  "answer_too_large",
  "malformed_line",
  "tenant_violation",
  "unsupported_selector",
] satisfies ReadFailureReason[]);

/** Nothing has been read for so long: the sinks are paused or gone, and the failures say nothing about now. */
const forgetAfterMs = 15 * 60_000;

/** The failures of all reads since the last one that had a response in full. */
export class StoreTrouble {
  readonly #clock: Clock;
  #trouble: StoreTroubleView | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes how a read ended. */
  note(end: ReadFailure | { readonly kind: "complete" | "flavor" }): void {
    if (end.kind !== "failed" || ofQuery.has(end.reason)) {
      this.#trouble = undefined;
      return;
    }
    const atMs = this.#clock.nowMs();
    this.#trouble = { sinceMs: this.get()?.sinceMs ?? atMs, atMs, message: end.message };
  }

  /** Undefined while the store can be read. */
  get(): StoreTroubleView | undefined {
    const trouble = this.#trouble;
    return trouble !== undefined && this.#clock.nowMs() - trouble.atMs < forgetAfterMs ? trouble : undefined;
  }
}
