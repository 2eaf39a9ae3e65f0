import type { EncodedRequest } from "../encoding/request.ts";
import { withoutExemplars } from "../encoding/request-body.ts";
import { type Refusal, refusalOf } from "./outcome.ts";
import type { SearchDeps, SearchEnd, SearchStep } from "./search-step.ts";
import { type Region, type SearchPart, UndecidedSamples } from "./undecided-samples.ts";

/** This many samples are tried alone before the whole is judged by them. */
const spreadSamples = 16;
/** A part with fewer samples is searched to its end. */
const fewSamples = 24;
/** As many times of samples as are tried one after another, once the endpoint is proven and before. */
const mostTimes = 512;
const mostTimesUnproven = 64;
/** If so many of the newest samples that are tried alone are accepted, the others are refused for themselves. */
const mostOf = 0.75;

type Steps<T> = AsyncGenerator<SearchStep, T, void>;

/**
 * Searches a refused request for the samples that are the reason, by sending parts of it: halves by series,
 * and then by time. See the delivery table in ARCHITECTURE.md for the rule.
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
  readonly #samples: UndecidedSamples;
  #refusal: Refusal;
  #isProven: boolean;
  #hasSpread = false;
  #end: SearchEnd | undefined;
  /** The part whose response was lost. */
  #lost: SearchPart | undefined;
  /** Refused alone before the endpoint was proven. */
  #held: { readonly region: Region; readonly refusal: Refusal }[] = [];
  #largest = { bytes: 0, samples: 0 };
  #rejected = 0;
  #dropped = 0;
  #accepted = 0;
  #isSizeSure = false;

  constructor(request: EncodedRequest, refusal: Refusal, deps: SearchDeps) {
    this.#whole = request;
    this.#samples = new UndecidedSamples(request.hasExemplars === true ? withoutExemplars(request) : request);
    this.#refusal = refusal;
    this.#deps = deps;
    this.#isProven = deps.isProven;
  }

  async *run(): Steps<SearchEnd> {
    const whole = this.#samples.everything;
    this.#note(whole, this.#refusal);
    // No sample is lost because of an exemplar.
    const isBad = this.#whole.hasExemplars !== true || (yield* this.#send(whole)) === "refused";
    if (isBad) yield* this.#decide(whole);
    const end = this.#end ?? (this.#held.length > 0 ? ({ kind: "unproven" } as const) : undefined);
    if (end !== undefined) return { ...end, inDoubt: this.#samples.overtaken(this.#lost) };
    return {
      kind: "complete",
      ...(this.#rejected + this.#dropped === 0 && {
        acceptedSize: { ...this.#largest, isSure: this.#isSizeSure },
      }),
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
    const count = this.#samples.count(region);
    if (count === 0) return;
    const halves = this.#samples.halves(region);
    if (halves === undefined) {
      if ((isUnsure || this.#isStale(region)) && (yield* this.#send(region)) !== "refused") return;
      return yield* this.#refusedAlone(region);
    }
    const [one, two] = halves;
    const wasProven = this.#isProven;
    const isInTime = one.first === two.first;
    const first = yield* this.#send(one);
    // If one half of something bad is good, the other one is bad; of a limited one nothing is known.
    if (first === "accepted" || first === "limited") return yield* this.#decide(two, true);
    if (isInTime) {
      if ((yield* this.#judgeAll(region)) || this.#end !== undefined) return;
      yield* this.#decide(one, !wasProven || this.#samples.count(region) < count);
      if ((yield* this.#send(two)) === "refused") yield* this.#decide(two);
      return;
    }
    const second = yield* this.#send(two);
    if (second === "accepted" || second === "limited") return yield* this.#decide(one, !wasProven);
    if (yield* this.#judgeAll(region)) return;
    // Samples that were refused alone may have been the reason.
    const isSame = this.#samples.count(region) === count;
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
    const judged = this.#judgedOf(region);
    if (this.#isProven && this.#samples.count(judged) < fewSamples) return false;
    if (this.#isProven && this.#deps.mayPass) {
      if (yield* this.#anyAccepted(this.#samples.spaced(judged, spreadSamples), false)) return false;
      if (this.#end === undefined) yield* this.#pass(judged);
      if (judged !== region && (yield* this.#send(region)) === "refused") yield* this.#decide(region);
      return true;
    }
    if (this.#isProven) {
      if (yield* this.#anyAccepted(this.#leading(judged), true)) return false;
      return yield* this.#passOlder(region);
    }
    if (this.#hasSpread) return false;
    this.#hasSpread = true;
    // One half of the region is bad, although nothing is known of the other parts: they are tried, too.
    const { everything } = this.#samples;
    if (yield* this.#anyAccepted(this.#leading(this.#judgedOf(everything)), true)) return false;
    const isAllTried = this.#held.length >= this.#samples.count(everything);
    if (this.#end !== undefined || (!isAllTried && (yield* this.#passOlder(everything)))) return true;
    if (!this.#isProven) this.#end ??= { kind: "unproven" };
    return false;
  }

  /**
   * Tries the times of the samples one after another, and each series' newest sample last: a receiver that
   * takes the later ones has refused the earlier ones because of their age, or has them already. Prometheus
   * stores what it can of a request that it refuses, and then takes the newest sample again.
   */
  async *#passOlder(region: Region): Steps<boolean> {
    const earlier = this.#judgedOf(region);
    const hasNewest = earlier !== region;
    const times = this.#samples.timesOf(earlier);
    if (times.length < (hasNewest ? 1 : 2)) return false;
    if (times.length > (this.#isProven ? mostTimes : mostTimesUnproven)) return false;
    for (const [index, untilMs] of times.entries()) {
      const afterMs = times[index - 1];
      if (afterMs === undefined) continue;
      const wasProven = this.#isProven;
      const row = { ...earlier, afterMs, untilMs };
      const result = yield* this.#send(row, false);
      if (this.#end !== undefined) return false;
      if (result === "accepted") {
        yield* this.#pass({ ...region, untilMs: afterMs });
        const rest = { ...region, afterMs: untilMs };
        if ((yield* this.#send(rest)) === "refused") yield* this.#decide(rest);
        return true;
      }
      const single = this.#leading(row, 1, index);
      if (this.#samples.count(row) === 1) yield* this.#refusedAlone(row);
      else if (yield* this.#anyAccepted(single, false)) return false;
      if (this.#end !== undefined) return false;
      if (!wasProven && this.#isProven) return false;
    }
    return hasNewest && (yield* this.#passAllButNewest(region, earlier));
  }

  /** After a sample of each earlier time was refused alone. */
  async *#passAllButNewest(region: Region, earlier: Region): Steps<boolean> {
    const newest = { ...region, part: "newest" } as const;
    const result = yield* this.#send(newest, false);
    if (this.#end !== undefined) return false;
    if (result === "refused") {
      const tried = this.#leading(newest);
      let accepted = 0;
      for (const sample of tried) if (yield* this.#anyAccepted([sample], false)) accepted++;
      if (this.#end !== undefined || accepted < tried.length * mostOf) return false;
    }
    yield* this.#pass(earlier);
    if (result === "refused" && (yield* this.#send(newest)) === "refused") yield* this.#decide(newest);
    return true;
  }

  /** What is judged by some of its samples: all but the newest of each series, unless these are few. */
  #judgedOf(region: Region): Region {
    const older = { ...region, part: "older" } as const;
    return this.#samples.count(older) < fewSamples ? region : older;
  }

  /** Tries samples alone, in this order. @returns whether one was accepted */
  async *#anyAccepted(samples: readonly Region[], isPaced: boolean): Steps<boolean> {
    let isAny = false;
    for (const sample of samples) {
      if (this.#samples.count(sample) === 0) continue;
      const result = yield* this.#send(sample, isPaced);
      if (result === "accepted") isAny = true;
      else if (result === "refused") yield* this.#refusedAlone(sample);
      if (this.#end !== undefined) return isAny;
      if (isAny && !isPaced) return true;
    }
    return isAny;
  }

  /** The first samples of as many series, in order. */
  #leading(region: Region, most = spreadSamples, turn = this.#deps.turn): Region[] {
    return this.#samples.leading(region, most, turn);
  }

  async *#refusedAlone(region: Region): Steps<void> {
    const refusal = this.#samples.refusalOf(region, this.#refusal);
    const part = this.#samples.partOf(region);
    const legal = part && this.#deps.withLegalNames?.(part.request);
    if (part !== undefined && legal !== undefined && (await this.#deps.send(legal)).kind === "delivered") {
      this.#deps.learnLegalNames?.();
      return yield* this.#accept(region, part);
    }
    const { failedAlone } = this.#deps;
    const isProven = this.#samples.failedAlone(region)?.isProven ?? this.#isProven;
    if (isProven) return yield* this.#reject(region, refusal, false);
    if (!this.#held.some((held) => this.#isSame(held.region, region))) this.#held.push({ region, refusal });
    // The receiver may be down.
    if (failedAlone !== undefined && this.#held.length >= spreadSamples) this.#end ??= { kind: "unproven" };
  }

  /** Whether the region's only sample failed alone before the last part was accepted. */
  #isStale(region: Region): boolean {
    if (this.#deps.failedAlone === undefined) return false;
    return this.#samples.failedAlone(region)?.accepted !== this.#accepted;
  }

  #isSame(one: Region, other: Region): boolean {
    return one.first === other.first && one.untilMs === other.untilMs;
  }

  async *#pass(region: Region): Steps<void> {
    const held = this.#held;
    this.#held = [];
    for (const { region: sample, refusal } of held) yield* this.#reject(sample, refusal, true);
    yield* this.#reject(region, this.#samples.refusalOf(region, this.#refusal), true);
  }

  async *#reject(region: Region, refusal: Refusal, isPassed: boolean): Steps<void> {
    const part = this.#samples.partOf(region);
    if (part === undefined) return;
    this.#samples.decide(region);
    this.#rejected++;
    yield { kind: "rejected", part, refusal, isPassed };
  }

  async *#send(region: Region, isPaced = true): Steps<"accepted" | "refused" | "limited" | "none"> {
    if (this.#end !== undefined) return "none";
    const part = this.#samples.partOf(region);
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
    if (outcome.kind === "limited") {
      this.#samples.decide(region);
      this.#dropped++;
      yield { kind: "limited", part, refusal: refusalOf(outcome) };
      return "limited";
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
    this.#end = { kind: "unfinished", unfinished: outcome };
    if (outcome.responseLost) this.#lost = part;
    return "none";
  }

  #note(region: Region, refusal: Refusal): void {
    const part =
      this.#deps.failedAlone && this.#samples.halves(region) === undefined && this.#samples.partOf(region);
    const isProven = part ? this.#deps.failedAlone?.(part) : undefined;
    const failed = isProven === undefined ? undefined : { accepted: this.#accepted, isProven };
    this.#samples.refuse(region, refusal, failed);
  }

  async *#accept(region: Region, part: SearchPart): Steps<void> {
    this.#deps.paceAccepted();
    this.#samples.decide(region);
    const { uncompressedBytes, sampleCount } = part.request;
    if (sampleCount > this.#largest.samples) {
      this.#largest = { bytes: uncompressedBytes, samples: sampleCount };
    }
    for (const { region: sample } of this.#held) {
      const overtaken =
        sample.first >= region.first && sample.first < region.end && this.#samples.partOf(sample);
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
}
