import { createHash } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/core/log.ts";
import type { SampleCounter } from "../../metrics-store/sample-counter.ts";
import type { Tenant } from "../../metrics-store/sample-reader.ts";
import { sourceKind } from "../../metrics-store/source-kind.ts";
import type { Window } from "../../metrics-store/window.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import type { PlannedWindow } from "../plan/planned-windows.ts";
import { readOwner } from "../read-owner.ts";
import type { SinkStats } from "../sink-stats.ts";
import type { OpenWindow, StateStore } from "../state/sink-state.ts";
import { type CheckTimes, checkDepthMs, lookBackMs } from "./check-times.ts";
import { CountCheck } from "./count-check.ts";
import type { SinkCounts } from "./known-counts.ts";
import { lateKey } from "./late-key.ts";
import type { SampleCounts, StepCount } from "./sample-counts.ts";
import type { SentLog } from "./sent-log.ts";
import { SentMemory } from "./sent-memory.ts";
import type { SourceCounts } from "./sent-record.ts";
import type { Sent } from "./sent-samples.ts";

/** What `delivery.lateness` needs beside the rest of an exporter. */
export interface LateDeps {
  readonly sent: SentLog;
  readonly times: CheckTimes;
  /** Other processes may run the sink's cycles in between. */
  readonly isShared: boolean;
}

export interface LateSamplesDeps extends LateDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly state: StateStore;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tenantOf: (plan: SinkPlan) => Tenant | undefined;
}

interface RawSource {
  readonly id: string;
  /** MetricsQL. */
  readonly query: string;
}

/** Longest span of late samples that is read at once. */
const longestSpanMs = 5 * 60_000;

/**
 * `delivery.lateness` of one sink: asks the store from time to time how many samples it has, and plans a
 * reading where it has more than were read.
 */
export class LateSamples {
  readonly #deps: LateSamplesDeps;
  #plan: SinkPlan;
  /** By name: the sources that are read raw. */
  #sources: ReadonlyMap<string, RawSource> = new Map();
  readonly #memory: SentMemory;
  #planned: PlannedWindow[] = [];
  #lastCheckMs: number | undefined;
  /** The last check of everything that has not failed. */
  #lastFullCheckMs: number | undefined;
  /** The time of the newest late sample. */
  #lastLateMs = -Infinity;
  #phaseMs = 0;
  /** Up to here, what was not checked in time is counted. */
  #uncheckedToMs = -Infinity;

  constructor(plan: SinkPlan, deps: LateSamplesDeps) {
    this.#plan = plan;
    this.#deps = deps;
    this.#memory = new SentMemory(deps);
    this.change(plan);
  }

  /** Applies a changed plan; call between cycles. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    this.#planned = [];
    const tenant = plan.tenant?.kind === "tenant" ? plan.tenant.id : undefined;
    const raw = plan.sources.filter(({ metricsql }) => sourceKind(metricsql) === "raw");
    this.#sources = new Map(
      raw.map(({ name, metricsql }) => [name, { id: identityOf(name, tenant), query: metricsql }]),
    );
    const readAs = tenant ?? this.#deps.tenantOf(plan)?.value;
    const selected = JSON.stringify([raw.map(({ metricsql }) => metricsql), readAs]);
    this.#phaseMs = phaseOf(selected, this.#deps.times.quietMs);
  }

  /** The length of the steps by which samples are counted. */
  get stepMs(): number {
    return this.#memory.stepMs;
  }

  /**
   * Records what a window has sent. Call before its checkpoint moves: what is not recorded would be sent
   * again.
   *
   * @param window with its journal; undefined if nothing was sent
   * @param counts of each source, by name; understated counts only cost a reading
   * @param nowMs the store's time
   */
  async remember(
    bounds: Window,
    window: OpenWindow | undefined,
    counts: ReadonlyMap<string, SampleCounts>,
    nowMs: number,
  ): Promise<void> {
    const read = this.#countsOf(counts);
    // Nobody will look for samples of that time again.
    if (read.length === 0 || bounds.toMs <= nowMs - this.#deps.times.horizonMs) return;
    if (await this.#memory.add(bounds, window, read)) return;
    this.#deps.stats.uncheckedSeconds += Math.round((bounds.toMs - bounds.fromMs) / 1_000);
  }

  /** Records the late samples that a window has sent, and what the store had. */
  async rememberLate(
    planned: PlannedWindow,
    window: OpenWindow | undefined,
    counts: ReadonlyMap<string, SampleCounts>,
    found: number,
  ): Promise<void> {
    const sources = this.#countsOf(counts).map(({ source, counts: read }) => ({
      source,
      // The store counts what no reading can give: samples under equal times, or lines that are left out.
      counts: found > 0 ? read : (planned.late?.counts ?? read),
    }));
    await this.#memory.addLate(planned, window, sources);
    if (window !== undefined) await this.#deps.state.dropWindow(window);
  }

  /** Call when a reading has found late samples: there are more frequent checks from then on. */
  async noteFound({ toMs }: PlannedWindow): Promise<void> {
    const { state, sink, isShared } = this.#deps;
    this.#lastLateMs = Math.max(this.#lastLateMs, toMs);
    if (isShared) await state.setCheckpoint(lateKey(sink), lastLateSample, this.#lastLateMs);
  }

  /** The samples of a planned reading that were sent; everything, when that is not known any longer. */
  sentIn(planned: PlannedWindow): Promise<readonly Sent[]> {
    const ids = planned.sources.map((name) => this.#sources.get(name)?.id ?? "");
    return this.#memory.sentIn(planned, ids);
  }

  /**
   * The next reading of late samples, oldest first; undefined when there is none at present. Call when
   * nothing new is left to deliver.
   *
   * @param nowMs the store's time
   * @param checkpoints of the sink's sources
   * @param counter of the sink's store
   */
  async next(
    nowMs: number,
    checkpoints: ReadonlyMap<string, number>,
    counter: SampleCounter,
    signal: AbortSignal,
  ): Promise<PlannedWindow | undefined> {
    if (this.#planned.length === 0) await this.#check(nowMs, checkpoints, counter, signal);
    return this.#planned.shift();
  }

  async #check(
    nowMs: number,
    checkpoints: ReadonlyMap<string, number>,
    counter: SampleCounter,
    signal: AbortSignal,
  ): Promise<void> {
    const { sink, times, state, stats } = this.#deps;
    if (this.#sources.size === 0) return;
    if (this.#depthMs(nowMs, this.#lastCheckMs, times.alertMs) === undefined) return;
    const lastMs = await this.#lastCheck();
    const isAlert = this.#lastLateMs > nowMs - times.horizonMs;
    const depthMs = this.#depthMs(nowMs, lastMs, isAlert ? times.alertMs : times.quietMs);
    if (depthMs === undefined) return;
    this.#lastCheckMs = nowMs;
    if (this.#deps.isShared) await state.setCheckpoint(lateKey(sink), lastCheck, nowMs);
    await this.#absorb();
    const known = await this.#memory.counts();
    if (known === undefined) return;
    const failuresBefore = stats.lateCheckFailures;
    this.#noteUnchecked(known, nowMs);
    const deps = {
      ...this.#deps,
      ...{ counter, stepMs: this.stepMs, lookBackMs: lookBackMs(times), owner: this.#owner() },
    };
    const withMarkers = this.#turnOf(nowMs, times.horizonMs) !== this.#turnOf(lastMs, times.horizonMs);
    const check = new CountCheck(deps, { nowMs, depthMs, withMarkers }, signal);
    for (const [name, source] of this.#sources) {
      const toMs = Math.min(checkpoints.get(name) ?? -Infinity, nowMs - times.delayMs);
      const stepsOf = new Map<string, StepCount[]>();
      for (const step of known.get(source.id)?.between(-Infinity, toMs) ?? []) {
        const steps = stepsOf.get(step.query) ?? [];
        steps.push(step);
        stepsOf.set(step.query, steps);
      }
      // What was counted under another query is counted under that one again.
      for (const [query, steps] of stepsOf) await this.#checkSteps(name, source, query, steps, check);
    }
    this.#planned.sort((a, b) => a.fromMs - b.fromMs);
    if (depthMs === Infinity && stats.lateCheckFailures === failuresBefore) this.#noteFullCheck(nowMs);
  }

  /** Counts the time that has passed the last look at it while none was possible, as in a long outage. */
  #noteFullCheck(nowMs: number): void {
    const { times, stats } = this.#deps;
    const lastMs = this.#lastFullCheckMs ?? nowMs;
    const missedMs = nowMs - lookBackMs(times) - (lastMs - times.horizonMs);
    stats.uncheckedSeconds += Math.round(Math.min(times.horizonMs, Math.max(0, missedMs)) / 1_000);
    this.#lastFullCheckMs = nowMs;
  }

  async #checkSteps(
    name: string,
    { id, query: current }: RawSource,
    query: string,
    steps: readonly StepCount[],
    check: CountCheck,
  ): Promise<void> {
    const tenant = this.#deps.tenantOf(this.#plan);
    const { corrected, more } = await check.run({ selector: query, tenant }, steps);
    if (corrected.length > 0) {
      const span = spanOf(corrected, this.stepMs);
      await this.#memory.addLate(span, undefined, [{ source: id, counts: corrected }]);
    }
    const selector = intersection(query, current);
    for (const { fromMs, toMs, counts } of spansOf(more, this.stepMs)) {
      this.#planned.push({ fromMs, toMs, sources: [name], open: undefined, late: { counts, selector } });
    }
  }

  #turnOf(ms: number | undefined, everyMs: number): number | undefined {
    return ms === undefined ? undefined : Math.floor((ms - this.#phaseMs) / everyMs);
  }

  #depthMs(nowMs: number, lastMs: number | undefined, everyMs: number): number | undefined {
    const since = lastMs === undefined ? undefined : lastMs - this.#phaseMs;
    return checkDepthMs(nowMs - this.#phaseMs, since, everyMs, this.#deps.times.horizonMs);
  }

  async #lastCheck(): Promise<number | undefined> {
    const { isShared, state, sink } = this.#deps;
    // A process that has just started looks at everything: it may have been away for long.
    if (!isShared || this.#lastCheckMs === undefined) return this.#lastCheckMs;
    const { checkpoints } = await state.load(lateKey(sink));
    this.#lastLateMs = Math.max(this.#lastLateMs, checkpoints.get(lastLateSample) ?? -Infinity);
    return checkpoints.get(lastCheck);
  }

  /**
   * Takes over what a reading of late samples has sent that did not come to its end; the next one leaves it
   * out.
   */
  async #absorb(): Promise<void> {
    const { state, sink } = this.#deps;
    for (const window of (await state.load(lateKey(sink))).windows) {
      await this.#memory.addLate(window, window, []);
      await state.dropWindow(window);
    }
  }

  #countsOf(counts: ReadonlyMap<string, SampleCounts>): SourceCounts[] {
    return [...counts].flatMap(([name, read]) => {
      const source = this.#sources.get(name);
      return source === undefined ? [] : [{ source: source.id, query: source.query, counts: read.list() }];
    });
  }

  /** Counts the time within the horizon that is no longer remembered. */
  #noteUnchecked(known: SinkCounts, nowMs: number): void {
    const fromMs = Math.max(this.#uncheckedToMs, nowMs - this.#deps.times.horizonMs);
    let uncheckedToMs = fromMs;
    let seconds = 0;
    for (const { id } of this.#sources.values()) {
      const lost = known.get(id)?.lost;
      if (lost === undefined || lost.toMs <= fromMs) continue;
      uncheckedToMs = Math.max(uncheckedToMs, lost.toMs);
      seconds = Math.max(seconds, (lost.toMs - Math.max(fromMs, lost.fromMs)) / 1_000);
    }
    this.#deps.stats.uncheckedSeconds += Math.round(seconds);
    this.#uncheckedToMs = uncheckedToMs;
  }

  #owner(): string {
    return readOwner(this.#plan, this.#deps.sink, this.#deps.tenantOf(this.#plan));
  }
}

/** Names under which the state store keeps times for all replicas; no source's name contains a space. */
const lastCheck = "last check";
const lastLateSample = "last late sample";

/** Spans of neighbouring steps. */
function spansOf(steps: readonly StepCount[], stepMs: number) {
  const spans: Array<{ fromMs: number; toMs: number; counts: StepCount[] }> = [];
  for (const step of steps) {
    const last = spans.at(-1);
    if (
      last !== undefined &&
      last.toMs === step.endMs - stepMs &&
      step.endMs - last.fromMs <= longestSpanMs
    ) {
      last.toMs = step.endMs;
      last.counts.push(step);
    } else {
      spans.push({ fromMs: step.endMs - stepMs, toMs: step.endMs, counts: [step] });
    }
  }
  return spans;
}

function spanOf(steps: readonly StepCount[], stepMs: number): Window {
  const ends = steps.map(({ endMs }) => endMs);
  return { fromMs: Math.min(...ends) - stepMs, toMs: Math.max(...ends) };
}

/** Another tenant of the store has other samples: what was sent of one tells nothing about the other. */
function identityOf(source: string, tenant: string | undefined): string {
  const identity = tenant === undefined ? source : `${tenant}/${source}`;
  return createHash("sha1").update(identity).digest().toString("latin1", 0, 8);
}

/** What both selectors select: an edited source sends nothing that it did not select at that time. */
function intersection(one: string, other: string): string {
  if (one === other) return one;
  const [first, second] = [parse(one), parse(other)];
  if (first.type !== "selector" || second.type !== "selector") return other;
  const groups = first.groups.flatMap((group) => second.groups.map((own) => [...group, ...own]));
  return print({ ...first, groups });
}

/** Spreads the checks of sinks over time; sinks of equal sources check together, and share the counts. */
function phaseOf(sources: string, periodMs: number): number {
  return createHash("sha1").update(sources).digest().readUInt32LE(0) % periodMs;
}
