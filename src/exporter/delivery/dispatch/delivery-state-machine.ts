import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { afterFailure, type DeliveryFailure, type DeliveryState, delivering } from "./delivery-state.ts";
import type { ReceiverMemory } from "./receiver-memory.ts";

export interface DeliveryStateDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly memory: ReceiverMemory;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The delivery state of one sink, with its transitions; see {@link DeliveryState} for what each state means. */
export class DeliveryStateMachine {
  readonly #deps: DeliveryStateDeps;
  #state: DeliveryState = delivering;
  /** A mark of the receiver's memory. */
  #cycleBegan = 0;
  /** The last window had refused samples, and nothing proved that the endpoint accepts any. */
  #isRefused = false;

  constructor(deps: DeliveryStateDeps) {
    this.#deps = deps;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  get isDelivering(): boolean {
    return this.#state.kind === "delivering";
  }

  /** The last cycle ended because samples were refused without a proof. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether the next window sends its first batch alone. A receiver that refuses samples does respond. */
  get isProbing(): boolean {
    return !this.isDelivering && !this.#isRefused;
  }

  /** Whether a cycle has to wait for the end of the backoff. */
  get isPaused(): boolean {
    return this.#state.kind !== "delivering" && this.#deps.clock.monotonicMs() < this.#state.untilMs;
  }

  beginCycle(): void {
    this.#cycleBegan = this.#deps.memory.mark();
  }

  /** Adopts the state from the owner of the sink's last cycle; call between cycles. */
  resume(state: DeliveryState): void {
    this.#state = state;
  }

  /** Ends the backoff: the next cycle probes. */
  retryNow(): void {
    if (this.#state.kind === "delivering") return;
    this.#state = { ...this.#state, untilMs: this.#deps.clock.monotonicMs() };
  }

  /** Requests were delivered, and none failed or was refused without a proof. */
  recover(): void {
    this.#isRefused = false;
    if (this.#state.kind === "delivering") return;
    const { log, sink } = this.#deps;
    log.info({ sink, after: this.#state.kind }, "delivery resumed");
    this.#state = delivering;
  }

  /** Nothing up to the watermark proves that the endpoint accepts anything. */
  refuse(failure: DeliveryFailure, backoffMs: number): void {
    this.#isRefused = true;
    this.backOff(failure, backoffMs);
  }

  /** @param backoffMs the policy's `retry.backoffDuration` */
  backOff(failure: DeliveryFailure, backoffMs: number): void {
    const { sink, memory, clock, random, log } = this.#deps;
    const before = this.#state;
    const nowMs = clock.monotonicMs();
    // Part of a request that fails may be accepted: its rest does not wait longer for that.
    const from = memory.acceptedSince(this.#cycleBegan) ? delivering : before;
    const dueMs = memory.searchDueMs;
    const longestPauseMs = dueMs !== undefined && dueMs > nowMs ? dueMs - nowMs : undefined;
    this.#state = afterFailure(from, { longestPauseMs, ...failure }, backoffMs, nowMs, random());
    // Only a change of state is a warning: a receiver that stays down would log a line for each probe.
    const level = before.kind === this.#state.kind ? "debug" : "warn";
    log[level](
      { sink, deliveryState: this.#state.kind, message: failure.detail ?? failure.message },
      "delivery paused; samples remain in the store and will be retried",
    );
  }
}
