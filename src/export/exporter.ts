import type { Clock } from "../core/clock.ts";
import type { Logger } from "../core/log.ts";
import { type SinkPlan, sinkKey } from "../policy/types.ts";
import type { Connection, InvalidEndpoint } from "../remote-write/endpoints.ts";
import type { SampleReader, Tenant } from "../source/sample-reader.ts";
import { sourceKind } from "../source/source-kind.ts";
import { adaptWindow, type WindowCost } from "../source/window.ts";
import { BackfillLimit } from "./backfill-limit.ts";
import { onGrid, untilGrid } from "./cycle-times.ts";
import { LateSamples, lateKey } from "./late-samples.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import type { SinkState, StateStore } from "./sink-state.ts";
import { SinkStats } from "./sink-stats.ts";
import { afterSetback, delivering, type Setback, type Standing } from "./standing.ts";
import type { RejectedSamples } from "./window-delivery.ts";
import { type WindowGroup, waitsFor, windowGroups, withClosed } from "./window-groups.ts";
import { WindowRun, type WindowRunDeps } from "./window-run.ts";
import { WindowSequence } from "./window-sequence.ts";

/** Settings of `metrics` and `delivery` that an exporter needs; times in ms. */
export interface ExportSettings {
  readonly intervalMs: number;
  /** How far windows stay behind the store's clock. */
  readonly delayMs: number;
  /** The same for expressions. */
  readonly expressionDelayMs: number;
  /** Window ends are multiples of this. */
  readonly windowGridMs: number;
  readonly maxWindowMs: number;
  readonly maxBackfillMs: number;
  /** How far back a sink starts that was never seen before; 0 is now. */
  readonly startFromMs: number;
  readonly laneCount: number;
  /** How long after its end each window is read once more; 0: never. */
  readonly latenessMs: number;
  readonly onExhausted: "replay" | "drop";
}

/** What all exporters of a daemon share. */
export interface ExporterDeps {
  readonly reader: SampleReader;
  /** Asks the store for a first answer, so that its time is known. @returns why it gives none, or undefined */
  probe(signal: AbortSignal): Promise<string | undefined>;
  readonly state: StateStore;
  readonly rejected: RejectedSamples;
  readonly budget: MemoryBudget;
  readonly settings: ExportSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** The checkpoint in the status of a plan's policy (Unix ms): where a sink goes on whose state is lost. */
  reportedMs?(plan: SinkPlan): number | undefined;
  /** The label that every query of a plan's project must carry, or undefined. */
  tenantOf(plan: SinkPlan): Tenant | undefined;
  /** The way to a plan's endpoint. */
  connect(plan: SinkPlan, hooks: ConnectionHooks): Connection | InvalidEndpoint;
}

export interface ConnectionHooks {
  /** Its abort ends the pauses between attempts. */
  readonly interrupt: () => AbortSignal;
  /** Called before each repeated attempt. */
  readonly onRetry: () => void;
}

/** A source of a sink, as the status shows it. */
export interface SourceProgress {
  readonly name: string;
  readonly checkpointMs: number | undefined;
  readonly error: string | undefined;
}

export interface ExporterSnapshot {
  readonly plan: SinkPlan;
  readonly standing: Standing;
  readonly sources: readonly SourceProgress[];
  /** The settled time (what the store surely has) minus the oldest checkpoint; undefined before the first cycle. */
  readonly lagMs: number | undefined;
  readonly periodMs: number;
  readonly stats: SinkStats;
}

export type CycleEnd = "up-to-date" | "waiting" | "source-failed" | "interrupted";

/**
 * One sink: brings its receiver what its sources have, cycle by cycle. A cycle runs windows until nothing is settled
 * that the sink does not have; see `standing.ts` for what it does while the receiver is in trouble.
 */
export class Exporter {
  readonly key: string;
  readonly #deps: ExporterDeps;
  readonly #share;
  readonly #stats: SinkStats;
  #plan: SinkPlan;
  /** Only while a cycle runs: between two there is nothing that it would have to remember (bench/small-policies.ts). */
  #connection: Connection | undefined;
  #interrupt: AbortSignal = neverAborted;
  readonly #refusals = { isHopeless: false };
  #standing: Standing = delivering;
  #windowLimitMs: number;
  /** How far the windows of each of the plan's sources stay behind the store's clock, in ms. */
  #delaysMs: readonly number[];
  #sourceErrors: ReadonlyMap<string, string> = noErrors;
  #checkpoints: ReadonlyMap<string, number> = noCheckpoints;
  #settledNowMs: number | undefined;
  readonly #backfillLimit: BackfillLimit;
  readonly #late: LateSamples | undefined;
  #hasStarted = false;

  constructor(plan: SinkPlan, deps: ExporterDeps) {
    this.key = sinkKey(plan.policy, plan.name);
    this.#plan = plan;
    this.#deps = deps;
    this.#share = deps.budget.openShare();
    this.#delaysMs = delaysOf(plan, deps.settings);
    this.#stats = new SinkStats(deps.clock.monotonicMs());
    this.#windowLimitMs = deps.settings.maxWindowMs;
    this.#backfillLimit = new BackfillLimit(deps.settings.maxBackfillMs);
    const { latenessMs } = deps.settings;
    this.#late = latenessMs > 0 ? new LateSamples(this.key, latenessMs, deps.state) : undefined;
  }

  get plan(): SinkPlan {
    return this.#plan;
  }

  get periodMs(): number {
    return Math.max(this.#deps.settings.intervalMs, this.#plan.batch.timeoutMs);
  }

  /** Takes a changed plan; to be called between cycles. A sink in trouble tries again at once. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    this.#delaysMs = delaysOf(plan, this.#deps.settings);
    if (this.#standing.kind !== "delivering") {
      this.#standing = { ...this.#standing, untilMs: this.#deps.clock.monotonicMs() };
    }
  }

  /** Takes over how the sink stands from whoever ran its last cycle; to be called between cycles. */
  resume(standing: Standing): void {
    this.#standing = standing;
  }

  #delayMs(source: number): number {
    return this.#delaysMs[source] ?? this.#deps.settings.delayMs;
  }

  /** To be called after the last cycle. */
  close(): void {
    this.#share.close();
  }

  /**
   * Runs windows until nothing is settled, the receiver or the source stops it, or `interrupt` aborts (its reason is
   * an Interruption: after "stop", what is batched gets one attempt). `signal` ends everything at once.
   */
  async cycle(interrupt: AbortSignal, signal: AbortSignal): Promise<CycleEnd> {
    this.#interrupt = interrupt;
    try {
      return await this.#runWindows(interrupt, signal);
    } finally {
      this.#interrupt = neverAborted;
      await this.#disconnect();
    }
  }

  async #runWindows(interrupt: AbortSignal, signal: AbortSignal): Promise<CycleEnd> {
    if (this.#plan.paused) return "waiting";
    if (this.#standing.kind !== "delivering" && this.#deps.clock.monotonicMs() < this.#standing.untilMs)
      return "waiting";
    const nowMs = await this.#storeNow(signal);
    if (typeof nowMs === "string") {
      this.#sourceErrors = new Map(this.#plan.sources.map(({ name }) => [name, nowMs]));
      return "source-failed";
    }
    await this.#start(nowMs);
    await this.#skipTooOld(nowMs);
    this.#settledNowMs = nowMs;
    const failed = new Set<string>();
    let windows: WindowSequence | undefined;
    try {
      for (;;) {
        if (interrupt.aborted || signal.aborted) return "interrupted";
        const group =
          (await windows?.ahead()) ?? (await this.#nextGroup(failed)) ?? (await this.#nextLate(failed));
        if (group === undefined) return failed.size > 0 ? "source-failed" : "up-to-date";
        const connection = this.#connect();
        if (connection.kind === "invalid") {
          this.#setBack({ kind: "forbidden", message: connection.message });
          return "waiting";
        }
        windows ??= this.#windowSequence(connection, failed, interrupt, signal);
        const result = await windows.run(group);
        if (result.answeredRequests > 0 && result.setback === undefined) this.#recover();
        this.#noteSources(group, result.sourceErrors, failed);
        if (result.kind === "interrupted") return "interrupted";
        if (result.setback !== undefined) {
          this.#setBack(result.setback);
          return "waiting";
        }
        if (result.kind !== "closed") await windows.giveUp();
      }
    } finally {
      await windows?.giveUp();
    }
  }

  #windowSequence(
    connection: Connection,
    failed: ReadonlySet<string>,
    interrupt: AbortSignal,
    signal: AbortSignal,
  ): WindowSequence {
    return new WindowSequence({
      newRun: (group, turn) => {
        const isProbe = this.#standing.kind !== "delivering";
        const onRead = (cost: WindowCost) => {
          if (group.isLate) return;
          this.#windowLimitMs = adaptWindow(this.#windowLimitMs, cost, this.#deps.settings.maxWindowMs);
        };
        const options = { turn, isProbe, interrupt, signal, onRead };
        return new WindowRun(group, this.#runDeps(connection), options);
      },
      after: async (group) => {
        const next = group.isLate ? undefined : await this.#nextGroup(failed, group);
        // One that was begun before may have to be settled first.
        return next?.open === undefined ? next : undefined;
      },
    });
  }

  #setBack(setback: Setback): void {
    const { clock, random, log } = this.#deps;
    const before = this.#standing;
    const { backoffMs } = this.#plan.retry;
    this.#standing = afterSetback(before, setback, backoffMs, clock.monotonicMs(), random());
    // A receiver that stays away is not worth a line for each probe.
    const level = before.kind === this.#standing.kind ? "debug" : "warn";
    log[level](
      { sink: this.key, standing: this.#standing.kind, message: setback.message },
      "delivery stopped; nothing is lost, the sink tries again",
    );
  }

  snapshot(): ExporterSnapshot {
    const sources = this.#plan.sources.map(({ name }) => ({
      name,
      checkpointMs: this.#checkpoints.get(name),
      error: this.#sourceErrors.get(name),
    }));
    const nowMs = this.#deps.reader.storeNowMs() ?? this.#settledNowMs;
    const lags = this.#plan.sources.flatMap(({ name }, index) => {
      const checkpointMs = this.#checkpoints.get(name);
      if (nowMs === undefined || checkpointMs === undefined) return [];
      return Math.max(0, nowMs - this.#delayMs(index) - checkpointMs);
    });
    return {
      plan: this.#plan,
      standing: this.#standing,
      sources,
      lagMs: lags.length === 0 ? undefined : Math.max(...lags),
      periodMs: this.periodMs,
      stats: this.#stats,
    };
  }

  /** Now by the store's clock, on the grid of window ends; or why it is not known. */
  async #storeNow(signal: AbortSignal): Promise<number | string> {
    const { reader, probe, settings, clock } = this.#deps;
    const problem = reader.storeNowMs() === undefined ? await probe(signal) : undefined;
    let nowMs = reader.storeNowMs();
    // Cycles start on the grid, and the store's clock is known only as a lower bound, a little behind: without this pause the
    // window would end a whole step earlier than it can.
    const pauseMs = nowMs === undefined ? undefined : untilGrid(nowMs, settings.windowGridMs);
    if (pauseMs !== undefined) {
      await clock.sleep(pauseMs, signal);
      nowMs = reader.storeNowMs();
    }
    if (nowMs !== undefined) return onGrid(nowMs, settings.windowGridMs);
    return problem ?? "the metrics store does not tell its time (no Date header in its answers)";
  }

  async #load(): Promise<SinkState> {
    const state = await this.#deps.state.load(this.key);
    this.#checkpoints = state.checkpoints;
    return state;
  }

  /** Fixes where sources begin that were never seen before, before anything is read. */
  async #start(nowMs: number): Promise<void> {
    const { checkpoints } = await this.#load();
    if (!this.#hasStarted && this.#late === undefined) await this.#forgetLate();
    this.#hasStarted = true;
    // A source that is new to a known sink has not reached what the status tells of the others.
    const reportedMs = checkpoints.size === 0 ? this.#deps.reportedMs?.(this.#plan) : undefined;
    const startMs = Math.min(reportedMs ?? nowMs - this.#deps.settings.startFromMs, nowMs);
    const fresh = this.#plan.sources.filter(({ name }) => !checkpoints.has(name));
    for (const { name } of fresh) {
      await this.#deps.state.setCheckpoint(this.key, name, startMs);
      this.#deps.log.info(
        { sink: this.key, source: name, from: new Date(startMs).toISOString() },
        "a new source starts",
      );
    }
  }

  /** `delivery.lateness` was set in an earlier life, and is not any more. */
  async #forgetLate(): Promise<void> {
    const { state } = this.#deps;
    const key = lateKey(this.key);
    if ((await state.load(key)).windows.length > 0) await state.forget(key);
  }

  /** Gives up what is older than `delivery.maxBackfill`. */
  async #skipTooOld(nowMs: number): Promise<void> {
    const { state, clock, log } = this.#deps;
    const oldestMs = this.#backfillLimit.oldestMs(nowMs, clock.monotonicMs());
    const { checkpoints, windows } = await this.#load();
    const late = this.#plan.sources.filter(({ name }) => (checkpoints.get(name) ?? oldestMs) < oldestMs);
    if (!this.#backfillLimit.agrees(late.length > 0)) return;
    for (const window of windows) if (window.toMs <= oldestMs) await state.dropWindow(window);
    await this.#late?.dropUntil(oldestMs);
    for (const { name } of late) {
      const fromMs = checkpoints.get(name) ?? oldestMs;
      if (windows.some((window) => window.toMs > oldestMs && window.sources.has(name))) continue;
      const seconds = Math.round((oldestMs - fromMs) / 1_000);
      this.#stats.skippedSeconds += seconds;
      await state.setCheckpoint(this.key, name, oldestMs);
      const message = `${seconds} s of source ${name} are older than delivery.maxBackfill and were skipped`;
      this.#stats.fail(message, clock.nowMs());
      log.error({ sink: this.key, source: name, seconds, from: new Date(fromMs).toISOString() }, message);
    }
  }

  /** @param closed is taken for closed already */
  async #nextGroup(failed: ReadonlySet<string>, closed?: WindowGroup): Promise<WindowGroup | undefined> {
    const loaded = await this.#load();
    const state = closed === undefined ? loaded : withClosed(loaded, closed);
    const nowMs = this.#deps.reader.storeNowMs();
    if (nowMs === undefined) return undefined;
    const gridNowMs = onGrid(nowMs, this.#deps.settings.windowGridMs);
    // What settles while a cycle runs is the next one's: a cycle that went after each second of it would read again and again
    // what the next one reads at once. Only where a cycle has taken longer than its period it goes on.
    const sinceMs = gridNowMs - (this.#settledNowMs ?? -Infinity);
    if (sinceMs < 0 || sinceMs >= this.periodMs) this.#settledNowMs = gridNowMs;
    const settledNowMs = this.#settledNowMs ?? gridNowMs;
    const sources = this.#plan.sources
      .map(({ name }, index) => ({ name, settledMs: settledNowMs - this.#delayMs(index) }))
      .filter(({ name }) => !failed.has(name));
    const groups = windowGroups(sources, state, this.#windowLimitMs);
    return groups.find((group) => !waitsFor(group, failed));
  }

  /** A window to be read once more: only when there is nothing new, since what is late has waited already. */
  async #nextLate(failed: ReadonlySet<string>): Promise<WindowGroup | undefined> {
    if (failed.size > 0) return undefined;
    this.#backfillLimit.caughtUp();
    const names = this.#plan.sources.map(({ name }) => name);
    return this.#late?.due(this.#settledNowMs ?? 0, names, this.#checkpoints);
  }

  #runDeps(connection: Connection): WindowRunDeps {
    const { reader, state, rejected, settings, clock, log } = this.#deps;
    const tenant = this.#deps.tenantOf(this.#plan);
    return {
      sink: this.key,
      sources: new Map(this.#plan.sources.map((source) => [source.name, source])),
      tenant,
      owner: tenant?.value ?? this.key.slice(0, -this.#plan.name.length),
      batch: this.#plan.batch,
      laneCount: settings.laneCount,
      dropExhausted: settings.onExhausted === "drop",
      reader,
      stepMs: settings.intervalMs,
      endpoint: this.#plan.endpoint,
      connection,
      rejected,
      refusals: this.#refusals,
      state,
      late: this.#late,
      share: this.#share,
      stats: this.#stats,
      clock,
      log,
    };
  }

  #connect(): Connection | InvalidEndpoint {
    if (this.#connection !== undefined) return this.#connection;
    const connection = this.#deps.connect(this.#plan, {
      interrupt: () => this.#interrupt,
      onRetry: () => {
        this.#stats.retries++;
      },
    });
    if (connection.kind === "connected") this.#connection = connection;
    return connection;
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.sender.close();
  }

  #recover(): void {
    if (this.#standing.kind === "delivering") return;
    this.#deps.log.info({ sink: this.key, after: this.#standing.kind }, "the receiver takes requests again");
    this.#standing = delivering;
  }

  #noteSources(group: WindowGroup, errors: ReadonlyMap<string, string>, failed: Set<string>): void {
    for (const name of group.sources) {
      const error = errors.get(name);
      if (error !== undefined) failed.add(name);
      const before = this.#sourceErrors.get(name);
      if (before === error) continue;
      const known = [...this.#sourceErrors].filter(([source]) => source !== name);
      this.#sourceErrors = new Map(error === undefined ? known : [...known, [name, error]]);
      if (error === undefined) continue;
      this.#deps.log.warn(
        { sink: this.key, source: name, error },
        "a source could not be read; its window is read again",
      );
    }
  }
}

/** What nearly all sinks have, for all of them: an empty Map of its own is two hundred bytes (bench/small-policies.ts). */
const noErrors: ReadonlyMap<string, string> = new Map();
const noCheckpoints: ReadonlyMap<string, number> = new Map();
const neverAborted = new AbortController().signal;

/** Expressions look at samples before and after each point, which take longer to be there. */
function delaysOf({ sources }: SinkPlan, settings: ExportSettings): readonly number[] {
  const { delayMs, expressionDelayMs } = settings;
  return sources.map(({ metricsql }) => (sourceKind(metricsql) === "raw" ? delayMs : expressionDelayMs));
}
