import { withEither } from "../../../base/core/signals.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import type { CycleEnd } from "../cycle.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../exporter.ts";
import type { ExporterSnapshot } from "../exporter-snapshot.ts";
import { stateFields } from "../fleet/keys.ts";
import type { RedisState } from "../fleet/redis-state.ts";
import {
  ownDeliveryState,
  type SharedDeliveryState,
  shareDeliveryState,
} from "../fleet/shared-delivery-state.ts";
import type { CycleReport, SinkLease } from "../fleet/sink-lease.ts";
import {
  countsOf,
  mapCounts,
  noCounts,
  parseReport,
  reportOf,
  type SinkCounts,
} from "../fleet/sink-report.ts";
import { type CycleTimes, cycleTimesOf, withChecks } from "../plan/cycle-times.ts";

/** A longer cycle is interrupted and continues behind the waiting jobs. */
const cycleLimitMs = 15_000;
/** If a sink's last cycle here is this many periods ago, another replica's message may have been lost. */
const shownPeriods = 5;
/** A sink's resources (connections, labels) are released when it has not run here for this long. */
const idleMs = 600_000;

interface ReplicaSinkOptions {
  readonly exporterDeps: ExporterDeps;
  readonly state: RedisState;
  /** This replica's name in its reports. */
  readonly replica: string;
}

/** One sink in one replica: its plan, and the exporter once a cycle has run here. */
export class ReplicaSink {
  readonly #options: ReplicaSinkOptions;
  #plan: SinkPlan;
  #exporter: Exporter | undefined;
  #isEdited = false;
  #isStopped = false;
  #interruption = new Interruption();
  #running: Promise<unknown> | undefined;
  /** Of the cycle in progress. */
  #lease: SinkLease | undefined;
  /** The sink's last known cycle ran in this replica. */
  #isOurs = false;
  #lastRunMs = Number.NEGATIVE_INFINITY;
  /** The part of the exporter's counters already reported to the fleet. */
  #reportedCounts = noCounts;

  constructor(plan: SinkPlan, options: ReplicaSinkOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  get plan(): SinkPlan {
    return this.#plan;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get periodMs(): number {
    return Math.max(this.#options.exporterDeps.settings.intervalMs, this.#plan.batch.timeoutMs);
  }

  /** The times of its jobs in the queue. */
  get jobTimes(): CycleTimes {
    const { settings, late } = this.#options.exporterDeps;
    return withChecks(cycleTimesOf(this.#plan, settings.intervalMs), late?.times.alertMs);
  }

  /** Takes effect once the requests in flight have their responses. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    this.#isEdited = true;
    this.#interruption.begin("edit");
  }

  /** Takes effect with the next cycle; the sink's jobs are of this generation from now on. */
  renew(plan: SinkPlan): void {
    this.#plan = plan;
  }

  /** Another replica has taken the sink: this replica's knowledge of it is out of date. */
  leaveToOther(): void {
    if (!this.isRunning) this.#isOurs = false;
  }

  /** Runs work for the sink that must not overlap. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Runs a cycle under the sink's lease, then releases the lease with the delivery state.
   *
   * @param signal ends everything at once
   * @throws FencedError when the lease was lost; the signal's reason
   */
  async cycle(lease: SinkLease, signal: AbortSignal): Promise<{ end: CycleEnd; pauseMs: number }> {
    const { exporterDeps, state } = this.#options;
    const { clock } = exporterDeps;
    this.#isOurs = true;
    this.#lastRunMs = clock.monotonicMs();
    this.#lease = lease;
    const maySend = (): boolean => this.#lease?.isHeld() ?? false;
    this.#exporter ??= new Exporter(this.#plan, { ...exporterDeps, maySend });
    const exporter = this.#exporter;
    exporter.resume(ownDeliveryState(lease.deliveryState, clock.monotonicMs()));
    const deliveryState = (): SharedDeliveryState | undefined =>
      shareDeliveryState(exporter.snapshot().deliveryState, clock.monotonicMs());
    let hasBegun = false;
    try {
      await state.begin(lease, this.#reported());
      hasBegun = true;
      const end = await withEither([signal, lease.signal], (either) => this.#cycles(exporter, either));
      return { end, pauseMs: deliveryState()?.pauseMs ?? 0 };
    } finally {
      this.#lastRunMs = clock.monotonicMs();
      state.end(lease);
      this.#lease = undefined;
      const counts = countsOf(exporter.snapshot().stats);
      const report = hasBegun ? this.#cycleReport(lease, exporter.snapshot(), counts) : undefined;
      if ((await lease.release(deliveryState(), report)) && hasBegun) this.#reportedCounts = counts;
    }
  }

  #cycleReport(lease: SinkLease, snapshot: ExporterSnapshot, counts: SinkCounts): CycleReport {
    const { exporterDeps, replica } = this.#options;
    const before = parseReport(lease.fields.get(stateFields.report));
    return {
      report: reportOf(snapshot, before, { replica, nowMs: exporterDeps.clock.nowMs() }),
      counts: mapCounts((name) => counts[name] - this.#reportedCounts[name]),
    };
  }

  /** The checkpoint in the policy's status: that of the source furthest behind. */
  #reported(): Map<string, number> {
    const { exporterDeps } = this.#options;
    const ms = exporterDeps.reportedMs?.(this.#plan);
    // A writer of the status must not be able to stop the sink for good.
    if (ms === undefined || ms > exporterDeps.clock.nowMs()) return new Map();
    return new Map(this.#plan.sources.map(({ name }) => [name, ms]));
  }

  /** One cycle, and another with the new plan if the plan was edited in the meantime. */
  async #cycles(exporter: Exporter, signal: AbortSignal): Promise<CycleEnd> {
    const { clock } = this.#options.exporterDeps;
    const over = new AbortController();
    const deadline = clock.sleep(cycleLimitMs, over.signal).then(
      () => this.#interruption.begin("stop"),
      () => undefined,
    );
    try {
      for (;;) {
        if (this.#isStopped) return "interrupted";
        this.#interruption = new Interruption();
        if (this.#isEdited || exporter.plan !== this.#plan) {
          this.#isEdited = false;
          exporter.change(this.#plan);
        }
        const end = await exporter.cycle(this.#interruption, signal);
        signal.throwIfAborted();
        if (end !== "interrupted" || !this.#isEdited) return end;
      }
    } finally {
      over.abort();
      await deadline;
    }
  }

  /** Ends a running cycle gracefully. Resolves when nothing of the sink is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#interruption.begin("stop");
    await this.#running?.catch(() => undefined);
    this.#close();
  }

  /** The sink as shown by this replica; undefined when another replica runs it. */
  snapshot(): ExporterSnapshot | undefined {
    const snapshot = this.#isOurs ? this.#exporter?.snapshot() : undefined;
    if (snapshot === undefined) return undefined;
    const { deliveryState } = snapshot;
    const nowMs = this.#options.exporterDeps.clock.monotonicMs();
    const sinceMs = nowMs - (deliveryState.kind === "delivering" ? this.#lastRunMs : deliveryState.untilMs);
    return sinceMs > shownPeriods * this.periodMs && !this.isRunning ? undefined : snapshot;
  }

  /** Releases the resources of a sink that other replicas run. */
  rest(): void {
    const sinceMs = this.#options.exporterDeps.clock.monotonicMs() - this.#lastRunMs;
    if (!this.isRunning && sinceMs > Math.max(idleMs, 2 * shownPeriods * this.periodMs)) this.#close();
  }

  #close(): void {
    const exporter = this.#exporter;
    this.#exporter = undefined;
    this.#reportedCounts = noCounts;
    exporter?.close();
  }
}
