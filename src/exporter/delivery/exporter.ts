import type { NoStore, SinkStore } from "../metrics-store/sink-store.ts";
import { type SinkPlan, sinkKey } from "../policy/spec/types.ts";
import { KnownCollisions } from "../remote-write/encoding/known-collisions.ts";
import { writeBody } from "../remote-write/encoding/request-body.ts";
import type { Destination } from "../remote-write/endpoints.ts";
import type { MemoryBudget } from "./batch/memory-budget.ts";
import type { DeliveryFailure, DeliveryState } from "./dispatch/delivery-state.ts";
import { DeliveryStateMachine } from "./dispatch/delivery-state-machine.ts";
import type { Interruption } from "./dispatch/interruption.ts";
import type { UnprovenRefusal } from "./dispatch/parked-batches.ts";
import type { RejectedSamples } from "./dispatch/receiver.ts";
import { ReceiverMemory } from "./dispatch/receiver-memory.ts";
import { SentExemplars } from "./exemplars/sent-exemplars.ts";
import type { MetricNames } from "./metadata/metric-names.ts";
import { SinkMetadata } from "./metadata/sink-metadata.ts";
import { onGrid, untilGrid } from "./plan/cycle-times.ts";
import { isSamePlan } from "./plan/plan-changes.ts";
import { WindowPlanner, type WindowPlannerDeps, type WindowSettings } from "./plan/window-planner.ts";
import { SinkConnection, type SinkConnectionDeps } from "./sink-connection.ts";
import { SourceErrors } from "./source-errors.ts";
import type { PlannedWindow } from "./state/planned-window.ts";
import { readOwner } from "./stats/read-owner.ts";
import { SinkRecorder } from "./stats/sink-recorder.ts";
import { SinkStats } from "./stats/sink-stats.ts";
import { proveLater } from "./window/later-samples.ts";
import { ReadAhead } from "./window/read-ahead.ts";
import { SourceReader } from "./window/source-reader.ts";
import type { WindowExportDeps, WindowResult } from "./window/window-export.ts";

/** Settings of `metrics` and `delivery` that an exporter needs; times in ms. */
export interface ExportSettings extends WindowSettings {
  readonly partitionCount: number;
  /** For sinks that do not say: `delivery.onExhausted`. */
  readonly onExhausted: "replay" | "drop";
  /** Whether exemplars are sent (`metrics.exemplars`). */
  readonly exemplars?: boolean;
}

/** Dependencies shared by all exporters of a daemon. */
export interface ExporterDeps extends WindowPlannerDeps, SinkConnectionDeps {
  readonly rejected: RejectedSamples;
  readonly budget: MemoryBudget;
  readonly settings: ExportSettings;
  readonly random: () => number;
  /** The store that a plan is read from. Never the store of another tenant, or of none. */
  storeOf(plan: SinkPlan): SinkStore | NoStore;
}

/** A source of a sink, as the status shows it. */
interface SourceProgress {
  readonly name: string;
  readonly checkpointMs: number | undefined;
  readonly error: string | undefined;
}

export interface ExporterSnapshot {
  readonly plan: SinkPlan;
  /** The plan of the last attempt, successful or not. */
  readonly triedPlan?: SinkPlan | undefined;
  readonly deliveryState: DeliveryState;
  readonly sources: readonly SourceProgress[];
  /** The age of the newest delivered sample; undefined before the first cycle. */
  readonly lagMs: number | undefined;
  /** The watermark minus the oldest checkpoint; absent: equal to the lag. */
  readonly behindMs?: number | undefined;
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
  readonly #memory: ReceiverMemory;
  readonly #connection: SinkConnection;
  readonly #delivery: DeliveryStateMachine;
  readonly #collisions = new KnownCollisions();
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
    this.#memory = new ReceiverMemory(deps.clock);
    this.#connection = new SinkConnection(this.key, deps, this.#stats, this.#memory);
    const { clock, random, log } = deps;
    this.#delivery = new DeliveryStateMachine({ sink: this.key, memory: this.#memory, clock, random, log });
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

  /**
   * Applies a changed plan; call between cycles. A failing sink retries at once, unless only the generation
   * differs.
   */
  change(plan: SinkPlan): void {
    const { endpoint, basicAuth } = this.#plan;
    const isSameLogin =
      basicAuth?.username === plan.basicAuth?.username && basicAuth?.password === plan.basicAuth?.password;
    if (endpoint !== plan.endpoint || !isSameLogin) this.#memory.forget();
    const isSame = isSamePlan(this.#plan, plan);
    this.#plan = plan;
    this.#planner.change(plan);
    if (isSame) return;
    this.#metadata.change();
    this.#delivery.retryNow();
  }

  /** Adopts the delivery state from the owner of the sink's last cycle; call between cycles. */
  resume(deliveryState: DeliveryState): void {
    this.#delivery.resume(deliveryState);
  }

  /** Call after the last cycle. */
  close(): void {
    this.#share.close();
  }

  /**
   * Runs windows until everything up to the watermark is delivered, the receiver or the source fails, or the
   * cycle is interrupted. `signal` ends everything at once.
   */
  async cycle(interruption: Interruption, signal: AbortSignal): Promise<CycleEnd> {
    this.#delivery.beginCycle();
    try {
      const end = await this.#runWindows(interruption, signal);
      if (end !== "interrupted") this.#triedPlan = this.#plan;
      return end;
    } finally {
      await this.#connection.close(this.#plan);
      this.#stats.endCycle();
    }
  }

  async #runWindows(interruption: Interruption, signal: AbortSignal): Promise<CycleEnd> {
    if (this.#plan.paused || this.#delivery.isPaused) return "waiting";
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
    /** Sources whose samples are refused without a proof: the others continue, and may be the proof. */
    let held: HeldSources | undefined;
    let isLastTry = false;
    try {
      for (;;) {
        if (interruption.signal.aborted || signal.aborted) return "interrupted";
        const left = held === undefined ? failed : new Set([...failed, ...held.sources]);
        const planned = (await windows?.ahead()) ?? (await this.#planner.next(left, signal));
        if (planned === undefined && held !== undefined) {
          if (isLastTry || !this.#memory.acceptedSince(held.at)) {
            this.#delivery.refuse(held.failure, this.#plan.retry.backoffMs);
            return "waiting";
          }
          held = undefined;
          isLastTry = true;
          continue;
        }
        if (planned === undefined) {
          if (names !== undefined) await this.#sendMetadata(names, store, [interruption.signal, signal]);
          return failed.size > 0 ? "source-failed" : "up-to-date";
        }
        const destination = this.#connection.open(this.#plan, interruption.signal);
        if (destination.kind === "invalid") {
          this.#backOff({ kind: "forbidden", message: destination.message });
          return "waiting";
        }
        if (windows === undefined) {
          await this.#connection.restore(this.#plan, destination);
          this.#memory.suspects.expire(this.#deps.clock.nowMs());
          names = this.#beginMetadata(store, destination);
          const deps = this.#exportDeps(store, destination, names);
          windows = new ReadAhead(this.#planner, deps, { interruption, signal });
        }
        const isProbe = this.#delivery.isProbing;
        const before = this.#stats.lateRejected;
        const result = await windows.run(planned, { isProbe, failed: left });
        const isRefused = result.unproven !== undefined;
        if (result.requestsWithResponse > 0 && result.failure === undefined && !isRefused)
          this.#delivery.recover();
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
        if (result.kind === "closed") this.#endEpisode(planned, before);
        // New samples have their turn, and may be the proof for late ones that are refused.
        if (planned.late !== undefined && result.kind === "unfinished") {
          return failed.size > 0 ? "source-failed" : "up-to-date";
        }
        // A search continues in the next cycle.
        if (result.isSearching) return "waiting";
        if (result.unproven === undefined) continue;
        const deps = this.#exportDeps(store, destination, names);
        const end = await this.#prove(planned, result.unproven, failed, deps, [signal, interruption.signal]);
        if (typeof end === "string") return end;
        if (end !== undefined) {
          const at = this.#memory.mark();
          held = { sources: [...(held?.sources ?? []), ...planned.sources], failure: end, at };
        }
      }
    } finally {
      await windows?.giveUp();
    }
  }

  /**
   * The proof for older samples no longer counts once the export has reached it, and for late ones when none
   * of them is rejected.
   */
  #endEpisode({ late, toMs }: PlannedWindow, rejectedBefore: number): void {
    const { live, late: ofLate } = this.#memory;
    if (late === undefined) {
      if (toMs >= this.#memory.acceptedUntilMs) live.began = undefined;
    } else if (rejectedBefore === this.#stats.lateRejected) ofLate.began = undefined;
  }

  /**
   * Looks for a proof that the endpoint accepts later samples of refused series.
   *
   * @returns undefined with one; how the cycle ends; or the failure, if there is no proof up to the watermark
   */
  async #prove(
    planned: PlannedWindow,
    unproven: UnprovenRefusal,
    failed: ReadonlySet<string>,
    deps: WindowExportDeps,
    signals: readonly [AbortSignal, ...AbortSignal[]],
  ): Promise<CycleEnd | DeliveryFailure | undefined> {
    const { refusal, isInDoubt, isFailing } = unproven;
    const proof = await proveLater(this.#planner.following(planned, failed), unproven, deps, signals);
    if (signals.some(({ aborted }) => aborted)) return "interrupted";
    if (proof.kind === "proven") return undefined;
    if (proof.kind === "interrupted") return "waiting";
    if (isFailing) return { kind: "retrying", message: refusal.message };
    if (proof.kind === "unfinished" && proof.outcome.kind !== "aborted") {
      const { kind, message } = proof.outcome;
      this.#backOff({ kind: kind === "exhausted" ? "retrying" : kind, message });
      return "waiting";
    }
    const accepted = await deps.dispatcher.receiver.destination.sender.send(
      writeBody(deps.dispatcher.receiver.destination.state.protocol, []),
      signals[0],
      1,
    );
    const acceptsEmpty = accepted.kind === "delivered";
    // The second time: the store has nothing that could prove it, and the samples were sent already.
    if (isInDoubt && proof.kind === "nothing" && acceptsEmpty && this.#delivery.isRefused) {
      this.#memory.hasNothingLater = true;
      return undefined;
    }
    return { ...unprovenFailure(refusal.message, isInDoubt, acceptsEmpty), firstPauseMs: refusedPauseMs };
  }

  /** Not of a span read for late samples: the next check finds it again. */
  #noteErrors({ sources }: PlannedWindow, { sourceErrors }: WindowResult, failed: Set<string>): void {
    for (const name of sources) {
      const error = sourceErrors.get(name);
      if (error !== undefined) failed.add(name);
      this.#sourceErrors.note(this.#plan, name, error);
    }
  }

  /** Only a sink that is up to date sends metadata: it never delays samples that wait. */
  #beginMetadata({ metadata }: SinkStore, destination: Destination): MetricNames | undefined {
    if (metadata === undefined || !this.#delivery.isDelivering) return undefined;
    const isUpToDate = (this.#planner.behindMs() ?? Infinity) <= 2 * this.periodMs;
    if (!isUpToDate) return undefined;
    return this.#metadata.begin(metadata, destination.state, this.#deps.clock.monotonicMs());
  }

  /** Its outcome changes nothing of the delivery state. */
  async #sendMetadata(
    names: MetricNames,
    { metadata }: SinkStore,
    signals: readonly AbortSignal[],
  ): Promise<void> {
    const { destination } = this.#connection;
    if (destination === undefined || metadata === undefined) return;
    const { clock, log } = this.#deps;
    const outcome = await this.#metadata.send(names, metadata, destination, clock, signals);
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
    this.#delivery.backOff(failure, this.#plan.retry.backoffMs);
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
      deliveryState: this.#delivery.state,
      sources,
      lagMs: this.#planner.lagMs(),
      behindMs: this.#planner.behindMs(),
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
    return problem ?? "the metrics store's time is unknown (no Date header in its responses)";
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
          memory: this.#memory,
          episode: this.#memory.live,
          partitionCount: settings.partitionCount,
          dropExhausted: (this.#plan.retry.onExhausted ?? settings.onExhausted) === "drop",
        },
        rejected,
        share: this.#share,
        recorder: new SinkRecorder({ sink, stats: this.#stats, clock, log }),
        clock,
      },
    };
  }
}

interface HeldSources {
  readonly sources: readonly string[];
  readonly failure: DeliveryFailure;
  /** When they were refused: a mark. */
  readonly at: number;
}

/** The first pause of a sink whose samples are all refused: the next samples may be the proof. */
const refusedPauseMs = 5_000;

function unprovenFailure(message: string, isInDoubt: boolean, acceptsEmpty: boolean): DeliveryFailure {
  if (isInDoubt) {
    const what = "the receiver refuses samples that it may have already, since its response was lost";
    return { kind: "retrying", message: `${what}; later ones will show: ${message}` };
  }
  const what = acceptsEmpty ? "accepts empty requests, and refuses every sample" : "refuses every request";
  return { kind: "suspended", message: `the receiver ${what}: ${message}` };
}
