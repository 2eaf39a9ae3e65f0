import type { Clock } from "../../base/core/clock.ts";
import type { SinkPlan } from "../policy/spec/types.ts";
import type { Destination, InvalidEndpoint } from "../remote-write/destination.ts";
import type { AttemptHook } from "../remote-write/send/outcome.ts";
import type { ReceiverMemory } from "./dispatch/receiver-memory.ts";
import { ReceiverRecord } from "./dispatch/receiver-record.ts";
import type { StateStore } from "./state/sink-state.ts";
import type { SinkStats } from "./stats/sink-stats.ts";

export interface DestinationHooks {
  /** Aborts to end the pauses between attempts. */
  readonly interrupt: () => AbortSignal;
  /** Called before each repeated attempt. */
  readonly onRetry?: () => void;
  readonly onAttempt?: AttemptHook;
  /** Asked right before each request is written; false prevents it. */
  readonly maySend?: () => boolean;
}

export interface SinkConnectionDeps {
  readonly state: StateStore;
  readonly clock: Clock;
  /** Set in a fleet: whether the sink's lease is still valid. */
  readonly maySend?: () => boolean;
  /** Connects to a plan's endpoint. */
  destinationOf(plan: SinkPlan, hooks: DestinationHooks): Destination | InvalidEndpoint;
}

/**
 * A sink's connection to its receiver. It is open only while a cycle runs: it keeps nothing between cycles,
 * and idle sinks stay small (bench/small-policies.ts). What was learned about the receiver is stored when it
 * closes.
 */
export class SinkConnection {
  /** The sink's key. */
  readonly #key: string;
  readonly #deps: SinkConnectionDeps;
  readonly #stats: SinkStats;
  readonly #memory: ReceiverMemory;
  readonly #record = new ReceiverRecord();
  #destination: Destination | undefined;
  #isRestored = false;

  constructor(key: string, deps: SinkConnectionDeps, stats: SinkStats, memory: ReceiverMemory) {
    this.#key = key;
    this.#deps = deps;
    this.#stats = stats;
    this.#memory = memory;
  }

  /** The receiver, once `open` has connected to it. */
  get destination(): Destination | undefined {
    return this.#destination;
  }

  /** @param interrupt the cycle's; see {@link DestinationHooks} */
  open(plan: SinkPlan, interrupt: AbortSignal): Destination | InvalidEndpoint {
    if (this.#destination !== undefined) return this.#destination;
    const { clock, maySend } = this.#deps;
    const destination = this.#deps.destinationOf(plan, {
      interrupt: () => interrupt,
      onRetry: () => {
        this.#stats.retries++;
      },
      ...(maySend && { maySend }),
      onAttempt: () => {
        const end = this.#stats.beginAttempt(clock.nowMs());
        return (verdict) => end(verdict, clock.nowMs());
      },
    });
    if (destination.kind === "destination") this.#destination = destination;
    return destination;
  }

  /** Restores, in the first cycle of this process, what was learned about the receiver before. */
  async restore(plan: SinkPlan, destination: Destination): Promise<void> {
    if (this.#isRestored) return;
    this.#isRestored = true;
    const { state, clock } = this.#deps;
    const { receiver } = await state.load(this.#key);
    ReceiverRecord.restore(receiver, plan, this.#memory, destination.state, clock.monotonicMs());
  }

  /** Stores what was learned about the receiver, and disconnects. Call at the end of each cycle. */
  async close(plan: SinkPlan): Promise<void> {
    const destination = this.#destination;
    if (destination === undefined) return;
    const { state, clock } = this.#deps;
    this.#destination = undefined;
    try {
      const text = this.#record.next(plan, this.#memory, destination.state, clock.monotonicMs());
      if (text !== undefined) await state.setReceiver(this.#key, text);
    } finally {
      // The store rejects the write of a lost lease, and the next cycle has an interrupt of its own.
      await destination.sender.close();
    }
  }
}
