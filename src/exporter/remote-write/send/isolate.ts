import type { Clock } from "../../../base/core/clock.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import { withoutExemplars } from "../encoding/request-body.ts";
import { type RequestPart, splitRequest } from "../encoding/split-request.ts";
import type { Outcome, Unfinished } from "./outcome.ts";

/** A receiver's response to a rejected request. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  readonly responseLost: boolean;
  /**
   * Samples that it has written nevertheless (protocol 2.0): a part that contains them must not be repeated.
   */
  readonly written?: number | undefined;
}

/** A part for the rejected store, with its own response or that of the part that contained it. */
export interface Culprit {
  readonly part: RequestPart;
  readonly rejection: Rejection;
}

export interface Isolation {
  /** In the order of their acceptance. */
  readonly delivered: readonly RequestPart[];
  readonly culprits: readonly Culprit[];
  /** Set when the search ended early: these parts are still undecided. */
  readonly interrupted?: UnfinishedIsolation;
}

export interface UnfinishedIsolation {
  /** No response, suspended, or aborted. */
  readonly outcome: Unfinished;
  /** The part with that outcome. */
  readonly part: RequestPart;
  readonly unsent: readonly RequestPart[];
}

export interface IsolateDeps {
  readonly clock: Clock;
  readonly send: (request: EncodedRequest, signal: AbortSignal) => Promise<Outcome>;
  /** Pause before each request: a receiver that rejects one request must not be flooded. */
  readonly spacingMs?: number;
}

export const maxExtraRequests = 16;
const defaultSpacingMs = 500;
/** Number of rejections without an acceptance after which the fault is not limited to a few samples. */
const hopelessAfter = 6;
const tooLargeStatus = 413;

/**
 * Isolates the samples that cause a rejection by sending halves of the request: by series and then by time,
 * with at most 16 further requests. Good halves are delivered. The smallest rejected parts are the culprits,
 * together with the parts still undecided when the requests are used up. Exemplars are left out first: no
 * sample is lost because of one.
 *
 * Halves by series are unordered and processed level by level, so that large good parts arrive early. Parts
 * of one series are sent strictly in time order.
 *
 * Yields each accepted part at once, so that it can be recorded: a crash must not repeat it.
 */
export function isolate(
  request: EncodedRequest,
  rejection: Rejection,
  deps: IsolateDeps,
  signal: AbortSignal,
): AsyncGenerator<RequestPart, Isolation, void> {
  return new IsolationRun(deps, signal).run({ part: { request, firstSeries: 0 }, rejection });
}

class IsolationRun {
  readonly #deps: IsolateDeps;
  readonly #signal: AbortSignal;
  readonly #delivered: RequestPart[] = [];
  readonly #culprits: Culprit[] = [];
  readonly #unsent: RequestPart[] = [];
  #requests = 0;
  #interruption: Omit<UnfinishedIsolation, "unsent"> | undefined;
  /** The smallest uncompressed size that got 413. */
  #tooLargeBytes = Infinity;

  constructor(deps: IsolateDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  async *run(whole: Culprit): AsyncGenerator<RequestPart, Isolation, void> {
    this.#noteSize(whole);
    const bare = yield* this.#withoutExemplars(whole);
    let level = typeof bare === "string" ? [] : [bare];
    while (level.length > 0) {
      const next: Culprit[] = [];
      for (const bad of level) yield* this.#halve(bad, next);
      level = next;
    }
    const isolation = { delivered: this.#delivered, culprits: this.#culprits };
    if (this.#interruption === undefined) return isolation;
    return { ...isolation, interrupted: { ...this.#interruption, unsent: this.#unsent } };
  }

  /** Sends a bad request without its exemplars, if it has any. */
  async *#withoutExemplars(
    whole: Culprit,
  ): AsyncGenerator<RequestPart, "delivered" | "left" | Culprit, void> {
    const { part, rejection } = whole;
    if (part.request.hasExemplars !== true) return whole;
    return yield* this.#send({ ...part, request: withoutExemplars(part.request) }, rejection);
  }

  /** Sends the halves of a bad part; bad halves are added to `next`. */
  async *#halve(bad: Culprit, next: Culprit[]): AsyncGenerator<RequestPart, void, void> {
    const isInTime = bad.part.request.seriesCount === 1;
    const halves = this.#isOver(isInTime) ? undefined : splitRequest(bad.part.request);
    if (halves === undefined) {
      this.#leave(bad);
      return;
    }
    const [first, second] = halves.map(({ request, firstSeries }) => ({
      request,
      firstSeries: bad.part.firstSeries + firstSeries,
    })) as [RequestPart, RequestPart];

    const firstResult = yield* this.#send(first, bad.rejection);
    if (typeof firstResult !== "string") {
      // The earlier half of a series must be finished before the later one is sent.
      if (isInTime) yield* this.#halve(firstResult, next);
      else next.push(firstResult);
    }
    // If one half of a bad part is good, the other one is bad; but both halves of a too large part may fit.
    const secondResult =
      firstResult === "delivered" && bad.rejection.status !== tooLargeStatus
        ? { part: second, rejection: bad.rejection }
        : yield* this.#send(second, bad.rejection);
    if (typeof secondResult === "string") return;
    if (isInTime) yield* this.#halve(secondResult, next);
    else next.push(secondResult);
  }

  /** @returns the part with its rejection if it is bad; `left` if nothing more of it is to be sent */
  async *#send(
    part: RequestPart,
    rejection: Rejection,
  ): AsyncGenerator<RequestPart, "delivered" | "left" | Culprit, void> {
    if (this.#isOver(part.request.seriesCount === 1)) {
      this.#leave({ part, rejection });
      return "left";
    }
    if (part.request.uncompressedBytes >= this.#tooLargeBytes) return { part, rejection };
    const outcome = await this.#attempt(part.request);
    if (outcome.kind === "delivered") {
      this.#delivered.push(part);
      yield part;
      return "delivered";
    }
    if (outcome.kind === "rejected") {
      const bad = { part, rejection: outcome };
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
    // In time, earlier halves are first, and may be rejected all the way down to one bad sample at the
    // beginning.
    if (isInTime || this.#tooLargeBytes !== Infinity) return false;
    return this.#requests >= hopelessAfter && this.#delivered.length === 0;
  }

  #leave(bad: Culprit): void {
    if (this.#interruption === undefined) this.#culprits.push(bad);
    else this.#unsent.push(bad.part);
  }

  #noteSize({ part, rejection }: Culprit): void {
    if (rejection.status !== tooLargeStatus) return;
    this.#tooLargeBytes = Math.min(this.#tooLargeBytes, part.request.uncompressedBytes);
  }
}
