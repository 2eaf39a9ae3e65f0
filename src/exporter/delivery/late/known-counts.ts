import type { Window } from "../../metrics-store/ports/window.ts";
import type { StepCount } from "../state/sample-counts.ts";
import type { SentRecord } from "./sent-record.ts";

/** More than the longest horizon: what was known before a longer gap is old. */
const longestGapMs = 2 ** 31;

/** A step, and the query whose samples it counts. */
export interface KnownStep extends StepCount {
  readonly query: string;
}

/** What one source is known to have. */
export class KnownCounts {
  /** The samples after this and up to {@link toMs} are known, but for those in a gap (Unix ms). */
  fromMs: number;
  toMs: number;
  /** Of windows whose records were not kept, oldest first. */
  readonly #gaps: Window[] = [];
  /** What was known and is not any longer, though it is not old. */
  lost: Window | undefined;
  readonly #stepMs: number;
  /** Index of the first step, and the counts of the steps from there on. */
  #firstStep: number;
  readonly #samples: number[] = [];
  /** By step; few have any (bench/small-policies.ts). */
  #staleMarkers: Map<number, number> | undefined;
  /** The queries, each with its first step, of equal ones the last: a source may be edited. */
  readonly #queries: Array<{ readonly fromStep: number; readonly query: string }> = [];

  constructor(fromMs: number, stepMs: number) {
    this.fromMs = fromMs;
    this.toMs = fromMs;
    this.#stepMs = stepMs;
    this.#firstStep = Math.floor(fromMs / stepMs) + 1;
  }

  /** Adds what a window had that follows the known span. */
  extend(toMs: number, counts: readonly StepCount[], query: string): void {
    this.#setQuery(query);
    for (const { endMs, samples, staleMarkers } of counts) {
      const at = this.#reserve(endMs);
      if (at === undefined) continue;
      this.#samples[at] = (this.#samples[at] ?? 0) + samples;
      this.#setStale(at, this.#staleAt(at) + staleMarkers);
    }
    this.toMs = toMs;
  }

  /** Continues after a gap. */
  skipTo(ms: number): void {
    this.#gaps.push({ fromMs: this.toMs, toMs: ms });
    this.lost = { fromMs: this.lost?.fromMs ?? this.toMs, toMs: ms };
    this.toMs = ms;
  }

  /** Whether all of a span is known. */
  has({ fromMs, toMs }: Window): boolean {
    const isInGap = this.#gaps.some((gap) => gap.fromMs < toMs && gap.toMs > fromMs);
    return this.fromMs <= fromMs && toMs <= this.toMs && !isInGap;
  }

  /** Replaces the counts of these steps. */
  correct(counts: readonly StepCount[]): void {
    for (const { endMs, samples, staleMarkers } of counts) {
      const at = this.#reserve(endMs);
      if (at === undefined) continue;
      this.#samples[at] = samples;
      this.#setStale(at, staleMarkers);
    }
  }

  /** Forgets everything up to a time. */
  dropUntil(ms: number): void {
    if (ms <= this.fromMs) return;
    this.fromMs = Math.min(ms, this.toMs);
    const firstStep = Math.floor(this.fromMs / this.#stepMs) + 1;
    this.#samples.splice(0, firstStep - this.#firstStep);
    for (const step of this.#staleMarkers?.keys() ?? []) {
      if (step < firstStep) this.#staleMarkers?.delete(step);
    }
    while ((this.#gaps[0]?.toMs ?? Infinity) <= this.fromMs) this.#gaps.shift();
    while ((this.#queries[1]?.fromStep ?? Infinity) <= firstStep) this.#queries.shift();
    this.#firstStep = firstStep;
  }

  /** The same, before its time. */
  loseUntil(ms: number): void {
    if (ms <= this.fromMs) return;
    const { fromMs } = this;
    this.dropUntil(ms);
    this.lost = { fromMs: this.lost?.fromMs ?? fromMs, toMs: this.fromMs };
  }

  /** The steps that lie completely between two times, and are known completely. */
  *between(fromMs: number, toMs: number): Generator<KnownStep> {
    const first = Math.ceil(Math.max(fromMs, this.fromMs) / this.#stepMs) + 1;
    const last = Math.floor(Math.min(toMs, this.toMs) / this.#stepMs);
    let gap = 0;
    for (let step = first; step <= last; step++) {
      const at = step - this.#firstStep;
      const beginsMs = (step - 1) * this.#stepMs;
      while ((this.#gaps[gap]?.toMs ?? Infinity) <= beginsMs) gap++;
      if ((this.#gaps[gap]?.fromMs ?? Infinity) < step * this.#stepMs) continue;
      yield {
        endMs: step * this.#stepMs,
        samples: this.#samples[at] ?? 0,
        staleMarkers: this.#staleAt(at),
        query: this.#queries.findLast(({ fromStep }) => fromStep <= step)?.query ?? "",
      };
    }
  }

  /** Steps in which the query was edited have the new one. */
  #setQuery(query: string): void {
    if (this.#queries.at(-1)?.query === query) return;
    const fromStep = Math.floor(this.toMs / this.#stepMs) + 1;
    this.#queries.push({ fromStep, query });
  }

  #staleAt(at: number): number {
    return this.#staleMarkers?.get(this.#firstStep + at) ?? 0;
  }

  #setStale(at: number, staleMarkers: number): void {
    if (staleMarkers === 0 && this.#staleMarkers === undefined) return;
    this.#staleMarkers ??= new Map();
    this.#staleMarkers.set(this.#firstStep + at, staleMarkers);
  }

  /** The index of a step's counts; undefined when it is forgotten. */
  #reserve(endMs: number): number | undefined {
    const at = Math.round(endMs / this.#stepMs) - this.#firstStep;
    if (at < 0) return undefined;
    for (let length = this.#samples.length; length <= at; length++) {
      this.#samples.push(0);
    }
    return at;
  }
}

/** The known counts of a sink's sources. */
export class SinkCounts {
  readonly #stepMs: number;
  readonly #bySource = new Map<string, KnownCounts>();
  /** The query in the last record of each source. */
  readonly #queries = new Map<string, string>();

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  get(source: string): KnownCounts | undefined {
    return this.#bySource.get(source);
  }

  /** Takes up a record; one of a span that is known changes nothing. */
  take({ kind, fromMs, toMs, sources }: SentRecord): void {
    for (const { source, query: written, counts } of sources) {
      if (written !== undefined && kind === "live") this.#queries.set(source, written);
      const query = this.#queries.get(source) ?? "";
      const known = this.#bySource.get(source);
      if (kind === "late") {
        known?.correct(counts);
      } else if (known === undefined || fromMs - known.toMs > longestGapMs) {
        const fresh = new KnownCounts(fromMs, this.#stepMs);
        if (known !== undefined) fresh.lost = { fromMs: known.lost?.fromMs ?? known.fromMs, toMs: fromMs };
        fresh.extend(toMs, counts, query);
        this.#bySource.set(source, fresh);
      } else if (known.toMs <= fromMs) {
        if (known.toMs < fromMs) known.skipTo(fromMs);
        known.extend(toMs, counts, query);
      } else if (known.toMs < toMs) {
        // After a crash, a window may reach further than the one recorded before. How many of its samples are
        // known already cannot be determined: too few only cost a reading.
        known.extend(toMs, [], query);
      }
    }
  }

  /** Forgets everything up to a time, and sources of which nothing is left. */
  dropUntil(ms: number): void {
    for (const [source, known] of this.#bySource) {
      known.dropUntil(ms);
      if (known.toMs <= ms) this.#bySource.delete(source);
    }
  }

  /** Everything up to a time was forgotten before, although it was not old. */
  noteLost(toMs: number): void {
    for (const known of this.#bySource.values()) {
      if (toMs > (known.lost?.toMs ?? -Infinity)) known.lost = { fromMs: -Infinity, toMs };
    }
  }

  /** Forgets everything up to a time, although it is not old. */
  loseUntil(ms: number): void {
    for (const known of this.#bySource.values()) known.loseUntil(ms);
  }
}
