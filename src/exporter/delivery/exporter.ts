import type { NoStore, SinkStore } from "../metrics-store/sink-store.ts";
import { type SinkPlan, sinkKey } from "../policy/spec/types.ts";
import { KnownCollisions } from "../remote-write/encoding/known-collisions.ts";
import type { Destination, InvalidEndpoint } from "../remote-write/endpoint/endpoints.ts";
import type { AttemptHook } from "../remote-write/send/outcome.ts";
import type { MemoryBudget } from "./batch/memory-budget.ts";
import { SentExemplars } from "./exemplars/sent-exemplars.ts";
import type { MetricNames } from "./metadata/metric-names.ts";
import { SinkMetadata } from "./metadata/sink-metadata.ts";
import { onGrid, untilGrid } from "./plan/cycle-times.ts";
import type { PlannedWindow } from "./plan/planned-windows.ts";
import { WindowPlanner, type WindowPlannerDeps, type WindowSettings } from "./plan/window-planner.ts";
import { readOwner } from "./read-owner.ts";
import { afterFailure, type DeliveryFailure, type DeliveryState, delivering } from "./send/delivery-state.ts";
import type { RejectedSamples } from "./send/receiver.ts";
import { SinkRecorder } from "./sink-recorder.ts";
import { SinkStats } from "./sink-stats.ts";
import { SourceErrors } from "./source-errors.ts";
import { ReadAhead } from "./window/read-ahead.ts";
import { SourceReader } from "./window/source-reader.ts";
import type { WindowExportDeps, WindowResult } from "./window/window-export.ts";

/** Settings of `metrics` and `delivery` that an exporter needs; times in ms. */
export interface ExportSettings extends WindowSettings {
  readonly laneCount: number;
  readonly onExhausted: "replay" | "drop";
  /** Whether exemplars are sent (`metrics.exemplars`). */
  readonly exemplars?: boolean;
}

/** Dependencies shared by all exporters of a daemon. */
export interface ExporterDeps extends WindowPlannerDeps {
  readonly rejected: RejectedSamples;
  readonly budget: MemoryBudget;
  readonly settings: ExportSettings;
  readonly random: () => number;
  /** The store that a plan is read from. Never the store of another tenant, or of none. */
  storeOf(plan: SinkPlan): SinkStore | NoStore;
  /** Connects to a plan's endpoint. */
  destinationOf(plan: SinkPlan, hooks: DestinationHooks): Destination | InvalidEndpoint;
}

export interface DestinationHooks {
  /** Aborts to end the pauses between attempts. */
  readonly interrupt: () => AbortSignal;
  /** Called before each repeated attempt. */
  readonly onRetry?: () => void;
  readonly onAttempt?: AttemptHook;
}

/** A source of a sink, as the status shows it. */
export interface SourceProgress {
  readonly name: string;
  readonly checkpointMs: number | undefined;
  readonly error: string | undefined;
}

export interface ExporterSnapshot {
  readonly plan: SinkPlan;
  /** The plan that the delivery state tells of: the last one of which something was delivered, or failed. */
  readonly triedPlan?: SinkPlan | undefined;
  readonly deliveryState: DeliveryState;
  readonly sources: readonly SourceProgress[];
  /** The watermark minus the oldest checkpoint; undefined before the first cycle. */
  readonly lagMs: number | undefined;
  readonly periodMs: number;
  readonly stats: SinkStats;
}

export type CycleEnd = "up-to-date" | "waiting" | "source-failed" | "interrupted";

/**
 * Delivers one sink's sources to its receiver, cycle by cycle. A cycle runs windows until everything up to
 * the watermark is delivered. See `delivery-state.ts` for its behaviour while the receiver fails.
 */
export class Exporter {
  readonly key: string;
  readonly #deps: ExporterDeps;
  readonly #share;
  readonly #stats: SinkStats;
  #plan: SinkPlan;
  #triedPlan: SinkPlan | undefined;
  /**
   * Set only while a cycle runs: it keeps nothing between cycles, and idle sinks stay small
   * (bench/small-policies.ts).
   */
  #destination: Destination | undefined;
  #interrupt: AbortSignal = neverAborted;
  readonly #rejections = { isHopeless: false };
  readonly #collisions = new KnownCollisions();
  #deliveryState: DeliveryState = delivering;
  readonly #planner: WindowPlanner;
  readonly #sourceErrors: SourceErrors;
  readonly #metadata = new SinkMetadata();
  readonly #exemplars: SentExemplars | undefined;

  constructor(plan: SinkPlan, deps: ExporterDeps) {
    this.key = sinkKey(plan.policy, plan.name);
    this.#plan = plan;
    this.#deps = deps;
    this.#share = deps.budget.openShare();
    this.#stats = new SinkStats(deps.clock.monotonicMs());
    this.#planner = new WindowPlanner(this.key, plan, deps, this.#stats);
    this.#sourceErrors = new SourceErrors(this.key, deps.log);
    this.#exemplars = deps.settings.exemplars === true ? new SentExemplars() : undefined;
  }

  get plan(): SinkPlan {
    return this.#plan;
  }

  get periodMs(): number {
    return this.#planner.periodMs;
  }

  /** Applies a changed plan; call between cycles. A failing sink retries at once. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    this.#planner.change(plan);
    this.#metadata.change();
    if (this.#deliveryState.kind !== "delivering") {
      this.#deliveryState = { ...this.#deliveryState, untilMs: this.#deps.clock.monotonicMs() };
    }
  }

  /** Adopts the delivery state from the owner of the sink's last cycle; call between cycles. */
  resume(deliveryState: DeliveryState): void {
    this.#deliveryState = deliveryState;
  }

  /** Call after the last cycle. */
  close(): void {
    this.#share.close();
  }

  /**
   * Runs windows until everything up to the watermark is delivered, the receiver or the source fails, or
   * `interrupt` aborts. The reason of `interrupt` is an Interruption: after "stop", the open batches get one
   * attempt. `signal` ends everything at once.
   */
  async cycle(interrupt: AbortSignal, signal: AbortSignal): Promise<CycleEnd> {
    this.#interrupt = interrupt;
    try {
      const end = await this.#runWindows(interrupt, signal);
      if (end !== "interrupted") this.#triedPlan = this.#plan;
      return end;
    } finally {
      this.#interrupt = neverAborted;
      await this.#disconnect();
      this.#stats.endCycle();
    }
  }

  async #runWindows(interrupt: AbortSignal, signal: AbortSignal): Promise<CycleEnd> {
    if (this.#plan.paused) return "waiting";
    if (
      this.#deliveryState.kind !== "delivering" &&
      this.#deps.clock.monotonicMs() < this.#deliveryState.untilMs
    )
      return "waiting";
    const store = this.#deps.storeOf(this.#plan);
    if (store.kind === "none") {
      this.#sourceErrors.noteNoStore(this.#plan, store.message);
      return "source-failed";
    }
    const nowMs = await this.#storeNow(store, signal);
    if (typeof nowMs === "string") {
      this.#sourceErrors.noteUnreadable(this.#plan, nowMs);
      return "source-failed";
    }
    await this.#planner.begin(nowMs, store);
    const failed = new Set<string>();
    let windows: ReadAhead | undefined;
    let names: MetricNames | undefined;
    try {
      for (;;) {
        if (interrupt.aborted || signal.aborted) return "interrupted";
        const planned = (await windows?.ahead()) ?? (await this.#planner.next(failed, signal));
        if (planned === undefined) {
          if (names !== undefined) await this.#sendMetadata(names, store, [interrupt, signal]);
          return failed.size > 0 ? "source-failed" : "up-to-date";
        }
        const destination = this.#destinationOf();
        if (destination.kind === "invalid") {
          this.#backOff({ kind: "forbidden", message: destination.message });
          return "waiting";
        }
        if (windows === undefined) {
          names = this.#beginMetadata(store, destination);
          const deps = this.#exportDeps(store, destination, names);
          windows = new ReadAhead(this.#planner, deps, { interrupt, signal });
        }
        const isProbe = this.#deliveryState.kind !== "delivering";
        const result = await windows.run(planned, { isProbe, failed });
        if (result.requestsWithResponse > 0 && result.failure === undefined) this.#recover();
        if (planned.late === undefined) this.#noteErrors(planned, result, failed);
        if (result.kind === "interrupted") {
          this.#keepTrouble();
          return "interrupted";
        }
        // A sink that catches up has a long cycle.
        this.#triedPlan = this.#plan;
        if (result.failure !== undefined) {
          this.#backOff(result.failure);
          return "waiting";
        }
      }
    } finally {
      await windows?.giveUp();
    }
  }

  /** A span that cannot be read for late samples is no trouble of the source: the next check finds it again. */
  #noteErrors({ sources }: PlannedWindow, { sourceErrors }: WindowResult, failed: Set<string>): void {
    for (const name of sources) {
      const error = sourceErrors.get(name);
      if (error !== undefined) failed.add(name);
      this.#sourceErrors.note(this.#plan, name, error);
    }
  }

  /** Only a sink that is up to date sends metadata: it never delays samples that wait. */
  #beginMetadata({ metadata }: SinkStore, destination: Destination): MetricNames | undefined {
    if (metadata === undefined || this.#deliveryState.kind !== "delivering") return undefined;
    const isUpToDate = (this.#planner.lagMs() ?? Infinity) <= 2 * this.periodMs;
    if (!isUpToDate) return undefined;
    return this.#metadata.begin(metadata, destination.state, this.#deps.clock.monotonicMs());
  }

  /** Its outcome changes nothing of the delivery state. */
  async #sendMetadata(
    names: MetricNames,
    { metadata }: SinkStore,
    signals: readonly AbortSignal[],
  ): Promise<void> {
    if (this.#destination === undefined || metadata === undefined) return;
    const { clock, log } = this.#deps;
    const outcome = await this.#metadata.send(names, metadata, this.#destination, clock, signals);
    if (outcome === undefined || outcome.kind === "delivered") return;
    const isRefused = outcome.kind === "refused";
    log[isRefused ? "info" : "debug"](
      { sink: this.key, message: outcome.message },
      isRefused
        ? "the receiver refuses metadata; none is sent to it for an hour, or until the policy changes"
        : "metadata was not delivered; it is sent again with the next minute's",
    );
  }

  /** The next cycle may run in another replica, or for another plan: it begins with what this one has seen. */
  #keepTrouble(): void {
    const trouble = this.#stats.trouble(this.#deps.clock.nowMs());
    if (trouble !== undefined) this.#backOff({ kind: "retrying", ...trouble });
  }

  #backOff(failure: DeliveryFailure): void {
    const { clock, random, log } = this.#deps;
    const before = this.#deliveryState;
    const { backoffMs } = this.#plan.retry;
    this.#deliveryState = afterFailure(before, failure, backoffMs, clock.monotonicMs(), random());
    // Only a change of state is a warning: a receiver that stays down would log a line for each probe.
    const level = before.kind === this.#deliveryState.kind ? "debug" : "warn";
    log[level](
      { sink: this.key, deliveryState: this.#deliveryState.kind, message: failure.detail ?? failure.message },
      "delivery paused; samples remain in the store and will be retried",
    );
  }

  snapshot(): ExporterSnapshot {
    const sources = this.#plan.sources.map(({ name }) => ({
      name,
      checkpointMs: this.#planner.checkpointMs(name),
      error: this.#sourceErrors.get(name),
    }));
    return {
      plan: this.#plan,
      triedPlan: this.#triedPlan,
      deliveryState: this.#deliveryState,
      sources,
      lagMs: this.#planner.lagMs(),
      periodMs: this.periodMs,
      stats: this.#stats,
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
    return problem ?? "the metrics store does not tell its time (no Date header in its responses)";
  }

  #exportDeps(
    { reader }: SinkStore,
    destination: Destination,
    metricNames: MetricNames | undefined,
  ): WindowExportDeps {
    const { state, rejected, settings, clock, log } = this.#deps;
    const sink = this.key;
    const tenant = this.#deps.tenantOf(this.#plan);
    return {
      sources: new SourceReader({
        reader,
        sources: new Map(this.#plan.sources.map((source) => [source.name, source])),
        tenant,
        owner: readOwner(this.#plan, sink, tenant),
      }),
      batch: this.#plan.batch,
      collisions: this.#collisions,
      stepMs: settings.intervalMs,
      metricNames,
      exemplars: this.#exemplars,
      journal: { sink, state, storeNowMs: () => reader.storeNowMs(), late: this.#planner.late },
      dispatcher: {
        sink,
        receiver: {
          endpoint: this.#plan.endpoint,
          destination,
          rejections: this.#rejections,
          laneCount: settings.laneCount,
          dropExhausted: settings.onExhausted === "drop",
        },
        rejected,
        share: this.#share,
        recorder: new SinkRecorder({ sink, stats: this.#stats, clock, log }),
        clock,
      },
    };
  }

  #destinationOf(): Destination | InvalidEndpoint {
    if (this.#destination !== undefined) return this.#destination;
    const destination = this.#deps.destinationOf(this.#plan, {
      interrupt: () => this.#interrupt,
      onRetry: () => {
        this.#stats.retries++;
      },
      onAttempt: () => {
        const end = this.#stats.beginAttempt(this.#deps.clock.nowMs());
        return (verdict) => end(verdict, this.#deps.clock.nowMs());
      },
    });
    if (destination.kind === "destination") this.#destination = destination;
    return destination;
  }

  async #disconnect(): Promise<void> {
    const destination = this.#destination;
    this.#destination = undefined;
    await destination?.sender.close();
  }

  #recover(): void {
    if (this.#deliveryState.kind === "delivering") return;
    this.#deps.log.info(
      { sink: this.key, after: this.#deliveryState.kind },
      "the receiver takes requests again",
    );
    this.#deliveryState = delivering;
  }
}

const neverAborted = new AbortController().signal;
