import { randomUUID } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { runScript } from "../../../base/redis/run-script.ts";
import type { SinkStates } from "../state/sink-states.ts";
import { aheadKey, lateKey, sinkOfKey } from "../state/state-keys.ts";
import { fleetKeys } from "./keys.ts";
import type { RedisState } from "./redis-state.ts";
import { readEpoch } from "./scripts.ts";
import { takeSinkLease } from "./sink-lease.ts";

/**
 * No replica runs a cycle for this long after the first of them found Redis empty: every replica must have
 * noticed it by then, and have restored its state.
 */
const graceMs = 5_000;
/** Number of sinks whose state is restored at a time. */
const restoreAtOnce = 20;

interface RedisEpochOptions {
  readonly state: RedisState;
  readonly mirror: SinkStates;
  readonly replica: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Detects that Redis was replaced or wiped: its epoch is then unknown to this replica. If the epoch is new,
 * the replica restores its own state to Redis.
 */
export class RedisEpoch {
  readonly #options: RedisEpochOptions;
  #known = "";
  #checking: Promise<void> | undefined;
  /** Monotonic time. */
  #graceUntilMs = 0;

  constructor(options: RedisEpochOptions) {
    this.#options = options;
  }

  /** The epoch that was found last; "" if none. */
  get known(): string {
    return this.#known;
  }

  /** Time in ms during which this replica may not run a cycle; 0 or less when there is no restriction. */
  get restMs(): number {
    return this.#graceUntilMs - this.#options.clock.monotonicMs();
  }

  /** @throws whatever Redis rejects with */
  check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #look(): Promise<void> {
    const { state } = this.#options;
    const reply = await runScript(state.connection, readEpoch, [fleetKeys.epoch], [randomUUID()]);
    const [epoch, ageMs] = reply as [string, number];
    if (epoch === this.#known) return;
    if (ageMs < graceMs) await this.#restoreAll(graceMs - ageMs);
    this.#known = epoch;
  }

  async #restoreAll(restMs: number): Promise<void> {
    const { clock, log, mirror } = this.#options;
    this.#graceUntilMs = clock.monotonicMs() + restMs;
    const sinks = [...new Set((await mirror.sinks()).map(sinkOfKey))];
    log.info({ sinks: sinks.length }, "Redis is empty; restoring the checkpoints of the state directory");
    const restoring = Array.from({ length: restoreAtOnce }, async () => {
      for (let sink = sinks.pop(); sink !== undefined; sink = sinks.pop()) await this.#restore(sink);
    });
    await Promise.all(restoring);
  }

  async #restore(sink: string): Promise<void> {
    const { state, clock, replica } = this.#options;
    const outcome = await takeSinkLease(sink, {
      redis: state.connection,
      clock,
      replica,
      respectBackoff: false,
    });
    // The lease's holder restores its own state; newer state of this replica is merged when it runs a cycle.
    if (outcome.kind !== "taken") return;
    const { lease } = outcome;
    try {
      await state.begin(lease);
      await state.load(lateKey(sink));
      await state.load(aheadKey(sink));
    } finally {
      state.end(lease);
      await lease.release(lease.deliveryState);
    }
  }
}
