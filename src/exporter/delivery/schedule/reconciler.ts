import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import { runLoop } from "../../../base/core/loop.ts";
import type { Service } from "../../../base/core/service.ts";
import { pause } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import { planChanges } from "../plan/plan-changes.ts";
import { keepForgottenMs, type StateStore } from "../state/sink-state.ts";
import { sinkOfKey } from "../state/state-keys.ts";
import type { Schedule } from "./schedule.ts";

const sweepEveryMs = 600_000;

/** The pause after a reconciliation, as a multiple of its duration; at most `maxRestMs`. */
const restFactor = 20;
const maxRestMs = 2_000;

/** The plans that should run. `subscribe`'s listener is called after each change and returns nothing. */
export interface DesiredPlans {
  plans(): readonly SinkPlan[];
  subscribe(listener: () => void): () => void;
}

interface ReconcilerOptions {
  readonly desired: DesiredPlans;
  readonly schedule: Schedule;
  readonly state: StateStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Reconciles the running sinks with the policies. A sink never starts before its predecessor of the same key
 * has ended; different keys do not wait for each other.
 */
export class Reconciler implements Service {
  readonly name = "reconciler";
  readonly #options: ReconcilerOptions;
  readonly #running = new Map<string, SinkPlan>();
  /** Keys whose previous exporter is still ending. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Keys in the state store without a policy, with the (monotonic) time at which that was first seen. */
  readonly #orphans = new Map<string, number>();

  #restUntilMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const unsubscribe = this.#options.desired.subscribe(() => this.#reconcileSoon(signal));
    try {
      this.#reconcileSoon(signal);
      await pause(clock, sweepEveryMs, [signal]);
      const sweep = async (): Promise<number> => {
        await this.sweep();
        return sweepEveryMs;
      };
      // A shared store may be unavailable; the next sweep tries again.
      const onError = (error: unknown): void =>
        log.warn({ error: describeError(error) }, "old checkpoints could not be swept");
      await runLoop(sweep, { clock, pauseAfterErrorMs: sweepEveryMs, onError }, signal);
    } finally {
      unsubscribe();
    }
  }

  /** Reconciles at once, or, to keep its share of the time small, later with further changes. */
  #reconcileSoon(signal: AbortSignal): void {
    if (this.#isWaiting) return;
    const { clock, log } = this.#options;
    const now = (): void => {
      const startMs = clock.monotonicMs();
      this.reconcile();
      const endMs = clock.monotonicMs();
      this.#restUntilMs = endMs + Math.min(maxRestMs, restFactor * (endMs - startMs));
    };
    const restMs = this.#restUntilMs - clock.monotonicMs();
    if (restMs <= 0) {
      now();
      return;
    }
    this.#isWaiting = true;
    const later = async (): Promise<void> => {
      await clock.sleep(restMs, signal);
      this.#isWaiting = false;
      now();
    };
    later().catch((error: unknown) => {
      if (!signal.aborted)
        log.error({ error: describeError(error) }, "what should run could not be looked at");
    });
  }

  reconcile(): void {
    const { desired, schedule } = this.#options;
    const changes = planChanges(this.#running, desired.plans());
    for (const key of changes.removed) {
      this.#running.delete(key);
      this.#end(key);
    }
    for (const plan of changes.renewed) {
      const key = sinkKey(plan.policy, plan.name);
      this.#running.set(key, plan);
      if (!this.#ending.has(key)) schedule.renew(plan);
    }
    for (const plan of changes.changed) {
      const key = sinkKey(plan.policy, plan.name);
      this.#running.set(key, plan);
      if (!this.#ending.has(key)) schedule.change(plan);
    }
    for (const plan of changes.started) {
      const key = sinkKey(plan.policy, plan.name);
      this.#running.set(key, plan);
      // Otherwise starts once the old one has ended, with the plan current at that time.
      if (!this.#ending.has(key)) schedule.start(plan);
    }
  }

  #end(key: string): void {
    const { schedule, log } = this.#options;
    const ended = (this.#ending.get(key) ?? Promise.resolve())
      .then(() => schedule.remove(key))
      .catch((error: unknown) =>
        log.error({ sink: key, error: describeError(error) }, "a sink did not end in order"),
      )
      .then(() => {
        if (this.#ending.get(key) !== ended) return;
        this.#ending.delete(key);
        const plan = this.#running.get(key);
        if (plan !== undefined) schedule.start(plan);
      });
    this.#ending.set(key, ended);
  }

  /** Forgets sinks without a policy for 24 hours (counted from the daemon's start at the earliest). */
  async sweep(): Promise<void> {
    const { state, clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    const known = await state.sinks();
    const orphans = new Set(known.filter((key) => !this.#running.has(sinkOfKey(key))));
    for (const key of this.#orphans.keys()) if (!orphans.has(key)) this.#orphans.delete(key);
    for (const key of orphans) {
      const sinceMs = this.#orphans.get(key) ?? nowMs;
      this.#orphans.set(key, sinceMs);
      if (nowMs - sinceMs < keepForgottenMs) continue;
      await state.forget(key);
      this.#orphans.delete(key);
      log.info({ sink: key }, "the checkpoints of a sink without a policy are forgotten");
    }
  }
}
