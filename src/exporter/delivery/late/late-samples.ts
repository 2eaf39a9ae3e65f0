import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { Tenant } from "../../metrics-store/ports/sample-reader.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import type { SampleCounts } from "../state/sample-counts.ts";
import type { OpenWindow, StateStore } from "../state/sink-state.ts";
import { lateKey } from "../state/state-keys.ts";
import { readOwner } from "../stats/read-owner.ts";
import type { SinkStats } from "../stats/sink-stats.ts";
import { CheckSchedule, type DueCheck } from "./check-schedule.ts";
import { type CheckTimes, lookBackMs } from "./check-times.ts";
import { type CheckReach, CountCheck } from "./count-check.ts";
import type { KnownStep, SinkCounts } from "./known-counts.ts";
import { LateSpans } from "./late-spans.ts";
import { RecentReads } from "./recent-reads.ts";
import type { SentLog } from "./sent-log.ts";
import { SentMemory } from "./sent-memory.ts";
import type { SourceCounts } from "./sent-record.ts";
import type { Sent } from "./sent-samples.ts";
import { checkSource, type RawSource, rawSourcesOf } from "./source-check.ts";

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
  readonly #spans = new LateSpans();
  readonly #schedule: CheckSchedule;
  readonly #reads = new RecentReads();

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
    this.#sources = rawSourcesOf(plan);
    const queries = [...this.#sources.values()].map(({ query }) => query);
    const readAs = plan.tenant?.kind === "tenant" ? plan.tenant.id : this.#deps.tenantOf(plan)?.value;
    this.#schedule.setPhase(JSON.stringify([queries, readAs]));
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
    this.#schedule.restart(edited, this.#spans.sources(), (name) => this.#sources.has(name));
    this.#spans.drop(edited);
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
    this.#spans.ended(planned);
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
    // At once, if something of it was sent.
    await this.#spans.putBack(() => this.#absorb());
    const planned = this.#spans.next(turn.failed);
    if (planned !== undefined) return planned;
    await this.#check(turn, signal);
    return this.#spans.next(turn.failed);
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
    await this.#noteUnchecked(known, nowMs);
    this.#spans.beginCheck(nowMs - lookBackMs(times));
    let missedMs = 0;
    for (const [name, source] of this.#sources) {
      missedMs = Math.max(missedMs, this.#missedMs(name, turn, due));
      const steps = [...(known.get(source.id)?.between(-Infinity, this.#countableToMs(name, turn)) ?? [])];
      const check = (depthMs: number, withMarkers: boolean): Promise<boolean> => {
        const reach = { nowMs, depthMs, withMarkers, readAtMs: this.#reads.lastOf.bind(this.#reads) };
        return this.#checkSource(name, source, steps, reach, turn.counter, signal);
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
    source: RawSource,
    steps: readonly KnownStep[],
    reach: CheckReach,
    counter: SampleCounter,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { times, sink } = this.#deps;
    const tenant = this.#deps.tenantOf(this.#plan);
    const owner = readOwner(this.#plan, sink, tenant);
    const deps = { ...this.#deps, counter, stepMs: this.stepMs, lookBackMs: lookBackMs(times), owner };
    const check = new CountCheck(deps, reach, signal);
    const found = await checkSource(name, source, tenant, steps, check, this.#memory);
    const { hasSamples, hasMarkers } = found;
    if (reach.withMarkers && hasSamples && hasMarkers) this.#schedule.markersCounted(name, reach.nowMs);
    this.#spans.found(name, hasSamples ? reach.nowMs - reach.depthMs : Infinity, found.spans);
    return hasSamples;
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
  async #noteUnchecked(known: SinkCounts, nowMs: number): Promise<void> {
    const fromMs = Math.max(this.#schedule.uncheckedToMs, nowMs - this.#deps.times.horizonMs);
    let uncheckedToMs = fromMs;
    let seconds = 0;
    for (const { id } of this.#sources.values()) {
      const lost = known.get(id)?.lost;
      if (lost === undefined || lost.toMs <= fromMs) continue;
      uncheckedToMs = Math.max(uncheckedToMs, lost.toMs);
      seconds = Math.max(seconds, (lost.toMs - Math.max(fromMs, lost.fromMs)) / 1_000);
    }
    if (uncheckedToMs === fromMs) return;
    // First: where the note cannot be written, the time may count twice, and never not at all.
    this.#deps.stats.uncheckedSeconds += Math.round(seconds);
    await this.#schedule.countedUnchecked(uncheckedToMs);
  }
}
