import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { Tenant } from "../../metrics-store/ports/sample-reader.ts";
import type { SinkStore } from "../../metrics-store/sink-store.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { type LateDeps, LateSamples } from "../late/late-samples.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import { keepForgottenMs, type StateStore } from "../state/sink-state.ts";
import { lateKey } from "../state/state-keys.ts";
import type { SinkStats } from "../stats/sink-stats.ts";
import { forgetAbsentSources } from "./absent-sources.ts";
import { afterClosing, aheadSpans, type PlannerState } from "./ahead-spans.ts";
import { BackfillLimit } from "./backfill-limit.ts";
import { cycleTimesOf, onGrid, sinceLastCycle } from "./cycle-times.ts";
import { NewestFirst } from "./newest-first.ts";
import { adaptWindow, type WindowCost } from "./next-window.ts";
import { plannedWindows, waitsFor } from "./planned-windows.ts";
import { type Watermark, Watermarks } from "./watermarks.ts";

/** Settings of `metrics` and `delivery` that determine the windows; times in ms. */
export interface WindowSettings {
  readonly intervalMs: number;
  /** Minimum delay of windows behind the store's clock. */
  readonly delayMs: number;
  /** The same for expressions. */
  readonly expressionDelayMs: number;
  /** Window ends are multiples of this. */
  readonly windowGridMs: number;
  readonly maxWindowMs: number;
  /**
   * Maximum length of the first window; later ones are longer if reads are quick. Defaults to `maxWindowMs`.
   */
  readonly firstWindowMs?: number | undefined;
  readonly maxBackfillMs: number;
  /** How far back a new sink starts; 0 is now. */
  readonly startFromMs: number;
  /** What `retry.order: newestFirst` delivers first: so much, or two periods. Default: 5 minutes. */
  readonly newestMs?: number;
}

export interface WindowPlannerDeps {
  readonly state: StateStore;
  readonly settings: WindowSettings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Set when `delivery.lateness` is set. */
  readonly late?: LateDeps | undefined;
  /** The label that every query of a plan's project must carry, or undefined. */
  tenantOf(plan: SinkPlan): Tenant | undefined;
  /** The checkpoint in the policy's status (Unix ms), from which a sink resumes when its state is lost. */
  readonly reportedMs?: ((plan: SinkPlan) => number | undefined) | undefined;
}

const defaultNewestMs = 300_000;

/** Tracks a sink's progress through its sources, and decides which window is next. */
export class WindowPlanner {
  readonly #key: string;
  readonly #deps: WindowPlannerDeps;
  readonly #stats: SinkStats;
  #plan: SinkPlan;
  #limitMs: number;
  readonly #watermarks: Watermarks;
  #checkpoints: ReadonlyMap<string, number> = noCheckpoints;
  #completeToMs: number | undefined;
  /** Of the last cycle. */
  #store: SinkStore | undefined;
  readonly #backfillLimit: BackfillLimit;
  readonly #newestFirst: NewestFirst;
  /** Set when `delivery.lateness` is set. */
  readonly late: LateSamples | undefined;
  #hasStarted = false;

  /** @param key of the plan's sink: see `sinkKey` */
  constructor(key: string, plan: SinkPlan, deps: WindowPlannerDeps, stats: SinkStats) {
    this.#key = key;
    this.#deps = deps;
    this.#stats = stats;
    this.#plan = plan;
    this.#watermarks = new Watermarks(plan, deps.settings);
    const { maxWindowMs, firstWindowMs = maxWindowMs } = deps.settings;
    this.#limitMs = firstWindowMs;
    this.#backfillLimit = new BackfillLimit(() => this.#maxBackfillMs());
    const { late, state, clock, log, tenantOf } = deps;
    this.#newestFirst = new NewestFirst(key, state, log);
    this.late = late && new LateSamples(plan, { ...late, sink: key, state, stats, clock, log, tenantOf });
  }

  get periodMs(): number {
    return Math.max(this.#deps.settings.intervalMs, this.#plan.batch.timeoutMs);
  }

  /** Applies a changed plan; call between cycles. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    this.#watermarks.change(plan);
    this.late?.change(plan);
    this.#newestFirst.change();
  }

  /**
   * Call first in a cycle: starts new sources, and skips data that is too old.
   *
   * @param nowMs by the store's clock, on the grid
   * @param store of the sink in this cycle
   */
  async begin(nowMs: number, store: SinkStore): Promise<void> {
    this.#store = store;
    this.#watermarks.dedupMs = (await store.dedupIntervalMs?.()) || 1;
    await this.#start(nowMs);
    await this.#skipTooOld(nowMs);
    await this.#forgetAbsent(nowMs);
    this.#completeToMs = this.#dueToMs(nowMs);
    await this.#beginAhead(this.#completeToMs);
  }

  /**
   * Cycles between the regular ones are for late samples: new ones wait for the next start, and are sent in
   * full batches.
   */
  #dueToMs(nowMs: number): number {
    const { late, settings, clock } = this.#deps;
    if (late === undefined || this.periodMs <= late.times.alertMs) return nowMs;
    const sinceMs = sinceLastCycle(cycleTimesOf(this.#plan, settings.intervalMs), clock.nowMs());
    return onGrid(nowMs - sinceMs, settings.windowGridMs);
  }

  /** The next window. @param failed sources that could not be read in this cycle */
  async next(failed: ReadonlySet<string>, signal: AbortSignal): Promise<PlannedWindow | undefined> {
    return this.#nextGroup(await this.#join(), failed) ?? (await this.#nextLate(failed, signal));
  }

  /** The window that follows `group` once that is closed, if it can be determined in advance. */
  async after(group: PlannedWindow, failed: ReadonlySet<string>): Promise<PlannedWindow | undefined> {
    if (group.late !== undefined) return undefined;
    const next = this.#nextGroup(afterClosing(await this.#load(), group), failed);
    // A window opened before may have requests in doubt, which are resolved first.
    return next?.open === undefined ? next : undefined;
  }

  /** The windows after `group`, in the order of time, as if each before it were closed. */
  async *following(group: PlannedWindow, failed: ReadonlySet<string>): AsyncGenerator<PlannedWindow, void> {
    let state = await this.#load();
    for (let before = group; ; ) {
      state = afterClosing(state, before);
      const next = this.#nextGroup(state, failed);
      if (next === undefined || next.isAhead !== before.isAhead) return;
      yield next;
      before = next;
    }
  }

  /** Adapts the length of the next windows to the cost of reading one. */
  adapt(cost: WindowCost): void {
    this.#limitMs = adaptWindow(this.#limitMs, cost, this.#deps.settings.maxWindowMs);
  }

  /** Unix ms; undefined before the source's first cycle. */
  checkpointMs(source: string): number | undefined {
    return this.#checkpoints.get(source);
  }

  /**
   * The age of the newest delivered sample: now minus the oldest checkpoint, by the store's clock or our own,
   * whichever is ahead. Undefined before the first cycle.
   */
  lagMs(): number | undefined {
    const nowMs = Math.max(this.#knownNowMs() ?? -Infinity, this.#deps.clock.nowMs());
    return this.#longest((_, checkpointMs) => nowMs - checkpointMs, nowMs);
  }

  /** The age at which a sample that was not delivered is lost (ms): skipped, or deleted by the store. */
  keptMs(): number {
    return Math.min(this.#maxBackfillMs(), this.#store?.retentionMs?.() ?? Infinity);
  }

  /** The operator's limit holds for every sink. A sink may have a shorter one, of at least two periods. */
  #maxBackfillMs(): number {
    const { maxBackfillMs = Infinity } = this.#plan.retry;
    return Math.min(this.#deps.settings.maxBackfillMs, Math.max(maxBackfillMs, 2 * this.periodMs));
  }

  /** What could have been delivered: the watermark minus the oldest checkpoint. */
  behindMs(): number | undefined {
    const nowMs = this.#knownNowMs();
    if (nowMs === undefined) return undefined;
    return this.#longest(({ watermarkMs }, checkpointMs) => watermarkMs - checkpointMs, nowMs);
  }

  #longest(sinceMs: (source: Watermark, checkpointMs: number) => number, nowMs: number): number | undefined {
    const lags = this.#watermarks.at(nowMs).flatMap((source) => {
      const checkpointMs = this.#checkpoints.get(source.name);
      return checkpointMs === undefined ? [] : [Math.max(0, sinceMs(source, checkpointMs))];
    });
    return lags.length === 0 ? undefined : Math.max(...lags);
  }

  #knownNowMs(): number | undefined {
    return this.#storeNowMs() ?? this.#completeToMs;
  }

  #storeNowMs(): number | undefined {
    return this.#store?.reader.storeNowMs();
  }

  async #load(): Promise<PlannerState> {
    const main = await this.#deps.state.load(this.#key);
    this.#checkpoints = main.checkpoints;
    return this.#newestFirst.load(main);
  }

  /** The same, after the checkpoints have joined the spans ahead that they have reached. */
  async #join(): Promise<PlannerState> {
    const state = await this.#load();
    return (await this.#newestFirst.join(state)) ? this.#load() : state;
  }

  /** @param completeToMs by the store's clock, on the grid */
  async #beginAhead(completeToMs: number): Promise<void> {
    const state = await this.#join();
    const { newestMs = defaultNewestMs } = this.#deps.settings;
    const isWanted = this.#plan.retry.order === "newestFirst";
    const sources = isWanted ? this.#watermarks.at(completeToMs) : [];
    await this.#newestFirst.begin(state, sources, Math.max(newestMs, 2 * this.periodMs));
  }

  /** Late samples are looked for in whole steps: in a part of one they would be missed. */
  #stepStart(ms: number): number {
    const stepMs = this.late?.stepMs ?? 1;
    return Math.floor(ms / stepMs) * stepMs;
  }

  /** Fixes the start of new sources before anything is read. */
  async #start(nowMs: number): Promise<void> {
    const { state, settings, log } = this.#deps;
    const { checkpoints } = (await this.#load()).main;
    if (!this.#hasStarted && this.late === undefined) await this.#forgetLate();
    this.#hasStarted = true;
    // A new source of a known sink has not reached the checkpoint that the status reports for the others.
    const reportedMs = checkpoints.size === 0 ? this.#deps.reportedMs?.(this.#plan) : undefined;
    const startMs = Math.min(reportedMs ?? this.#stepStart(nowMs - settings.startFromMs), nowMs);
    const fresh = this.#plan.sources.filter(({ name }) => !checkpoints.has(name));
    for (const { name } of fresh) {
      await state.setCheckpoint(this.#key, name, startMs);
      log.info(
        { sink: this.#key, source: name, from: new Date(startMs).toISOString() },
        "a new source starts",
      );
    }
  }

  /**
   * Deletes the journal of late samples when `delivery.lateness` was set before a restart and is now unset.
   */
  async #forgetLate(): Promise<void> {
    const { state } = this.#deps;
    const key = lateKey(this.#key);
    if ((await state.load(key)).windows.length > 0) await state.forget(key);
  }

  /** Skips data older than `retry.maxBackfill` or `delivery.maxBackfill`. */
  async #skipTooOld(nowMs: number): Promise<void> {
    const { state, clock, log, settings } = this.#deps;
    const limit =
      settings.maxBackfillMs > this.#maxBackfillMs() ? "retry.maxBackfill" : "delivery.maxBackfill";
    const oldestMs = this.#backfillLimit.oldestMs(nowMs, clock.monotonicMs());
    const current = await this.#load();
    const { checkpoints, windows } = current.main;
    // What is ahead was delivered.
    const spans = aheadSpans(current);
    const oldestOf = (name: string) => Math.min(oldestMs, spans.get(name)?.fromMs ?? oldestMs);
    const isTooOld = (name: string) => (checkpoints.get(name) ?? oldestMs) < oldestOf(name);
    const tooOld = this.#plan.sources.filter(({ name }) => isTooOld(name));
    if (!this.#backfillLimit.agrees(tooOld.length > 0)) return;
    for (const window of windows) if (window.toMs <= oldestMs) await state.dropWindow(window);
    for (const { name } of tooOld) {
      const fromMs = checkpoints.get(name) ?? oldestMs;
      if (windows.some((window) => window.toMs > oldestMs && window.sources.has(name))) continue;
      const seconds = Math.round((oldestOf(name) - fromMs) / 1_000);
      this.#stats.skippedSeconds += seconds;
      await state.setCheckpoint(this.#key, name, oldestOf(name));
      const message = `${seconds} s of source ${name} are older than ${limit} and were skipped`;
      this.#stats.fail(message, clock.nowMs());
      log.error({ sink: this.#key, source: name, seconds, from: new Date(fromMs).toISOString() }, message);
    }
  }

  async #forgetAbsent(nowMs: number): Promise<void> {
    const { state, settings } = this.#deps;
    // A source that returns later could deliver nothing of that time.
    const oldestMs = nowMs - Math.max(keepForgottenMs, settings.maxBackfillMs);
    const present = new Set(this.#plan.sources.map(({ name }) => name));
    for (const key of [this.#key, this.#newestFirst.key])
      if (key !== undefined) await forgetAbsentSources(state, key, present, oldestMs);
  }

  #nextGroup(state: PlannerState, failed: ReadonlySet<string>): PlannedWindow | undefined {
    const nowMs = this.#storeNowMs();
    if (nowMs === undefined) return undefined;
    const gridNowMs = onGrid(nowMs, this.#deps.settings.windowGridMs);
    // Samples that become complete during a cycle belong to the next one. Otherwise a cycle would read every
    // further second separately, where the next one reads them at once. A cycle longer than its period is the
    // exception.
    const sinceMs = gridNowMs - (this.#completeToMs ?? -Infinity);
    if (sinceMs < 0 || sinceMs >= this.periodMs) this.#completeToMs = gridNowMs;
    const completeToMs = this.#completeToMs ?? gridNowMs;
    const sources = this.#watermarks.at(completeToMs).filter(({ name }) => !failed.has(name));
    const { main, ahead } = state;
    const spans = aheadSpans(state);
    const newest = sources.filter(({ name }) => spans.has(name));
    const oldest = sources.map((source) => {
      const untilMs = spans.get(source.name)?.fromMs ?? Infinity;
      return { ...source, watermarkMs: Math.min(source.watermarkMs, untilMs) };
    });
    const groups = [
      ...plannedWindows(newest, ahead, this.#limitMs).map((group) => ({ ...group, isAhead: true as const })),
      ...plannedWindows(oldest, main, this.#limitMs),
    ];
    return groups.find((group) => !waitsFor(group, failed));
  }

  /** A span with late samples, only when nothing is new: late samples have waited already. */
  async #nextLate(failed: ReadonlySet<string>, signal: AbortSignal): Promise<PlannedWindow | undefined> {
    const store = this.#store;
    if (store === undefined) return undefined;
    if (failed.size === 0) this.#backfillLimit.caughtUp();
    const nowMs = store.reader.storeNowMs() ?? 0;
    const { counter } = store;
    return this.late?.next({ nowMs, checkpoints: this.#checkpoints, failed, counter }, signal);
  }
}

/**
 * Shared by all sinks that have not started: an empty Map for each would cost memory
 * (bench/small-policies.ts).
 */
const noCheckpoints: ReadonlyMap<string, number> = new Map();
