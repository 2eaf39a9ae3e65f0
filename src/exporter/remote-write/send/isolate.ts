import type { Clock } from "../../../base/core/clock.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { type RequestPart, splitRequest } from "../encoding/split-request.ts";
import type { Outcome, Unfinished } from "./outcome.ts";

/** What a receiver said when it refused something. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly responseLost: boolean;
  /** Samples that it has written all the same (protocol 2.0): what holds them must not be sent again. */
  readonly written?: number;
}

/** A part that goes to the rejected store, with the response that it got, or that the part it is of got. */
export interface Culprit {
  readonly part: RequestPart;
  readonly refusal: Refusal;
}

export interface Isolation {
  /** In the order of their acceptance. */
  readonly delivered: readonly RequestPart[];
  readonly culprits: readonly Culprit[];
  /** Set where it ended early: these parts are as undecided as they were. */
  readonly interrupted?: UnfinishedIsolation;
}

export interface UnfinishedIsolation {
  /** No response, suspended, aborted. */
  readonly outcome: Unfinished;
  /** The part whose outcome it is. */
  readonly part: RequestPart;
  /** Parts that were not sent. */
  readonly unsent: readonly RequestPart[];
}

export interface IsolateDeps {
  readonly clock: Clock;
  readonly send: (request: EncodedRequest, signal: AbortSignal) => Promise<Outcome>;
  /** Called as soon as a part is accepted, so that a crash afterwards does not repeat it. */
  readonly onDelivered?: (part: RequestPart) => void;
  /** Pause before each request: a receiver that refuses one request is not to be hammered with sixteen. */
  readonly spacingMs?: number;
}

export const maxExtraRequests = 16;
const defaultSpacingMs = 500;
/** So many refusals with nothing accepted: it is not about a few samples. */
const hopelessAfter = 6;
const tooLargeStatus = 413;

/**
 * Finds the samples for which a request was refused, by sending halves of it: by series and then by time, with at most 16
 * further requests. What the halves show to be good is delivered; the smallest parts that were refused are the culprits,
 * and what is undecided when the requests are used up goes with them.
 *
 * Halves by series have no order among each other and go level by level, so that large good parts arrive early. Parts of one
 * series go strictly in time order.
 */
export async function isolate(
  request: EncodedRequest,
  refusal: Refusal,
  deps: IsolateDeps,
  signal: AbortSignal,
): Promise<Isolation> {
  const run = new IsolationRun(deps, signal);
  return run.run({ part: { request, firstSeries: 0, firstSample: 0 }, refusal });
}

class IsolationRun {
  readonly #deps: IsolateDeps;
  readonly #signal: AbortSignal;
  readonly #delivered: RequestPart[] = [];
  readonly #culprits: Culprit[] = [];
  readonly #unsent: RequestPart[] = [];
  #requests = 0;
  #interruption: Omit<UnfinishedIsolation, "unsent"> | undefined;
  /** The smallest size (uncompressed) that got 413. */
  #tooLargeBytes = Infinity;

  constructor(deps: IsolateDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  async run(whole: Culprit): Promise<Isolation> {
    this.#noteSize(whole);
    let level = [whole];
    while (level.length > 0) {
      const next: Culprit[] = [];
      for (const bad of level) await this.#halve(bad, next);
      level = next;
    }
    const isolation = { delivered: this.#delivered, culprits: this.#culprits };
    if (this.#interruption === undefined) return isolation;
    return { ...isolation, interrupted: { ...this.#interruption, unsent: this.#unsent } };
  }

  /** Sends the halves of a part that is known to be bad; those that turn out bad themselves are added to `next`. */
  async #halve(bad: Culprit, next: Culprit[]): Promise<void> {
    const isInTime = bad.part.request.seriesCount === 1;
    const halves = this.#isOver(isInTime) ? undefined : splitRequest(bad.part.request);
    if (halves === undefined) {
      this.#leave(bad);
      return;
    }
    const [first, second] = halves.map(({ request, firstSeries, firstSample }) => ({
      request,
      firstSeries: bad.part.firstSeries + firstSeries,
      firstSample: bad.part.firstSample + firstSample,
    })) as [RequestPart, RequestPart];

    const firstResult = await this.#send(first, bad.refusal);
    if (typeof firstResult !== "string") {
      // The earlier half of a series must be done with before the later one goes.
      if (isInTime) await this.#halve(firstResult, next);
      else next.push(firstResult);
    }
    // When one half of something bad is good, the other one is bad; but two halves of something too large may both fit.
    const secondResult =
      firstResult === "delivered" && bad.refusal.status !== tooLargeStatus
        ? { part: second, refusal: bad.refusal }
        : await this.#send(second, bad.refusal);
    if (typeof secondResult === "string") return;
    if (isInTime) await this.#halve(secondResult, next);
    else next.push(secondResult);
  }

  /** @returns the part with its refusal where it is bad; `left` where nothing more is to be sent of it */
  async #send(part: RequestPart, refusal: Refusal): Promise<"delivered" | "left" | Culprit> {
    if (this.#isOver(part.request.seriesCount === 1)) {
      this.#leave({ part, refusal });
      return "left";
    }
    if (part.request.uncompressedBytes >= this.#tooLargeBytes) return { part, refusal };
    const outcome = await this.#attempt(part.request);
    if (outcome.kind === "delivered") {
      this.#delivered.push(part);
      this.#deps.onDelivered?.(part);
      return "delivered";
    }
    if (outcome.kind === "refused") {
      const bad = { part, refusal: outcome };
      if ((outcome.written ?? 0) > 0) {
        this.#culprits.push(bad);
        return "left";
      }
      this.#noteSize(bad);
      return bad;
    }
    this.#interruption = { outcome, part };
    return "left";
  }

  async #attempt(request: EncodedRequest): Promise<Outcome> {
    this.#requests++;
    try {
      await this.#deps.clock.sleep(this.#deps.spacingMs ?? defaultSpacingMs, this.#signal);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
      return { kind: "aborted", responseLost: false };
    }
    return this.#deps.send(request, this.#signal);
  }

  #isOver(isInTime: boolean): boolean {
    if (this.#interruption !== undefined || this.#requests >= maxExtraRequests) return true;
    // In time the earlier halves go first, and may be refused all the way down to one bad sample at the beginning.
    if (isInTime || this.#tooLargeBytes !== Infinity) return false;
    return this.#requests >= hopelessAfter && this.#delivered.length === 0;
  }

  #leave(bad: Culprit): void {
    if (this.#interruption === undefined) this.#culprits.push(bad);
    else this.#unsent.push(bad.part);
  }

  #noteSize({ part, refusal }: Culprit): void {
    if (refusal.status !== tooLargeStatus) return;
    this.#tooLargeBytes = Math.min(this.#tooLargeBytes, part.request.uncompressedBytes);
  }
}
