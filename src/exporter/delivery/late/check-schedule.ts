import { createHash } from "node:crypto";
import type { StateStore } from "../state/sink-state.ts";
import { lateKey } from "../state/state-keys.ts";
import { type CheckTimes, checkDepthMs } from "./check-times.ts";

export interface CheckScheduleDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly state: StateStore;
  readonly times: CheckTimes;
  /** Other processes may run the sink's cycles in between: the times are kept in the state store. */
  readonly isShared: boolean;
}

/** A check for late samples that is due. */
export interface DueCheck {
  readonly nowMs: number;
  /** The sink's last check; undefined: none is known. */
  readonly lastMs: number | undefined;
  /** The period of checks at present. */
  readonly everyMs: number;
  /** How far back it checks; Infinity: everything. */
  readonly depthMs: number;
}

/**
 * When the late samples of one sink are checked, and how far back each of its sources is: more often while
 * some were found lately, and after a failed check as far back as all that were due since the last good one.
 * All times are the store's (Unix ms).
 */
export class CheckSchedule {
  readonly #deps: CheckScheduleDeps;
  #phaseMs = 0;
  #lastCheckMs: number | undefined;
  /**
   * Sources whose last check failed, each with the time of the last one that did not: the next one looks as
   * far back as all that were due since then. Undefined: at everything.
   */
  readonly #owed = new Map<string, number | undefined>();
  /** When each source's staleness markers were last counted. */
  readonly #markersMs = new Map<string, number>();
  /** The time of the newest late sample. */
  #lastLateMs = -Infinity;
  #uncheckedToMs = -Infinity;

  constructor(deps: CheckScheduleDeps) {
    this.#deps = deps;
  }

  /** Spreads the checks of sinks over time. @param selected equal for sinks that share their counts */
  setPhase(selected: string): void {
    const hash = createHash("sha1").update(selected).digest().readUInt32LE(0);
    this.#phaseMs = hash % this.#deps.times.quietMs;
  }

  /** Checks everything of these sources next, and their markers. @param isKept whether the sink still has one */
  restart(edited: ReadonlySet<string>, planned: Iterable<string>, isKept: (name: string) => boolean): void {
    for (const name of planned) if (edited.has(name)) this.#owed.set(name, undefined);
    for (const name of this.#owed.keys()) if (!isKept(name)) this.#owed.delete(name);
    for (const name of edited) this.#markersMs.delete(name);
  }

  /** Late samples were found: checks are more frequent from then on. @param ms the newest one's time */
  async found(ms: number): Promise<void> {
    const { state, sink, isShared } = this.#deps;
    this.#lastLateMs = Math.max(this.#lastLateMs, ms);
    if (isShared) await state.note(lateKey(sink), lastLateSample, this.#lastLateMs);
  }

  /** Up to here, the time that cannot be checked was counted. */
  get uncheckedToMs(): number {
    return this.#uncheckedToMs;
  }

  async countedUnchecked(toMs: number): Promise<void> {
    const { state, sink, isShared } = this.#deps;
    this.#uncheckedToMs = toMs;
    if (isShared) await state.note(lateKey(sink), uncheckedTo, toMs);
  }

  /** Begins a check if one is due. @param sources the sink's, by name */
  async begin(nowMs: number, sources: Iterable<string>): Promise<DueCheck | undefined> {
    const { sink, times, state, isShared } = this.#deps;
    if (this.#depthMs(nowMs, this.#lastCheckMs, times.alertMs) === undefined) return undefined;
    const lastMs = await this.#lastCheck(sources);
    const isAlert = this.#lastLateMs > nowMs - times.horizonMs;
    const everyMs = isAlert ? times.alertMs : times.quietMs;
    const depthMs = this.#depthMs(nowMs, lastMs, everyMs);
    if (depthMs === undefined) return undefined;
    this.#lastCheckMs = nowMs;
    if (isShared) await state.note(lateKey(sink), lastCheck, nowMs);
    return { nowMs, lastMs, everyMs, depthMs };
  }

  /** The last check of a source that did not fail; undefined: none is known. */
  sinceMs(name: string, { lastMs }: DueCheck): number | undefined {
    return this.#owed.has(name) ? this.#owed.get(name) : lastMs;
  }

  /** How far back a source is checked. */
  depthOf(name: string, check: DueCheck): number {
    return this.#depthMs(check.nowMs, this.sinceMs(name, check), check.everyMs) ?? Infinity;
  }

  /** Markers are counted with the checks of everything, and again with the next one where that has failed. */
  areMarkersDue(name: string, { nowMs, everyMs }: DueCheck): boolean {
    return this.#depthMs(nowMs, this.#markersMs.get(name), everyMs) === Infinity;
  }

  markersCounted(name: string, nowMs: number): void {
    this.#markersMs.set(name, nowMs);
  }

  checked(name: string): void {
    this.#owed.delete(name);
  }

  /** Another replica may make the next check. */
  async failed(name: string, check: DueCheck): Promise<void> {
    const { isShared, state, sink } = this.#deps;
    const sinceMs = this.sinceMs(name, check);
    this.#owed.set(name, sinceMs);
    if (!isShared) return;
    await state.note(lateKey(sink), checkedAt(name), sinceMs ?? 0);
    await state.note(lateKey(sink), failedAt(name), check.nowMs);
  }

  #depthMs(nowMs: number, lastMs: number | undefined, everyMs: number): number | undefined {
    const since = lastMs === undefined ? undefined : lastMs - this.#phaseMs;
    return checkDepthMs(nowMs - this.#phaseMs, since, everyMs, this.#deps.times.horizonMs);
  }

  async #lastCheck(sources: Iterable<string>): Promise<number | undefined> {
    const { isShared, state, sink } = this.#deps;
    if (!isShared) return this.#lastCheckMs;
    const { notes = noNotes } = await state.load(lateKey(sink));
    this.#lastLateMs = Math.max(this.#lastLateMs, notes.get(lastLateSample) ?? -Infinity);
    this.#uncheckedToMs = Math.max(this.#uncheckedToMs, notes.get(uncheckedTo) ?? -Infinity);
    // A process that has just started checks everything: it may have been stopped for long.
    if (this.#lastCheckMs === undefined) return undefined;
    const lastMs = notes.get(lastCheck);
    if (lastMs === this.#lastCheckMs) return lastMs;
    // Another replica has made the last check.
    for (const name of sources) {
      if (notes.get(failedAt(name)) !== lastMs) this.#owed.delete(name);
      else this.#owed.set(name, notes.get(checkedAt(name)));
    }
    return lastMs;
  }
}

const noNotes: ReadonlyMap<string, number> = new Map();

/** Names of the times that the state store keeps for all replicas. */
const lastCheck = "last check";
const lastLateSample = "last late sample";
const uncheckedTo = "unchecked to";
const failedAt = (source: string): string => `failed ${source}`;
/** The last check of a source before the one that failed. */
const checkedAt = (source: string): string => `checked ${source}`;
