import { isDeepStrictEqual } from "node:util";
import type { NoStore, SinkStore } from "../metrics-store/sink-store.ts";
import { type SinkPlan, sinkKey } from "../policy/spec/types.ts";
import { KnownCollisions } from "../remote-write/encoding/known-collisions.ts";
import type { MemoryBudget } from "./batch/memory-budget.ts";
import { Cycle, type CycleDeps, type CycleEnd, type SinkParts } from "./cycle.ts";
import { currentState } from "./delivering-condition.ts";
import type { DeliveryState } from "./dispatch/delivery-state.ts";
import { DeliveryStateMachine } from "./dispatch/delivery-state-machine.ts";
import type { Interruption } from "./dispatch/interruption.ts";
import { ReceiverMemory } from "./dispatch/receiver-memory.ts";
import { SentExemplars } from "./exemplars/sent-exemplars.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";
import { SinkMetadata } from "./metadata/sink-metadata.ts";
import { onGrid, untilGrid } from "./plan/cycle-times.ts";
import { isSamePlan } from "./plan/plan-changes.ts";
import { WindowPlanner } from "./plan/window-planner.ts";
import { SinkConnection, type SinkConnectionDeps } from "./sink-connection.ts";
import { SourceErrors } from "./source-errors.ts";
import { StateTimes, type TimedState } from "./state-times.ts";
import { SinkStats } from "./stats/sink-stats.ts";

/** Dependencies shared by all exporters of a daemon. */
export interface ExporterDeps extends CycleDeps, SinkConnectionDeps {
  readonly budget: MemoryBudget;
  readonly random: () => number;
  /** The store that a plan is read from. Never the store of another tenant, or of none. */
  storeOf(plan: SinkPlan): SinkStore | NoStore;
}

/**
 * Delivers one sink's sources to its receiver, cycle by cycle. See `delivery-state.ts` for its behaviour
 * while the receiver fails.
 */
export class Exporter {
  readonly key: string;
  readonly #deps: ExporterDeps;
  readonly #sink: SinkParts;
  readonly #times: StateTimes;
  #plan: SinkPlan;

  constructor(plan: SinkPlan, deps: ExporterDeps) {
    const { clock, random, log } = deps;
    const key = sinkKey(plan.policy, plan.name);
    const stats = new SinkStats(clock.monotonicMs());
    const memory = new ReceiverMemory(clock);
    this.key = key;
    this.#plan = plan;
    this.#deps = deps;
    this.#sink = {
      key,
      stats,
      memory,
      share: deps.budget.openShare(),
      connection: new SinkConnection(key, deps, stats, memory),
      delivery: new DeliveryStateMachine({ sink: key, memory, clock, random, log }),
      collisions: new KnownCollisions(),
      planner: new WindowPlanner(key, plan, deps, stats),
      sourceErrors: new SourceErrors(key, log),
      metadata: new SinkMetadata(),
      exemplars: deps.settings.exemplars === true ? new SentExemplars() : undefined,
      states: { settle: () => this.#settleState(), note: () => this.#noteState() },
      triedPlan: undefined,
    };
    this.#times = new StateTimes(this.#stateNow(), clock.nowMs());
  }

  get plan(): SinkPlan {
    return this.#plan;
  }

  get periodMs(): number {
    return this.#sink.planner.periodMs;
  }

  /**
   * Applies a changed plan; call between cycles. A failing sink retries at once, unless only the generation
   * differs.
   */
  change(plan: SinkPlan): void {
    const receiverOf = ({ endpoint, credentials, headers }: SinkPlan) => ({ endpoint, credentials, headers });
    if (!isDeepStrictEqual(receiverOf(this.#plan), receiverOf(plan))) this.#sink.memory.forget();
    const isSame = isSamePlan(this.#plan, plan);
    this.#settleState();
    this.#plan = plan;
    this.#sink.planner.change(plan);
    this.#noteState();
    if (isSame) return;
    this.#sink.metadata.change();
    this.#sink.delivery.retryNow();
  }

  /** Adopts the delivery state from the owner of the sink's last cycle; call between cycles. */
  resume(deliveryState: DeliveryState): void {
    this.#settleState();
    this.#sink.delivery.resume(deliveryState);
    this.#noteState();
  }

  /** Call after the last cycle. */
  close(): void {
    this.#sink.share.close();
  }

  /**
   * Runs windows until everything up to the watermark is delivered, the receiver or the source fails, or the
   * cycle is interrupted. `signal` ends everything at once.
   */
  async cycle(interruption: Interruption, signal: AbortSignal): Promise<CycleEnd> {
    this.#settleState();
    this.#sink.delivery.beginCycle();
    try {
      const end = await this.#runCycle(interruption, signal);
      if (end !== "interrupted") this.#sink.triedPlan = this.#plan;
      return end;
    } finally {
      await this.#sink.connection.close(this.#plan);
      this.#sink.stats.endCycle();
      this.#noteState();
    }
  }

  async #runCycle(interruption: Interruption, signal: AbortSignal): Promise<CycleEnd> {
    const { delivery, planner, sourceErrors } = this.#sink;
    if (this.#plan.paused || delivery.isPaused) return "waiting";
    const store = this.#deps.storeOf(this.#plan);
    if (store.kind === "none") {
      sourceErrors.noteNoStore(this.#plan, store.message);
      return "source-failed";
    }
    const nowMs = await this.#storeNow(store, signal);
    if (typeof nowMs === "string") {
      sourceErrors.noteUnreadable(this.#plan, nowMs);
      return "source-failed";
    }
    await planner.begin(nowMs, store);
    return await new Cycle(this.#plan, this.#sink, store, this.#deps, { interruption, signal }).run();
  }

  #nextAttemptMs(): number | undefined {
    const { state } = this.#sink.delivery;
    if (state.kind === "delivering") return undefined;
    const { clock } = this.#deps;
    return clock.nowMs() + Math.max(0, state.untilMs - clock.monotonicMs());
  }

  #settleState(): void {
    this.#times.settle(this.#stateNow(), this.#deps.clock.nowMs());
  }

  #noteState(): void {
    this.#times.note(this.#stateNow(), this.#deps.clock.nowMs());
  }

  #stateNow(): TimedState {
    return currentState(this.snapshot(), this.#deps.clock.nowMs());
  }

  snapshot(): ExporterSnapshot {
    const sources = this.#plan.sources.map(({ name }) => ({
      name,
      checkpointMs: this.#sink.planner.checkpointMs(name),
      error: this.#sink.sourceErrors.get(name),
    }));
    return {
      plan: this.#plan,
      triedPlan: this.#sink.triedPlan,
      deliveryState: this.#sink.delivery.state,
      sources,
      lagMs: this.#sink.planner.lagMs(),
      behindMs: this.#sink.planner.behindMs(),
      keptMs: this.#sink.planner.keptMs(),
      nextAttemptMs: this.#nextAttemptMs(),
      periodMs: this.periodMs,
      stats: this.#sink.stats,
      times: this.#times,
    };
  }

  /** The current time by the store's clock, on the grid of window ends; or the reason why it is unknown. */
  async #storeNow({ reader, probe }: SinkStore, signal: AbortSignal): Promise<number | string> {
    const { settings, clock } = this.#deps;
    const problem = reader.storeNowMs() === undefined ? await probe(signal) : undefined;
    let nowMs = reader.storeNowMs();
    // Cycles start on the grid, and the known store time is a lower bound, slightly behind. Without this
    // pause the window would end a whole step earlier than it can.
    const pauseMs = nowMs === undefined ? undefined : untilGrid(nowMs, settings.windowGridMs);
    if (pauseMs !== undefined) {
      await clock.sleep(pauseMs, signal);
      nowMs = reader.storeNowMs();
    }
    if (nowMs !== undefined) return onGrid(nowMs, settings.windowGridMs);
    return problem ?? "the metrics store's time is unknown (no Date header in its responses)";
  }
}
