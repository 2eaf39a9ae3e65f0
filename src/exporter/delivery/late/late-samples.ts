import { createHash } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { Tenant } from "../../metrics-store/ports/sample-reader.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import { sourceKind } from "../../metrics-store/source-kind.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { lateKey } from "../state/late-key.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import type { SampleCounts, StepCount } from "../state/sample-counts.ts";
import type { OpenWindow, StateStore } from "../state/sink-state.ts";
import { readOwner } from "../stats/read-owner.ts";
import type { SinkStats } from "../stats/sink-stats.ts";
import { CheckSchedule, type DueCheck } from "./check-schedule.ts";
import { type CheckTimes, lookBackMs } from "./check-times.ts";
import { type CheckReach, CountCheck } from "./count-check.ts";
import type { KnownStep, SinkCounts } from "./known-counts.ts";
import { RecentReads } from "./recent-reads.ts";
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

/** What a check for late samples depends on. */
interface LateTurn {
  /** The store's time. */
  readonly nowMs: number;
  /** Of the sink's sources (Unix ms). */
  readonly checkpoints: ReadonlyMap<string, number>;
  /** Sources that could not be read in this cycle. */
  readonly failed: ReadonlySet<string>;
  /** Of the sink's store. */
  readonly counter: SampleCounter;
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
  /** Spans that could not be read, or of which nothing could be sent: they wait for the next check. */
  #waiting: PlannedWindow[] = [];
  /** The span that was handed out last, until its reading has ended. */
  #running: PlannedWindow | undefined;
  readonly #schedule: CheckSchedule;
  readonly #reads = new RecentReads();
  /** Up to here, what was not checked in time is counted. */
  #uncheckedToMs = -Infinity;

  constructor(plan: SinkPlan, deps: LateSamplesDeps) {
    this.#plan = plan;
    this.#deps = deps;
    this.#memory = new SentMemory(deps);
    this.#schedule = new CheckSchedule(deps);
    this.change(plan);
  }

  /** Applies a changed plan; call between cycles. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    const before = this.#sources;
    const tenant = plan.tenant?.kind === "tenant" ? plan.tenant.id : undefined;
    const raw = plan.sources.filter(({ metricsql }) => sourceKind(metricsql) === "raw");
    this.#sources = new Map(
      raw.map(({ name, metricsql }) => [name, { id: identityOf(name, tenant), query: metricsql }]),
    );
    const readAs = tenant ?? this.#deps.tenantOf(plan)?.value;
    this.#schedule.setPhase(JSON.stringify([raw.map(({ metricsql }) => metricsql), readAs]));
    this.#dropOutdated(before);
  }

  /** Drops the planned spans of edited sources, which are to be counted again; those of the others stay. */
  #dropOutdated(before: ReadonlyMap<string, RawSource>): void {
    const edited = new Set(
      [...before].flatMap(([name, { id, query }]) => {
        const now = this.#sources.get(name);
        return now?.id === id && now.query === query ? [] : [name];
      }),
    );
    if (edited.size === 0) return;
    const planned = [...this.#planned, ...this.#waiting, ...(this.#running ? [this.#running] : [])];
    const ofPlanned = planned.flatMap(({ sources }) => sources);
    this.#schedule.restart(edited, ofPlanned, (name) => this.#sources.has(name));
    const isCurrent = ({ sources }: PlannedWindow) => !sources.some((name) => edited.has(name));
    this.#planned = this.#planned.filter(isCurrent);
    this.#waiting = this.#waiting.filter(isCurrent);
    if (this.#running !== undefined && !isCurrent(this.#running)) this.#running = undefined;
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
    this.#reads.note(bounds, this.#deps.clock.monotonicMs());
    const read = this.#countsOf(counts);
    // Samples of that time are not checked again.
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
    if (this.#running === planned) this.#running = undefined;
    this.#reads.note(planned, this.#deps.clock.monotonicMs());
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
    await this.#schedule.found(toMs);
  }

  /** The samples of a planned reading that were sent; everything, when that is not known any longer. */
  sentIn(planned: PlannedWindow): Promise<readonly Sent[]> {
    const ids = planned.sources.map((name) => this.#sources.get(name)?.id ?? "");
    return this.#memory.sentIn(planned, ids);
  }

  /**
   * The next reading of late samples, oldest first; undefined when there is none at present. Call when
   * nothing new is left to deliver, and no reading is in progress.
   */
  async next(turn: LateTurn, signal: AbortSignal): Promise<PlannedWindow | undefined> {
    await this.#putBack();
    const isReadable = ({ sources }: PlannedWindow) => !sources.some((name) => turn.failed.has(name));
    if (!this.#planned.some(isReadable)) await this.#check(turn, signal);
    const index = this.#planned.findIndex(isReadable);
    if (index === -1) return undefined;
    [this.#running] = this.#planned.splice(index, 1);
    return this.#running;
  }

  /** A span whose reading did not come to its end is read again: at once, if something of it was sent. */
  async #putBack(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    if (await this.#absorb()) this.#planned.unshift(running);
    else this.#waiting.push(running);
  }

  async #check(turn: LateTurn, signal: AbortSignal): Promise<void> {
    const { times, stats } = this.#deps;
    const { nowMs } = turn;
    if (this.#sources.size === 0) return;
    const due = await this.#schedule.begin(nowMs, this.#sources.keys());
    if (due === undefined) return;
    await this.#absorb();
    const known = await this.#memory.counts();
    if (known === undefined) return;
    this.#noteUnchecked(known, nowMs);
    const oldestMs = nowMs - lookBackMs(times);
    this.#planned = [...this.#planned, ...this.#waiting].filter(({ toMs }) => toMs > oldestMs);
    this.#waiting = [];
    let missedMs = 0;
    for (const [name, source] of this.#sources) {
      missedMs = Math.max(missedMs, this.#missedMs(name, turn, due));
      const steps = [...(known.get(source.id)?.between(-Infinity, this.#countableToMs(name, turn)) ?? [])];
      const check = (depthMs: number, withMarkers: boolean): Promise<boolean> => {
        const readAtMs = this.#reads.lastOf.bind(this.#reads);
        const reach = { nowMs, depthMs, withMarkers, readAtMs };
        return this.#checkSource(name, steps, reach, turn.counter, signal);
      };
      const depthMs = this.#schedule.depthOf(name, due);
      const withMarkers = this.#schedule.areMarkersDue(name, due);
      const isChecked = !turn.failed.has(name) && (await check(depthMs, withMarkers));
      if (isChecked) this.#schedule.checked(name);
      else await this.#schedule.failed(name, due);
      // A count of everything may be too much for the store, again and again.
      if (!isChecked && !turn.failed.has(name) && due.depthMs < depthMs) await check(due.depthMs, false);
    }
    stats.uncheckedSeconds += Math.round(Math.min(times.horizonMs, missedMs) / 1_000);
    this.#planned.sort((a, b) => a.fromMs - b.fromMs);
  }

  #countableToMs(name: string, { checkpoints, nowMs }: LateTurn): number {
    return Math.min(checkpoints.get(name) ?? -Infinity, nowMs - this.#deps.times.delayMs);
  }

  /**
   * The time of a source that has become too old to be checked since the last check, and was not checked
   * before: no check was possible, as in a long outage, or all of them have failed.
   */
  #missedMs(name: string, turn: LateTurn, due: DueCheck): number {
    if (due.lastMs === undefined) return 0;
    const { times } = this.#deps;
    const sinceMs = this.#schedule.sinceMs(name, due);
    // What was not read yet is not unchecked.
    const readMs = turn.failed.has(name) ? (turn.checkpoints.get(name) ?? -Infinity) : Infinity;
    const seenMs = sinceMs === undefined ? -Infinity : sinceMs - times.horizonMs;
    const toMs = Math.min(turn.nowMs - lookBackMs(times), readMs);
    return Math.max(0, toMs - Math.max(seenMs, due.lastMs - lookBackMs(times)));
  }

  /** @returns whether the store has counted the samples */
  async #checkSource(
    name: string,
    steps: readonly KnownStep[],
    reach: CheckReach,
    counter: SampleCounter,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { times } = this.#deps;
    const source = this.#sources.get(name);
    if (source === undefined) return true;
    const deps = {
      ...this.#deps,
      ...{ counter, stepMs: this.stepMs, lookBackMs: lookBackMs(times), owner: this.#owner() },
    };
    const check = new CountCheck(deps, reach, signal);
    // What was counted under another query is counted under that one again.
    const found: PlannedWindow[] = [];
    const stepsOf = new Map<string, StepCount[]>();
    for (const step of steps) {
      const own = stepsOf.get(step.query) ?? [];
      own.push(step);
      stepsOf.set(step.query, own);
    }
    let isWhole = true;
    let hasMarkers = true;
    for (const [query, own] of stepsOf) {
      const checked = await this.#checkSteps(name, source, query, own, check);
      found.push(...checked.spans);
      isWhole &&= checked.hasSamples;
      hasMarkers &&= checked.hasMarkers;
    }
    if (reach.withMarkers && isWhole && hasMarkers) this.#schedule.markersCounted(name, reach.nowMs);
    // The check has found again what was planned before and is still missing.
    const fromMs = isWhole ? reach.nowMs - reach.depthMs : Infinity;
    this.#planned = this.#planned.filter((span) => !span.sources.includes(name) || span.fromMs < fromMs);
    this.#planned.push(...found);
    return isWhole;
  }

  async #checkSteps(
    name: string,
    { id, query: current }: RawSource,
    query: string,
    steps: readonly StepCount[],
    check: CountCheck,
  ): Promise<{ spans: PlannedWindow[]; hasSamples: boolean; hasMarkers: boolean }> {
    const tenant = this.#deps.tenantOf(this.#plan);
    const { corrected, more, ...has } = await check.run({ selector: query, tenant }, steps);
    if (corrected.length > 0) {
      const span = spanOf(corrected, this.stepMs);
      await this.#memory.addLate(span, undefined, [{ source: id, counts: corrected }]);
    }
    const selector = intersection(query, current);
    const spans = spansOf(more, this.stepMs).map(({ fromMs, toMs, counts }) => ({
      ...{ fromMs, toMs, sources: [name], open: undefined },
      late: { counts, selector },
    }));
    return { spans, ...has };
  }

  /**
   * Records what a reading of late samples has sent that did not come to its end; the next one leaves it out.
   *
   * @returns whether it has sent anything
   */
  async #absorb(): Promise<boolean> {
    const { state, sink } = this.#deps;
    let hasSent = false;
    for (const window of (await state.load(lateKey(sink))).windows) {
      hasSent ||= [...window.requests.values()].some((request) => request.state === "acknowledged");
      await this.#memory.addLate(window, window, []);
      await state.dropWindow(window);
    }
    return hasSent;
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

/** Another tenant of the store has other samples: what was sent of one says nothing about the other. */
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
