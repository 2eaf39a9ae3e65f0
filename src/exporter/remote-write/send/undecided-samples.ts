import type { EncodedRequest } from "../encoding/request.ts";
import { type BodySeries, readBody, writeBody } from "../encoding/request-body.ts";
import type { Refusal } from "./outcome.ts";

/** A part of a refused request, which is a request of its own. */
export interface SearchPart {
  readonly request: EncodedRequest;
  /** Its series, by their position in the refused request, with the times of their samples (Unix ms). */
  readonly series: readonly { readonly index: number; readonly timesMs: readonly number[] }[];
}

/** The undecided samples of the rows from `first` up to `end`, after `afterMs` and up to `untilMs`. */
export interface Region {
  readonly first: number;
  readonly end: number;
  readonly afterMs: number;
  readonly untilMs: number;
  /** Only the newest sample of each series in the request, or only the others. */
  readonly part?: "newest" | "older";
}

/** When a sample last failed alone: how many parts had been accepted, and whether it may be rejected. */
interface FailedAlone {
  readonly accepted: number;
  readonly isProven: boolean;
}

interface Row extends BodySeries {
  readonly isDecided: boolean[];
  /** The last response to a part with the sample; its response is lost if that of any such part was. */
  readonly refusals: Refusal[];
  readonly alone: FailedAlone[];
}

/** The samples of a refused request of which it is not known yet whether they are accepted or rejected. */
export class UndecidedSamples {
  readonly #request: EncodedRequest;
  readonly #rows: readonly Row[];

  constructor(request: EncodedRequest) {
    this.#request = request;
    this.#rows = readBody(request).map((series) => ({ ...series, isDecided: [], refusals: [], alone: [] }));
  }

  get everything(): Region {
    return { first: 0, end: this.#rows.length, afterMs: -Infinity, untilMs: Infinity };
  }

  /** @returns undefined for the samples of one series at one time */
  halves(region: Region): [Region, Region] | undefined {
    const rows: number[] = [];
    for (let index = region.first; index < region.end; index++) {
      if (this.count({ ...region, first: index, end: index + 1 }) > 0) rows.push(index);
    }
    const [only] = rows;
    if (only === undefined) return undefined;
    if (rows.length > 1) {
      const middle = rows[rows.length >>> 1] ?? region.end;
      return [
        { ...region, end: middle },
        { ...region, first: middle },
      ];
    }
    const single = { ...region, first: only, end: only + 1 };
    const times = this.timesOf(single);
    if (times.length < 2) return undefined;
    const middleMs = times[(times.length >>> 1) - 1] ?? region.untilMs;
    return [
      { ...single, untilMs: middleMs },
      { ...single, afterMs: middleMs },
    ];
  }

  /** The first samples of as many series, and then their second ones; which series differs by turn. */
  leading(region: Region, most: number, turn: number): Region[] {
    const rows: { index: number; times: number[] }[] = [];
    for (let index = region.first; index < region.end; index++) {
      const times = this.timesOf({ ...region, first: index, end: index + 1 });
      if (times.length > 0) rows.push({ index, times });
    }
    const step = Math.max(1, Math.floor(rows.length / most));
    const chosen = rows.filter((_, at) => (at + step - (turn % step)) % step === 0).slice(0, most);
    const found: Region[] = [];
    for (let depth = 0; found.length < most; depth++) {
      const before = found.length;
      for (const { index, times } of chosen) {
        const ms = times[depth];
        if (ms === undefined || found.length >= most) continue;
        const afterMs = times[depth - 1] ?? region.afterMs;
        found.push({ ...region, first: index, end: index + 1, afterMs, untilMs: ms });
      }
      if (found.length === before) break;
    }
    return found;
  }

  /**
   * Samples spread over the region, its last one included. The first of a series is there before a later one:
   * a receiver that has nothing of the series would refuse it afterwards.
   */
  spaced(region: Region, most: number): Region[] {
    const found: Region[] = [];
    const step = this.count(region) / most;
    let seen = 0;
    let chosen = 0;
    for (let index = region.first; index < region.end; index++) {
      const single = { ...region, first: index, end: index + 1 };
      const times = this.timesOf(single);
      let isFirstFound = false;
      for (const [at, ms] of times.entries()) {
        seen++;
        if (seen < (chosen + 1) * step) continue;
        chosen++;
        if (at > 0 && !isFirstFound) found.push({ ...single, untilMs: times[0] ?? ms });
        isFirstFound = true;
        found.push({ ...single, afterMs: times[at - 1] ?? region.afterMs, untilMs: ms });
      }
    }
    return found;
  }

  /** The different times of undecided samples, in order. */
  timesOf(region: Region): number[] {
    const times = new Set<number>();
    this.#each(region, (_row, _index, ms) => times.add(ms));
    return [...times].sort((a, b) => a - b);
  }

  count(region: Region): number {
    let count = 0;
    this.#each(region, () => count++);
    return count;
  }

  decide(region: Region): void {
    this.#each(region, (row, index) => {
      row.isDecided[index] = true;
    });
  }

  /** A part with these samples was refused. @param failed set when it failed, and is a sample alone */
  refuse(region: Region, refusal: Refusal, failed: FailedAlone | undefined): void {
    this.#each(region, ({ refusals, alone }, index) => {
      if (failed !== undefined) alone[index] = failed;
      const isLost = refusal.responseLost || refusals[index]?.responseLost === true;
      refusals[index] = isLost === refusal.responseLost ? refusal : { ...refusal, responseLost: isLost };
    });
  }

  /** Why the samples were refused; the response is lost if any of them may have been stored. */
  refusalOf(region: Region, otherwise: Refusal): Refusal {
    let found = otherwise;
    let isLost = false;
    this.#each(region, ({ refusals }, index) => {
      found = refusals[index] ?? found;
      isLost ||= found.responseLost;
    });
    return { ...found, responseLost: isLost };
  }

  /** When the region's only sample last failed alone. */
  failedAlone(region: Region): FailedAlone | undefined {
    let found: FailedAlone | undefined;
    this.#each(region, ({ alone }, index) => {
      found = alone[index] ?? found;
    });
    return found;
  }

  /**
   * The samples before one of the same series that was decided, or whose response was lost. A journal that
   * knows up to when a series is acknowledged would pass them.
   */
  overtaken(lost?: SearchPart): SearchPart["series"] {
    const lostMs = new Map(lost?.series.map(({ index, timesMs }) => [index, timesMs.at(-1) ?? -Infinity]));
    return this.#rows.flatMap(({ samples, isDecided }, index) => {
      const decidedMs = samples[isDecided.lastIndexOf(true)]?.timestampMs ?? -Infinity;
      const untilMs = Math.max(decidedMs, lostMs.get(index) ?? -Infinity);
      const timesMs = this.timesOf({ ...this.everything, first: index, end: index + 1, untilMs });
      return timesMs.length === 0 ? [] : [{ index, timesMs }];
    });
  }

  partOf(region: Region): SearchPart | undefined {
    const body: BodySeries[] = [];
    const series: { index: number; timesMs: number[] }[] = [];
    for (let index = region.first; index < region.end; index++) {
      const row = this.#rows[index];
      if (row === undefined) continue;
      const samples: BodySeries["samples"][number][] = [];
      this.#each({ ...region, first: index, end: index + 1 }, (_, at) => {
        const sample = row.samples[at];
        if (sample !== undefined) samples.push(sample);
      });
      if (samples.length === 0) continue;
      body.push({ labels: row.labels, samples, exemplars: [] });
      series.push({ index, timesMs: samples.map(({ timestampMs }) => timestampMs) });
    }
    return body.length === 0 ? undefined : { request: writeBody(this.#request.protocol, body), series };
  }

  #each(
    { first, end, afterMs, untilMs, part }: Region,
    visit: (row: Row, index: number, ms: number) => void,
  ): void {
    for (let at = first; at < end; at++) {
      const row = this.#rows[at];
      for (const [index, { timestampMs: ms }] of row?.samples.entries() ?? []) {
        if (row === undefined || ms <= afterMs || ms > untilMs || row.isDecided[index] === true) continue;
        if (part === undefined || (part === "newest") === (index === row.samples.length - 1)) {
          visit(row, index, ms);
        }
      }
    }
  }
}
