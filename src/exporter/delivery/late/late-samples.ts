import { createHash, randomInt } from "node:crypto";
import { setImmediate as endOfTurn } from "node:timers/promises";
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
import type { SinkStats } from "../sink-stats.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow, StateStore } from "../state/sink-state.ts";
import { type CheckTimes, checkDepthMs, lookBackMs } from "./check-times.ts";
import { CountCheck } from "./count-check.ts";
import type { SinkCounts } from "./known-counts.ts";
import { lateKey } from "./late-key.ts";
import type { SampleCounts, StepCount } from "./sample-counts.ts";
import { SentBlock } from "./sent-block.ts";
import type { SentLog } from "./sent-log.ts";
import type { SentRecord, SourceCounts } from "./sent-record.ts";
import { type Sent, SentSamples } from "./sent-samples.ts";

/** What `delivery.lateness` needs beside the rest of an exporter. */
export interface LateDeps {
  readonly counter: SampleCounter;
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

/** What was sent since `fromMs`. */
interface OpenBlock {
  readonly id: number;
  readonly sent: SentBlock;
  readonly fromMs: number;
  /** By the monotonic clock. */
  readonly begunMs: number;
  /** None of its records is written. */
  readonly isNew: boolean;
  /** The query that its records have last for each source. */
  readonly queries: Map<string, string>;
}

/** A block is forgotten after this, and the next window begins another. */
const blockMs = 5 * 60_000;
/** More than the longest horizon, and half of the times that a block can tell apart. */
const longestLagMs = 2 ** 31;
/** Longest span of late samples that is read at once. */
const longestSpanMs = 5 * 60_000;

/**
 * `delivery.lateness` of one sink: remembers what was sent, asks the store from time to time how many samples
 * it has, and plans a reading where it has more than were read.
 */
export class LateSamples {
  readonly #deps: LateSamplesDeps;
  #plan: SinkPlan;
  /** By name: the sources that are read raw. */
  #sources: ReadonlyMap<string, RawSource> = new Map();
  #block: OpenBlock | undefined;
  #planned: PlannedWindow[] = [];
  #lastCheckMs: number | undefined;
  /** The time of the newest late sample. */
  #lastLateMs = -Infinity;
  #phaseMs = 0;
  /** Up to here, what was not checked in time is counted. */
  #uncheckedToMs = -Infinity;

  constructor(plan: SinkPlan, deps: LateSamplesDeps) {
    this.#plan = plan;
    this.#deps = deps;
    this.change(plan);
  }

  /** Applies a changed plan; call between cycles. */
  change(plan: SinkPlan): void {
    this.#plan = plan;
    this.#planned = [];
    const tenant = this.#deps.tenantOf(plan);
    const raw = plan.sources.filter(({ metricsql }) => sourceKind(metricsql) === "raw");
    this.#sources = new Map(
      raw.map(({ name, metricsql }) => [name, { id: identityOf(name), query: metricsql }]),
    );
    this.#phaseMs = phaseOf(JSON.stringify([raw.map(({ metricsql }) => metricsql), tenant?.value]));
  }

  /** The length of the steps by which samples are counted. */
  get stepMs(): number {
    return this.#deps.sent.stepMs;
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
    const { fromMs, toMs } = bounds;
    const read = this.#countsOf(counts);
    // Nobody will look for samples of that time again.
    if (read.length === 0 || toMs <= nowMs - this.#deps.times.horizonMs) return;
    const requests = acknowledgedOf(window);
    if (this.#block !== undefined && this.#isLong(this.#block, toMs)) {
      // About as many series as the last one.
      this.#block = { ...this.#newBlock(fromMs, this.#block.sent.seriesCount), isNew: true };
    }
    for (const isSecondTry of [false, true]) {
      if (isSecondTry || this.#block === undefined) this.#block = { ...this.#newBlock(fromMs), isNew: true };
      const { id, sent, isNew, queries } = this.#block;
      const sources = read.map(({ source, query = "", counts: own }) => {
        const isSame = queries.get(source) === query;
        queries.set(source, query);
        return { source, query: isSame ? undefined : query, counts: own };
      });
      const body = await sent.add(requests, endOfTurn);
      if (body === undefined) break;
      this.#block = { ...this.#block, isNew: false };
      const record: SentRecord = {
        ...{ kind: "live", fromMs, toMs, sources, body },
        ...{ blockId: id, isFirstOfBlock: isNew, blockBaseMs: sent.baseMs },
      };
      if (await this.#deps.sent.append(this.#deps.sink, record)) {
        if (!sent.isCompact) this.#block = undefined;
        return;
      }
    }
    this.#block = undefined;
    this.#deps.stats.uncheckedSeconds += Math.round((toMs - fromMs) / 1_000);
  }

  /** Records the late samples that a window has sent, and what the store had. */
  async rememberLate(
    { fromMs, toMs, late }: PlannedWindow,
    window: OpenWindow | undefined,
    counts: ReadonlyMap<string, SampleCounts>,
    found: number,
  ): Promise<void> {
    const sources = this.#countsOf(counts).map(({ source, counts: read }) => ({
      source,
      // The store counts what no reading can give: samples under equal times, or lines that are left out.
      counts: found > 0 ? read : (late?.counts ?? read),
    }));
    await this.#appendLate({ fromMs, toMs }, window, sources);
    const { state, sink, isShared } = this.#deps;
    if (window !== undefined) await state.dropWindow(window);
    if (found === 0) return;
    this.#lastLateMs = Math.max(this.#lastLateMs, toMs);
    if (isShared) await state.setCheckpoint(lateKey(sink), lastLateSample, this.#lastLateMs);
  }

  /** The samples of a planned reading that were sent; everything, when that is not known any longer. */
  async sentIn(planned: PlannedWindow): Promise<readonly Sent[]> {
    const blocks = await this.#deps.sent.blocks(this.#deps.sink, planned);
    const sent: Sent[] = [];
    for (const records of blocks) {
      const bodies = records.map(({ body }) => body);
      sent.push(await SentSamples.of(records[0]?.blockBaseMs ?? 0, bodies, endOfTurn));
    }
    // The log may have forgotten it since the check: what it forgets is not sent again.
    const counts = await this.#deps.sent.counts(this.#deps.sink);
    const isKnown = planned.sources.every((name) => {
      const known = counts?.get(this.#sources.get(name)?.id ?? "");
      return known !== undefined && known.fromMs <= planned.fromMs && planned.toMs <= known.toMs;
    });
    return isKnown ? sent : [everything];
  }

  /**
   * The next reading of late samples, oldest first; undefined when there is none at present. Call when
   * nothing new is left to deliver.
   *
   * @param nowMs the store's time
   * @param checkpoints of the sink's sources
   */
  async next(
    nowMs: number,
    checkpoints: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<PlannedWindow | undefined> {
    if (this.#planned.length === 0) await this.#check(nowMs, checkpoints, signal);
    return this.#planned.shift();
  }

  async #check(nowMs: number, checkpoints: ReadonlyMap<string, number>, signal: AbortSignal): Promise<void> {
    const { sent, sink, times, state } = this.#deps;
    if (this.#sources.size === 0) return;
    if (this.#depthMs(nowMs, this.#lastCheckMs, times.alertMs) === undefined) return;
    const lastMs = await this.#lastCheck();
    const isAlert = this.#lastLateMs > nowMs - times.horizonMs;
    const depthMs = this.#depthMs(nowMs, lastMs, isAlert ? times.alertMs : times.quietMs);
    if (depthMs === undefined) return;
    this.#lastCheckMs = nowMs;
    if (this.#deps.isShared) await state.setCheckpoint(lateKey(sink), lastCheck, nowMs);
    await this.#absorb();
    const known = await sent.counts(sink);
    if (known === undefined) return;
    this.#noteUnchecked(known, nowMs);
    const deps = {
      ...this.#deps,
      ...{ stepMs: this.stepMs, lookBackMs: lookBackMs(times), owner: this.#owner() },
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
      await this.#appendLate(span, undefined, [{ source: id, counts: corrected }]);
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
      await this.#appendLate(window, window, []);
      await state.dropWindow(window);
    }
  }

  /** A log may forget its records after a while, so a block must not have a record that is much younger. */
  #isLong({ fromMs, begunMs }: OpenBlock, toMs: number): boolean {
    return toMs - fromMs > blockMs || this.#deps.clock.monotonicMs() - begunMs > blockMs;
  }

  async #appendLate(
    { fromMs, toMs }: Window,
    window: OpenWindow | undefined,
    sources: readonly SourceCounts[],
  ): Promise<void> {
    const { id, sent } = this.#newBlock(fromMs);
    const body = (await sent.add(acknowledgedOf(window), endOfTurn)) ?? noSamples;
    await this.#deps.sent.append(this.#deps.sink, {
      ...{ kind: "late", fromMs, toMs, sources, body },
      ...{ blockId: id, isFirstOfBlock: true, blockBaseMs: sent.baseMs },
    });
  }

  #newBlock(fromMs: number, expectedSeries?: number) {
    // A source that lags behind sends samples of before the block's first window.
    const sent = new SentBlock(fromMs - longestLagMs, expectedSeries);
    const begunMs = this.#deps.clock.monotonicMs();
    return { id: randomInt(2 ** 32 - 1), sent, fromMs, begunMs, queries: new Map<string, string>() };
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
    return this.#deps.tenantOf(this.#plan)?.value ?? this.#deps.sink.slice(0, -this.#plan.name.length);
  }
}

/** The record of a block without samples: no sets, no moves. */
const noSamples = Buffer.alloc(8);

/** Names under which the state store keeps times for all replicas; no source's name contains a space. */
const lastCheck = "last check";
const lastLateSample = "last late sample";

const everything: Sent = { has: () => true };

function acknowledgedOf(window: OpenWindow | undefined): RequestEntries[] {
  return [...(window?.requests.values() ?? [])].flatMap(({ entries, state }) =>
    state === "acknowledged" ? [entries] : [],
  );
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

function identityOf(source: string): string {
  return createHash("sha1").update(source).digest().toString("latin1", 0, 8);
}

/** What both selectors select: an edited source sends nothing that it did not select at that time. */
function intersection(one: string, other: string): string {
  if (one === other) return one;
  const [first, second] = [parse(one), parse(other)];
  if (first.type !== "selector" || second.type !== "selector") return other;
  const groups = first.groups.flatMap((group) => second.groups.map((own) => [...group, ...own]));
  return print({ ...first, groups });
}

/** Spreads the checks of sinks over a minute; sinks of equal sources check together, and share the counts. */
function phaseOf(sources: string): number {
  return createHash("sha1").update(sources).digest().readUInt16LE(0);
}
