import type { EncodedRequest } from "../encoding/request.ts";
import { type BodySeries, readBody, withoutExemplars, writeBody } from "../encoding/request-body.ts";
import type { Outcome, Unfinished } from "./outcome.ts";

/** A receiver's response that refuses a request, or the failure of a request that always fails. */
export interface Refusal {
  readonly status?: number | undefined;
  readonly message: string;
  /** An earlier attempt may have been stored. */
  readonly responseLost: boolean;
  /** Samples that it has written nevertheless (protocol 2.0): a part with them must not be repeated. */
  readonly written?: number | undefined;
}

/** A failure of a request as a refusal. */
export function refusalOf(outcome: Outcome & { readonly kind: "rejected" | "exhausted" }): Refusal {
  const { status, message, responseLost } = outcome;
  return {
    status,
    message,
    responseLost,
    written: outcome.kind === "rejected" ? outcome.written : undefined,
  };
}

/** A part of the refused request, which is a request of its own. */
export interface SearchPart {
  readonly request: EncodedRequest;
  /** Its series, by their position in the refused request, with the times of their samples (Unix ms). */
  readonly series: readonly { readonly index: number; readonly timesMs: readonly number[] }[];
}

/** What the search has found out, in order. */
export type SearchStep =
  | { readonly kind: "accepted"; readonly part: SearchPart }
  /** Not decided yet, while a later sample of the same series is accepted: that is the next step. */
  | { readonly kind: "overtaken"; readonly part: SearchPart }
  /** Refused alone after the endpoint was proven; or, if `isPassed`, by the rule for data that is too old. */
  | {
      readonly kind: "rejected";
      readonly part: SearchPart;
      readonly refusal: Refusal;
      readonly isPassed: boolean;
    };

export interface SearchEnd {
  /**
   * `complete`: every sample was accepted or rejected. `unproven`: the receiver has accepted nothing, so
   * nothing is rejected. `paused`: the search continues with what is left. Otherwise an outcome cut it short.
   */
  readonly kind: "complete" | "unproven" | "paused" | "unfinished";
  readonly unfinished?: { readonly outcome: Unfinished; readonly part: SearchPart } | undefined;
  /**
   * All of the request was accepted in parts: the size of the largest one. If nothing was refused after the
   * first part was accepted, the receiver may have refused everything until then.
   */
  readonly acceptedSize?:
    | { readonly bytes: number; readonly samples: number; readonly isSure: boolean }
    | undefined;
}

export interface SearchDeps {
  readonly send: (request: EncodedRequest) => Promise<Outcome>;
  /** Waits for the turn of a request. @returns false when the search has to pause */
  readonly pace: () => Promise<boolean>;
  /** An accepted request does not count towards the pace. */
  readonly paceAccepted: () => void;
  /** The endpoint has accepted something since the refusal began. */
  readonly isProven: boolean;
  /** The proof is newer than everything in the request, or its samples were sent before without a response. */
  readonly mayPass: boolean;
  /** A failed request counts as refused. */
  readonly isFailing: boolean;
  /**
   * For samples that make the receiver fail: whether something was accepted since the sample first failed
   * alone, which the call notes. If set, a sample is rejected only if it fails alone after that, too: a
   * receiver that is down for a while fails at all of them.
   */
  readonly failedAlone?: ((part: SearchPart) => boolean) | undefined;
  /**
   * A request of one refused sample with names that are legal in 1.0, where its own are not and that was not
   * tried yet. If it is accepted, the names were the reason.
   */
  readonly withLegalNames?: (request: EncodedRequest) => EncodedRequest | undefined;
  /** Such a request was accepted. */
  readonly learnLegalNames?: () => void;
  /** Different in each search of the same request: the first samples that are tried alone. */
  readonly turn: number;
}

/** This many samples are tried alone before the whole is judged by them. */
const spreadSamples = 16;
/** A part with fewer samples is searched to its end. */
const fewSamples = 24;
/** As many times of samples as are tried one after another, once the endpoint is proven and before. */
const mostTimes = 512;
const mostTimesUnproven = 64;

interface Row extends BodySeries {
  readonly isDecided: boolean[];
  /** The last response to a part with the sample; its response is lost if that of any such part was. */
  readonly refusals: Refusal[];
  /** When the sample last failed alone: how many parts had been accepted, and whether it may be rejected. */
  readonly alone: { readonly accepted: number; readonly isProven: boolean }[];
}

/** The undecided samples of the rows from `first` up to `end`, after `afterMs` and up to `untilMs`. */
interface Region {
  readonly first: number;
  readonly end: number;
  readonly afterMs: number;
  readonly untilMs: number;
}

type Steps<T> = AsyncGenerator<SearchStep, T, void>;

/**
 * Searches a refused request for the samples that are the reason, by sending parts of it: halves by series,
 * and then by time. See "Delivery" in ARCHITECTURE.md for the rule.
 *
 * - A sample that is refused alone is rejected only if the endpoint has accepted something before that; a
 *   sample that was refused before the first acceptance is tried again after it.
 * - The samples of one series are sent in the order of time: a receiver may refuse the earlier of two after
 *   the later one.
 * - If both halves of something are refused, samples of it are tried alone, since the reason is likely to be
 *   common to all: the endpoint, or the samples' age. For the age, their times are tried one after another.
 *
 * Yields each step at once, so that it can be recorded: a crash must not repeat it.
 */
export class RefusalSearch {
  readonly #deps: SearchDeps;
  readonly #whole: EncodedRequest;
  #rows: readonly Row[] = [];
  #refusal: Refusal;
  #isProven: boolean;
  #hasSpread = false;
  #end: SearchEnd | undefined;
  /** Refused alone before the endpoint was proven. */
  #held: { readonly region: Region; readonly refusal: Refusal }[] = [];
  #largest = { bytes: 0, samples: 0 };
  #rejected = 0;
  #accepted = 0;
  #isSizeSure = false;

  constructor(request: EncodedRequest, refusal: Refusal, deps: SearchDeps) {
    this.#whole = request;
    this.#refusal = refusal;
    this.#deps = deps;
    this.#isProven = deps.isProven;
  }

  async *run(): Steps<SearchEnd> {
    const whole = { first: 0, end: 0, afterMs: -Infinity, untilMs: Infinity };
    const { hasExemplars } = this.#whole;
    const request = hasExemplars === true ? withoutExemplars(this.#whole) : this.#whole;
    this.#rows = readBody(request).map((series) => ({ ...series, isDecided: [], refusals: [], alone: [] }));
    whole.end = this.#rows.length;
    this.#note(whole, this.#refusal);
    // No sample is lost because of an exemplar.
    const isBad = hasExemplars !== true || (yield* this.#send(whole)) === "refused";
    if (isBad) yield* this.#decide(whole);
    if (this.#end !== undefined) return this.#end;
    if (this.#held.length > 0) return { kind: "unproven" };
    return {
      kind: "complete",
      ...(this.#rejected === 0 && { acceptedSize: { ...this.#largest, isSure: this.#isSizeSure } }),
    };
  }

  /**
   * Decides on the samples of a region that was refused as a whole.
   *
   * @param isUnsure it was not sent (the other half of something refused was accepted), or was refused before
   * the endpoint was proven
   */
  async *#decide(region: Region, isUnsure = false): Steps<void> {
    if (this.#end !== undefined) return;
    const count = this.#count(region);
    if (count === 0) return;
    const halves = this.#halves(region);
    if (halves === undefined) {
      if ((isUnsure || this.#isStale(region)) && (yield* this.#send(region)) !== "refused") return;
      return yield* this.#refusedAlone(region);
    }
    const [one, two] = halves;
    const wasProven = this.#isProven;
    const isInTime = one.first === two.first;
    const first = yield* this.#send(one);
    // If one half of something bad is good, the other one is bad.
    if (first === "accepted") return yield* this.#decide(two, true);
    if (isInTime) {
      if ((yield* this.#judgeAll(region)) || this.#end !== undefined) return;
      yield* this.#decide(one, !wasProven || this.#count(region) < count);
      if ((yield* this.#send(two)) === "refused") yield* this.#decide(two);
      return;
    }
    if ((yield* this.#send(two)) === "accepted") return yield* this.#decide(one, !wasProven);
    if (yield* this.#judgeAll(region)) return;
    // Samples that were refused alone may have been the reason.
    const isSame = this.#count(region) === count;
    for (const half of [one, two]) {
      if (isSame || (yield* this.#send(half)) === "refused") yield* this.#decide(half, isSame && !wasProven);
    }
  }

  /**
   * Judges a region both halves of which were refused by some of its samples.
   *
   * @returns whether everything in it is decided
   */
  async *#judgeAll(region: Region): Steps<boolean> {
    if (this.#end !== undefined || this.#deps.failedAlone !== undefined) return false;
    if (this.#isProven && this.#deps.mayPass) {
      if (this.#count(region) < fewSamples) return false;
      if (yield* this.#anyAccepted(this.#spaced(region), false)) return false;
      if (this.#end === undefined) yield* this.#pass(region);
      return true;
    }
    if (this.#isProven) {
      if (this.#count(region) < fewSamples || (yield* this.#anyAccepted(this.#leading(region), true)))
        return false;
      return yield* this.#passOlder(region);
    }
    if (this.#hasSpread) return false;
    this.#hasSpread = true;
    // One half of the region is bad, although nothing is known of the other parts: they are tried, too.
    const everything = { first: 0, end: this.#rows.length, afterMs: -Infinity, untilMs: Infinity };
    if (yield* this.#anyAccepted(this.#leading(everything), true)) return false;
    const isAllTried = this.#held.length >= this.#count(everything);
    if (this.#end !== undefined || (!isAllTried && (yield* this.#passOlder(everything)))) return true;
    if (!this.#isProven) this.#end ??= { kind: "unproven" };
    return false;
  }

  /**
   * Tries the times of the samples one after another: a receiver that takes the later ones has refused the
   * earlier ones because of their age.
   */
  async *#passOlder(region: Region): Steps<boolean> {
    const times = this.#timesOf(region);
    if (times.length < 2 || times.length > (this.#isProven ? mostTimes : mostTimesUnproven)) return false;
    for (const [index, untilMs] of times.entries()) {
      const afterMs = times[index - 1];
      if (afterMs === undefined) continue;
      const wasProven = this.#isProven;
      const row = { ...region, afterMs, untilMs };
      const result = yield* this.#send(row, false);
      if (this.#end !== undefined) return false;
      if (result === "accepted") {
        yield* this.#pass({ ...region, untilMs: afterMs });
        const rest = { ...region, afterMs: untilMs };
        if ((yield* this.#send(rest)) === "refused") yield* this.#decide(rest);
        return true;
      }
      const single = this.#leading(row, 1, index);
      if (this.#count(row) === 1) yield* this.#refusedAlone(row);
      else if (yield* this.#anyAccepted(single, false)) return false;
      if (this.#end !== undefined) return false;
      if (!wasProven && this.#isProven) return false;
    }
    return false;
  }

  /** Tries samples alone, in this order. @returns whether one was accepted */
  async *#anyAccepted(samples: readonly Region[], isPaced: boolean): Steps<boolean> {
    let isAny = false;
    for (const sample of samples) {
      if (this.#count(sample) === 0) continue;
      const result = yield* this.#send(sample, isPaced);
      if (result === "accepted") isAny = true;
      else if (result === "refused") yield* this.#refusedAlone(sample);
      if (this.#end !== undefined) return isAny;
      if (isAny && !isPaced) return true;
    }
    return isAny;
  }

  /** The first samples of as many series, and then their second ones; which series differs by turn. */
  #leading(region: Region, most = spreadSamples, turn = this.#deps.turn): Region[] {
    const rows: { index: number; times: number[] }[] = [];
    for (let index = region.first; index < region.end; index++) {
      const times = this.#timesOf({ ...region, first: index, end: index + 1 });
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
        found.push({
          first: index,
          end: index + 1,
          afterMs: times[depth - 1] ?? region.afterMs,
          untilMs: ms,
        });
      }
      if (found.length === before) break;
    }
    return found;
  }

  /** Samples spread over the region, its last one included. */
  #spaced(region: Region): Region[] {
    const found: Region[] = [];
    const count = this.#count(region);
    const step = count / spreadSamples;
    let seen = 0;
    for (let index = region.first; index < region.end; index++) {
      let before = region.afterMs;
      for (const ms of this.#timesOf({ ...region, first: index, end: index + 1 })) {
        seen++;
        if (seen >= (found.length + 1) * step) {
          found.push({ first: index, end: index + 1, afterMs: before, untilMs: ms });
        }
        before = ms;
      }
    }
    return found;
  }

  async *#refusedAlone(region: Region): Steps<void> {
    const refusal = this.#refusalOf(region);
    const part = this.#partOf(region);
    const legal = part && this.#deps.withLegalNames?.(part.request);
    if (part !== undefined && legal !== undefined && (await this.#deps.send(legal)).kind === "delivered") {
      this.#deps.learnLegalNames?.();
      return yield* this.#accept(region, part);
    }
    const { failedAlone } = this.#deps;
    let isProven = this.#isProven;
    this.#each(region, ({ alone }, index) => {
      isProven = alone[index]?.isProven ?? isProven;
    });
    if (isProven) return yield* this.#reject(region, refusal, false);
    if (!this.#held.some((held) => this.#isSame(held.region, region))) this.#held.push({ region, refusal });
    // The receiver may be down.
    if (failedAlone !== undefined && this.#held.length >= spreadSamples) this.#end ??= { kind: "unproven" };
  }

  /** Whether the region's only sample failed alone before the last part was accepted. */
  #isStale(region: Region): boolean {
    let isStale = false;
    this.#each(region, ({ alone }, index) => {
      isStale = this.#deps.failedAlone !== undefined && alone[index]?.accepted !== this.#accepted;
    });
    return isStale;
  }

  #isSame(one: Region, other: Region): boolean {
    return one.first === other.first && one.untilMs === other.untilMs;
  }

  async *#pass(region: Region): Steps<void> {
    const held = this.#held;
    this.#held = [];
    for (const { region: sample, refusal } of held) yield* this.#reject(sample, refusal, true);
    yield* this.#reject(region, this.#refusalOf(region), true);
  }

  async *#reject(region: Region, refusal: Refusal, isPassed: boolean): Steps<void> {
    const part = this.#partOf(region);
    if (part === undefined) return;
    this.#markDecided(region);
    this.#rejected++;
    yield { kind: "rejected", part, refusal, isPassed };
  }

  async *#send(region: Region, isPaced = true): Steps<"accepted" | "refused" | "none"> {
    if (this.#end !== undefined) return "none";
    const part = this.#partOf(region);
    if (part === undefined) return "accepted";
    if (isPaced && !(await this.#deps.pace())) {
      this.#end = { kind: "paused" };
      return "none";
    }
    const outcome = await this.#deps.send(part.request);
    if (outcome.kind === "delivered") {
      yield* this.#accept(region, part);
      return "accepted";
    }
    if (outcome.kind === "rejected" || (this.#deps.isFailing && outcome.kind === "exhausted")) {
      this.#refusal = refusalOf(outcome);
      this.#note(region, this.#refusal);
      this.#isSizeSure ||= this.#accepted > 0;
      if ((this.#refusal.written ?? 0) === 0) return "refused";
      this.#isProven = true;
      yield* this.#reject(region, this.#refusal, false);
      return "accepted";
    }
    this.#end = { kind: "unfinished", unfinished: { outcome, part } };
    return "none";
  }

  #note(region: Region, refusal: Refusal): void {
    const part = this.#deps.failedAlone && this.#halves(region) === undefined && this.#partOf(region);
    const isProven = part ? this.#deps.failedAlone?.(part) : undefined;
    this.#each(region, ({ refusals, alone }, index) => {
      if (isProven !== undefined) alone[index] = { accepted: this.#accepted, isProven };
      const isLost = refusal.responseLost || refusals[index]?.responseLost === true;
      refusals[index] = isLost === refusal.responseLost ? refusal : { ...refusal, responseLost: isLost };
    });
  }

  /** Why the region's samples were refused; the response is lost if any of them may have been stored. */
  #refusalOf(region: Region): Refusal {
    let found = this.#refusal;
    let isLost = false;
    this.#each(region, ({ refusals }, index) => {
      found = refusals[index] ?? found;
      isLost ||= found.responseLost;
    });
    return { ...found, responseLost: isLost };
  }

  async *#accept(region: Region, part: SearchPart): Steps<void> {
    this.#deps.paceAccepted();
    this.#markDecided(region);
    const { uncompressedBytes, sampleCount } = part.request;
    if (sampleCount > this.#largest.samples) {
      this.#largest = { bytes: uncompressedBytes, samples: sampleCount };
    }
    for (const { region: sample } of this.#held) {
      const overtaken = sample.first >= region.first && sample.first < region.end && this.#partOf(sample);
      if (overtaken) yield { kind: "overtaken", part: overtaken };
    }
    yield { kind: "accepted", part };
    this.#accepted++;
    if (this.#isProven && this.#deps.failedAlone === undefined) return;
    this.#isProven = true;
    const held = this.#held;
    this.#held = [];
    // The receiver may have refused everything until now.
    for (const { region: sample } of held) {
      if ((yield* this.#send(sample)) === "refused") yield* this.#refusedAlone(sample);
    }
  }

  /** @returns undefined for the samples of one series at one time */
  #halves(region: Region): [Region, Region] | undefined {
    const rows: number[] = [];
    for (let index = region.first; index < region.end; index++) {
      if (this.#count({ ...region, first: index, end: index + 1 }) > 0) rows.push(index);
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
    const times = this.#timesOf(single);
    if (times.length < 2) return undefined;
    const middleMs = times[(times.length >>> 1) - 1] ?? region.untilMs;
    return [
      { ...single, untilMs: middleMs },
      { ...single, afterMs: middleMs },
    ];
  }

  /** The different times of undecided samples, in order. */
  #timesOf(region: Region): number[] {
    const times = new Set<number>();
    this.#each(region, (_row, _index, ms) => times.add(ms));
    return [...times].sort((a, b) => a - b);
  }

  #count(region: Region): number {
    let count = 0;
    this.#each(region, () => count++);
    return count;
  }

  #markDecided(region: Region): void {
    this.#each(region, (row, index) => {
      row.isDecided[index] = true;
    });
  }

  #each(
    { first, end, afterMs, untilMs }: Region,
    visit: (row: Row, index: number, ms: number) => void,
  ): void {
    for (let at = first; at < end; at++) {
      const row = this.#rows[at];
      for (const [index, { timestampMs: ms }] of row?.samples.entries() ?? []) {
        if (row !== undefined && ms > afterMs && ms <= untilMs && row.isDecided[index] !== true) {
          visit(row, index, ms);
        }
      }
    }
  }

  #partOf(region: Region): SearchPart | undefined {
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
    return body.length === 0 ? undefined : { request: writeBody(this.#whole.protocol, body), series };
  }
}
