import type { Clock } from "../../../base/core/clock.ts";

/** For how long a runtime may be silent before instances say so. */
const toleratedMs = 30_000;

/** Whether the runtime responds, learnt from the work that needs it. */
export class RuntimeHealth {
  readonly #clock: Clock;
  readonly #onReturn: () => void;
  #unavailableSinceMs: number | undefined;
  #message = "";

  /** @param onReturn called when the runtime responds again */
  constructor(clock: Clock, onReturn: () => void) {
    this.#clock = clock;
    this.#onReturn = onReturn;
  }

  /** Why the runtime is considered unavailable; undefined while it responds, or has been silent for a short time. */
  get problem(): string | undefined {
    if (this.#unavailableSinceMs === undefined) return undefined;
    return this.#clock.monotonicMs() - this.#unavailableSinceMs >= toleratedMs ? this.#message : undefined;
  }

  /** Why the last call failed, for operators; undefined if it did not. */
  get failure(): string | undefined {
    return this.#unavailableSinceMs === undefined ? undefined : this.#message;
  }

  responded(): void {
    if (this.#unavailableSinceMs === undefined) return;
    this.#unavailableSinceMs = undefined;
    this.#onReturn();
  }

  failed(message: string): void {
    this.#unavailableSinceMs ??= this.#clock.monotonicMs();
    this.#message = message;
  }
}
