import type { SinkStore } from "../metrics-store/sink-store.ts";
import type { SinkPlan } from "../policy/spec/types.ts";
import type { Destination } from "../remote-write/destination.ts";
import type { KnownCollisions } from "../remote-write/encoding/known-collisions.ts";
import type { BudgetShare } from "./batch/memory-budget.ts";
import type { DeliveryFailure } from "./dispatch/delivery-state.ts";
import type { DeliveryStateMachine } from "./dispatch/delivery-state-machine.ts";
import type { RejectedSamples } from "./dispatch/receiver.ts";
import type { ReceiverMemory } from "./dispatch/receiver-memory.ts";
import type { SentExemplars } from "./exemplars/sent-exemplars.ts";
import type { MetricNames } from "./metadata/metric-names.ts";
import type { SinkMetadata } from "./metadata/sink-metadata.ts";
import type { WindowPlanner, WindowPlannerDeps, WindowSettings } from "./plan/window-planner.ts";
import type { SinkConnection } from "./sink-connection.ts";
import type { SourceErrors } from "./source-errors.ts";
import type { PlannedWindow } from "./state/planned-window.ts";
import { readOwner } from "./stats/read-owner.ts";
import { SinkRecorder } from "./stats/sink-recorder.ts";
import type { SinkStats } from "./stats/sink-stats.ts";
import { proveEndpoint } from "./window/later-samples.ts";
import { ReadAhead, type ReadAheadOptions } from "./window/read-ahead.ts";
import { SourceReader } from "./window/source-reader.ts";
import type { WindowExportDeps, WindowResult } from "./window/window-export.ts";

export type CycleEnd = "up-to-date" | "waiting" | "source-failed" | "interrupted";

/** Settings of `metrics` and `delivery` that an exporter needs; times in ms. */
export interface ExportSettings extends WindowSettings {
  readonly partitionCount: number;
  /** For sinks that do not say: `delivery.onExhausted`. */
  readonly onExhausted: "replay" | "drop";
  /** Whether exemplars are sent (`metrics.exemplars`). */
  readonly exemplars?: boolean;
}

export interface CycleDeps extends WindowPlannerDeps {
  readonly rejected: RejectedSamples;
  readonly settings: ExportSettings;
}

/** The parts of a sink that its cycles share. */
export interface SinkParts {
  readonly key: string;
  readonly share: BudgetShare;
  readonly stats: SinkStats;
  readonly memory: ReceiverMemory;
  readonly connection: SinkConnection;
  readonly delivery: DeliveryStateMachine;
  readonly collisions: KnownCollisions;
  readonly planner: WindowPlanner;
  readonly sourceErrors: SourceErrors;
  readonly metadata: SinkMetadata;
  readonly exemplars: SentExemplars | undefined;
  /** Call them before and after something happens to the sink: they note when its states begin. */
  readonly states: { settle(): void; note(): void };
  /** The plan of the last attempt, successful or not. */
  triedPlan: SinkPlan | undefined;
}

/** Sources whose samples are refused without a proof: the others continue, and may be the proof. */
interface HeldSources {
  readonly sources: readonly string[];
  readonly failure: DeliveryFailure;
  /** When they were refused: a mark. */
  readonly at: number;
}

/** One cycle of a sink: runs windows until everything up to the watermark is delivered. Call `run` once. */
export class Cycle {
  readonly #plan: SinkPlan;
  readonly #sink: SinkParts;
  readonly #store: SinkStore;
  readonly #deps: CycleDeps;
  readonly #options: ReadAheadOptions;
  /** Of `options`: the first one ends a request, too. */
  readonly #signals: readonly [AbortSignal, ...AbortSignal[]];
  /** Sources that could not be read. */
  readonly #failed = new Set<string>();
  /** Set once the receiver is connected. */
  #windows: ReadAhead | undefined;
  #exportDeps: WindowExportDeps | undefined;
  #held: HeldSources | undefined;
  #isLastTry = false;

  constructor(plan: SinkPlan, sink: SinkParts, store: SinkStore, deps: CycleDeps, options: ReadAheadOptions) {
    this.#plan = plan;
    this.#sink = sink;
    this.#store = store;
    this.#deps = deps;
    this.#options = options;
    this.#signals = [options.signal, options.interruption.signal];
  }

  async run(): Promise<CycleEnd> {
    try {
      for (;;) {
        this.#sink.states.note();
        const end = await this.#next();
        if (end !== undefined) return end;
      }
    } finally {
      await this.#windows?.giveUp();
    }
  }

  get #isInterrupted(): boolean {
    return this.#signals.some(({ aborted }) => aborted);
  }

  /** Runs one window. @returns how the cycle ends; undefined when it goes on */
  async #next(): Promise<CycleEnd | undefined> {
    if (this.#isInterrupted) return "interrupted";
    const { planner } = this.#sink;
    const failed = new Set([...this.#failed, ...(this.#held?.sources ?? [])]);
    const planned = (await this.#windows?.ahead()) ?? (await planner.next(failed, this.#options.signal));
    if (planned !== undefined) return this.#export(planned, failed);
    if (this.#held !== undefined) return this.#retry(this.#held);
    const names = this.#exportDeps?.metricNames;
    if (names !== undefined) await this.#sendMetadata(names);
    return this.#delivered();
  }

  #delivered(): CycleEnd {
    return this.#failed.size > 0 ? "source-failed" : "up-to-date";
  }

  /** Everything else was exported: if any of it was accepted, what was refused is sent once more. */
  #retry({ at, failure }: HeldSources): CycleEnd | undefined {
    if (this.#isLastTry || !this.#sink.memory.acceptedSince(at)) {
      this.#sink.delivery.refuse(failure, this.#plan.retry.backoffMs);
      return "waiting";
    }
    this.#held = undefined;
    this.#isLastTry = true;
    return undefined;
  }

  async #export(planned: PlannedWindow, failed: ReadonlySet<string>): Promise<CycleEnd | undefined> {
    const { connection, delivery, planner, stats, memory } = this.#sink;
    const destination = connection.open(this.#plan, this.#options.interruption.signal);
    if (destination.kind === "invalid")
      return this.#backOff({ kind: "forbidden", message: destination.message });
    this.#exportDeps ??= await this.#connect(destination);
    const deps = this.#exportDeps;
    this.#windows ??= new ReadAhead(planner, deps, this.#options);
    const rejectedBefore = stats.lateRejected;
    const result = await this.#windows.run(planned, { isProbe: delivery.isProbing, failed });
    const { failure, unproven } = result;
    if (result.requestsWithResponse > 0 && failure === undefined && unproven === undefined)
      delivery.recover();
    if (planned.late === undefined) this.#noteErrors(planned, result);
    if (result.kind === "interrupted") {
      // The next cycle may run in another replica, or for another plan: it begins with what this one saw.
      const trouble = stats.trouble(this.#deps.clock.nowMs());
      if (trouble !== undefined) this.#backOff({ kind: "retrying", ...trouble });
      return "interrupted";
    }
    // A sink that catches up has a long cycle.
    this.#sink.triedPlan = this.#plan;
    if (failure !== undefined) return this.#backOff(failure);
    if (result.kind === "closed") this.#endEpisode(planned, rejectedBefore);
    // New samples have their turn, and may be the proof for late ones that are refused.
    if (planned.late !== undefined && result.kind === "unfinished") return this.#delivered();
    // A search continues in the next cycle.
    if (result.isSearching) return "waiting";
    if (unproven === undefined) return undefined;
    const later = planner.following(planned, this.#failed);
    const proof = await proveEndpoint(later, unproven, deps, delivery.isRefused, this.#signals);
    if (proof.kind === "failing") return this.#backOff(proof.failure);
    if (proof.kind === "interrupted" || proof.kind === "waiting") return proof.kind;
    if (proof.kind === "unproven") {
      const sources = [...(this.#held?.sources ?? []), ...planned.sources];
      this.#held = { sources, failure: proof.failure, at: memory.mark() };
    }
    return undefined;
  }

  /**
   * The proof for older samples no longer counts once the export has reached it, and for late ones when none
   * of them is rejected. Of windows ahead, older samples are still to come.
   */
  #endEpisode({ late, toMs, isAhead }: PlannedWindow, rejectedBefore: number): void {
    const { memory, stats } = this.#sink;
    if (isAhead === true) return;
    if (late === undefined) {
      if (toMs >= memory.acceptedUntilMs) memory.live.began = undefined;
    } else if (rejectedBefore === stats.lateRejected) memory.late.began = undefined;
  }

  /** Not of a span read for late samples: the next check finds it again. */
  #noteErrors({ sources }: PlannedWindow, { sourceErrors }: WindowResult): void {
    for (const name of sources) {
      const error = sourceErrors.get(name);
      if (error !== undefined) this.#failed.add(name);
      this.#sink.sourceErrors.note(this.#plan, name, error);
    }
  }

  /** Only a sink that is up to date sends metadata: it never delays samples that wait. */
  #beginMetadata({ state }: Destination): MetricNames | undefined {
    const { delivery, planner, metadata } = this.#sink;
    if (this.#store.metadata === undefined || !delivery.isDelivering) return undefined;
    const isUpToDate = (planner.behindMs() ?? Infinity) <= 2 * planner.periodMs;
    if (!isUpToDate) return undefined;
    return metadata.begin(this.#store.metadata, state, this.#deps.clock.monotonicMs());
  }

  /** Its outcome changes nothing of the delivery state. */
  async #sendMetadata(names: MetricNames): Promise<void> {
    const { connection, metadata, key } = this.#sink;
    const { destination } = connection;
    if (destination === undefined || this.#store.metadata === undefined) return;
    const { clock, log } = this.#deps;
    const outcome = await metadata.send(names, this.#store.metadata, destination, clock, this.#signals);
    if (outcome === undefined || outcome.kind === "delivered") return;
    const isRefused = outcome.kind === "refused";
    log[isRefused ? "info" : "debug"](
      { sink: key, message: outcome.message },
      isRefused
        ? "the receiver refuses metadata; none is sent to it for an hour, or until the policy changes"
        : "metadata was not delivered; it is sent again with the next minute's",
    );
  }

  #backOff(failure: DeliveryFailure): "waiting" {
    // The failures before are a part of the state that follows.
    this.#sink.states.settle();
    this.#sink.delivery.backOff(failure, this.#plan.retry.backoffMs);
    return "waiting";
  }

  async #connect(destination: Destination): Promise<WindowExportDeps> {
    const { reader } = this.#store;
    const { state, rejected, settings, clock, log } = this.#deps;
    const { key: sink, memory, stats, share, collisions, exemplars, planner } = this.#sink;
    await this.#sink.connection.restore(this.#plan, destination);
    memory.suspects.expire(clock.nowMs());
    const { sources, endpoint, batch, retry } = this.#plan;
    const tenant = this.#deps.tenantOf(this.#plan);
    return {
      sources: new SourceReader({
        reader,
        sources: new Map(sources.map((source) => [source.name, source])),
        tenant,
        owner: readOwner(this.#plan, sink, tenant),
      }),
      batch,
      collisions,
      stepMs: settings.intervalMs,
      metricNames: this.#beginMetadata(destination),
      exemplars,
      journal: { sink, state, storeNowMs: () => reader.storeNowMs(), late: planner.late },
      dispatcher: {
        sink,
        receiver: {
          endpoint,
          destination,
          memory,
          episode: memory.live,
          partitionCount: settings.partitionCount,
          dropExhausted: (retry.onExhausted ?? settings.onExhausted) === "drop",
        },
        rejected,
        share,
        recorder: new SinkRecorder({ sink, stats, clock, log }),
        clock,
      },
    };
  }
}
