import type { Clock } from "../../../base/core/clock.ts";
import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import { SearchPace } from "./search-pace.ts";
import { mostSuspects, Suspects } from "./suspects.ts";

/** A proof is used for this long; then the receiver has to accept something again. */
const proofCountsMs = 60_000;
/** A request that failed for as long, and as often, is searched for what makes it fail. */
const poisonAfterMs = 120_000;
const poisonAfterFailures = 3;

/**
 * Since when samples are refused without a proof, for live samples or for late ones. What is older than the
 * sample that proves the endpoint is then judged by a few samples.
 */
export interface RefusalEpisode {
  /** See {@link ReceiverMemory.mark}. */
  began: number | undefined;
}

/** What a sink knows of its receiver, kept between cycles. Times are monotonic unless they are of samples. */
export class ReceiverMemory {
  readonly suspects = new Suspects();
  readonly pace: SearchPace;
  readonly live: RefusalEpisode = { began: undefined };
  readonly late: RefusalEpisode = { began: undefined };
  /** Later samples of refused series were tried up to this time (Unix ms), and refused, too. */
  triedUntilMs = -Infinity;
  /** The store has no later sample of what is in doubt and refused. */
  hasNothingLater = false;
  /** Refused samples that were tried with legal names, in vain. */
  legalNamesTried = 0;
  /** Number of searches that found no proof since the last one. */
  turn = 0;
  readonly #clock: Clock;
  #acceptedAtMs = -Infinity;
  #acceptedAt = 0;
  #marks = 0;
  /** Unix ms. */
  #lastAcceptedMs: number | undefined;
  /** The latest sample accepted, Unix ms. */
  #acceptedUntilMs = -Infinity;
  /** Samples of the largest request that was accepted. */
  #largest = 0;
  /** Samples of the largest request that was refused and accepted in parts, since when none was accepted. */
  #doubtedSize = Infinity;
  #failing: { readonly sinceMs: number; readonly times: number } | undefined;
  /** When a sample first failed alone: a mark, by the sample, or by the series of a suspect; oldest first. */
  readonly #failedAlone = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.pace = new SearchPace(clock);
  }

  /** Unix ms; undefined if nothing was ever accepted. */
  get lastAcceptedMs(): number | undefined {
    return this.#lastAcceptedMs;
  }

  restoreAccepted(atMs: number | undefined): void {
    this.#lastAcceptedMs ??= atMs;
  }

  /** A request was accepted. */
  accept({ maxMs, sampleCount }: Pick<EncodedRequest, "maxMs" | "sampleCount">): void {
    this.acceptLater(maxMs);
    this.#largest = Math.max(this.#largest, sampleCount);
    if (sampleCount >= this.#doubtedSize) this.#doubtedSize = Infinity;
    this.#failing = undefined;
  }

  /**
   * A later sample was accepted, the time of which is `untilMs` (Unix ms). What fails keeps failing.
   */
  acceptLater(untilMs: number): void {
    this.#acceptedAtMs = this.#clock.monotonicMs();
    this.#acceptedAt = this.mark();
    this.#lastAcceptedMs = this.#clock.nowMs();
    this.#acceptedUntilMs = Math.max(this.#acceptedUntilMs, untilMs);
    this.hasNothingLater = false;
    this.turn = 0;
  }

  /** This moment, as a number that only grows: of two events in one millisecond, one is later. */
  mark(): number {
    return ++this.#marks;
  }

  /** The time of the latest sample accepted, Unix ms. */
  get acceptedUntilMs(): number {
    return this.#acceptedUntilMs;
  }

  /** Whether a request was accepted after this mark. */
  acceptedSince(mark: number): boolean {
    return this.#acceptedAt > mark;
  }

  acceptedLately(): boolean {
    return this.#acceptedAtMs > this.#clock.monotonicMs() - proofCountsMs;
  }

  /** Whether requests of this size are accepted. */
  takesSize({ sampleCount }: Pick<EncodedRequest, "sampleCount">): boolean {
    return sampleCount <= this.#largest;
  }

  /**
   * A request was refused, and all of it was accepted in parts.
   *
   * @returns whether it is the second one, and none of such a size was accepted between them
   */
  doubtsSize({ sampleCount }: Pick<EncodedRequest, "sampleCount">): boolean {
    const isSecond = Number.isFinite(this.#doubtedSize);
    this.#doubtedSize = Math.min(this.#doubtedSize, sampleCount);
    return isSecond;
  }

  learnSize(samples: number): void {
    this.#largest = samples;
  }

  /** Nothing of a refused request was accepted, and nothing since then. */
  refuse(episode: RefusalEpisode): void {
    const { began } = episode;
    if (began === undefined || (this.acceptedSince(began) && !this.#counts(episode))) {
      episode.began = this.mark();
    }
  }

  /** Whether a sample later than `untilMs` (Unix ms) was accepted since samples are refused. */
  isProvenLater(episode: RefusalEpisode, untilMs: number): boolean {
    const { began } = episode;
    if (began === undefined || !this.acceptedSince(began) || !this.#counts(episode)) return false;
    return this.#acceptedUntilMs > untilMs;
  }

  /** Late samples are sent only while live ones are delivered: an earlier proof is as good. */
  #counts(episode: RefusalEpisode): boolean {
    return episode === this.late || this.acceptedLately();
  }

  /** A request failed after all its attempts. */
  fail(): void {
    const { sinceMs, times } = this.#failing ?? { sinceMs: this.#clock.monotonicMs(), times: 0 };
    this.#failing = { sinceMs, times: times + 1 };
  }

  /** Samples of this series are accepted. */
  acceptSeries(entries: RequestEntries): void {
    this.forgetFailed(entries);
    this.suspects.remove(entries);
  }

  /**
   * A sample failed alone, or samples of suspects.
   *
   * @returns whether something was accepted since it failed first, so that a receiver that is down is not the
   * reason
   */
  failedAlone(entries: RequestEntries): boolean {
    let isProven = true;
    for (const key of this.#keysOf(entries)) {
      const at = this.#failedAlone.get(key);
      if (at === undefined || !this.acceptedSince(at)) isProven = false;
      if (at !== undefined) continue;
      this.#failedAlone.set(key, this.mark());
      const [oldest] = this.#failedAlone.keys();
      if (oldest !== undefined && this.#failedAlone.size > mostSuspects) this.#failedAlone.delete(oldest);
    }
    return isProven;
  }

  /** Whether all of these samples failed alone before. */
  hasFailedAlone(entries: RequestEntries): boolean {
    return this.#failedAlone.size > 0 && this.#keysOf(entries).every((key) => this.#failedAlone.has(key));
  }

  /** Samples that failed were accepted or rejected. */
  forgetFailed(entries: RequestEntries): void {
    if (this.#failedAlone.size === 0) return;
    for (const key of this.#keysOf(entries)) this.#failedAlone.delete(key);
  }

  #keysOf(entries: RequestEntries): string[] {
    const keys: string[] = [];
    entries.each((high, low, ms) => {
      keys.push(this.suspects.isFailing(high, low) ? `${high} ${low}` : `${high} ${low} ${ms}`);
    });
    return keys;
  }

  /** How often requests have failed since one was accepted. */
  get failures(): number {
    return this.#failing?.times ?? 0;
  }

  /** When {@link hasFailedLong} can be true first, if requests keep failing; monotonic. */
  get searchDueMs(): number | undefined {
    return this.#failing && this.#failing.sinceMs + poisonAfterMs;
  }

  /** Requests have failed so long that the reason may be their samples. */
  get hasFailedLong(): boolean {
    const { searchDueMs = Infinity } = this;
    return this.failures >= poisonAfterFailures && this.#clock.monotonicMs() >= searchDueMs;
  }

  /** The endpoint or its credentials were changed. */
  forget(): void {
    this.#doubtedSize = Infinity;
    this.suspects.clear();
    this.#failedAlone.clear();
    this.live.began = undefined;
    this.late.began = undefined;
    this.triedUntilMs = -Infinity;
    this.hasNothingLater = false;
    this.legalNamesTried = 0;
    this.#acceptedAtMs = -Infinity;
    this.#lastAcceptedMs = undefined;
    this.#acceptedUntilMs = -Infinity;
    this.#failing = undefined;
  }
}
