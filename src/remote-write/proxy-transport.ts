import type { Dispatcher } from "undici";

/** Header names in lower case; a header that came several times is a list. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What became of one HTTP request. */
export type PostResult =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: AnswerHeaders;
      /** The beginning of the body, for people: decisions never use it. */
      readonly body: string;
    }
  | {
      readonly kind: "no-answer";
      readonly error: unknown;
      /** False: not a byte of the request went out, so that nothing can have been stored. */
      readonly written: boolean;
    }
  | { readonly kind: "aborted"; readonly written: boolean };

export interface PostRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostLimits {
  /** Until a connection is there and free: with a limit of its own below, this one is for a pool that is used up. */
  readonly startMs: number;
  /** From the writing of the request to the end of the answer's headers. */
  readonly headersMs: number;
  /** For the answer's body, once its headers are there. */
  readonly bodyMs: number;
  /** An answer's body is read so far; the connection of a longer one is dropped. */
  readonly bodyBytes: number;
  /** So much of it is kept as text. */
  readonly keptBytes: number;
}

export const postLimits: PostLimits = {
  startMs: 60_000,
  headersMs: 30_000,
  bodyMs: 5_000,
  bodyBytes: 65_536,
  keptBytes: 1_024,
};

/** The receiver took the request and did not answer in time. */
export class AnswerTimeoutError extends Error {
  override readonly name = "AnswerTimeoutError";
}

/** All connections that may be open are taken by requests that have no answer yet. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/**
 * Sends one POST and waits for its answer. Never rejects: whatever happens is a value.
 *
 * Once the headers have come the status decides: a body that is slow, endless or cut off is given up without changing
 * the result, and the connection goes with it.
 *
 * Uses undici's dispatch, one level below its `request`: only there can be seen whether anything was written, which
 * tells an attempt that can have stored something from one that cannot.
 */
export function post(
  dispatcher: Dispatcher,
  request: PostRequest,
  limits: PostLimits,
  signal: AbortSignal,
): Promise<PostResult> {
  if (signal.aborted) return Promise.resolve({ kind: "aborted", written: false });
  return new Promise((resolve) => {
    const exchange = new Exchange(limits, signal, resolve);
    const { origin, path, headers, body } = request;
    // Its own limits are off: they have a resolution of a second and do not cover the body as a whole.
    const options = { origin, path, headers, body, method: "POST", headersTimeout: 0, bodyTimeout: 0 };
    try {
      dispatcher.dispatch(options, exchange);
    } catch (error) {
      // Most faults of a request are reported to the exchange; a proxy's dispatcher throws some.
      exchange.refuse(error);
    }
  });
}

const closedByUs = new Error("the rest of the answer is not wanted");

/** One request on its way: collects what undici reports, and settles exactly once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: PostLimits;
  readonly #signal: AbortSignal;
  readonly #resolve: (result: PostResult) => void;
  readonly #onAbort: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #answer: { status: number; headers: AnswerHeaders } | undefined;
  #kept: Buffer[] = [];
  #received = 0;
  #settled = false;

  constructor(limits: PostLimits, signal: AbortSignal, resolve: (result: PostResult) => void) {
    this.#limits = limits;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#onAbort = () => {
      // The answer is known where only its body is missing.
      if (this.#answer === undefined)
        this.#settle({ kind: "aborted", written: this.#controller !== undefined });
      else this.#settleAnswer();
      this.#controller?.abort(closedByUs);
    };
    signal.addEventListener("abort", this.#onAbort);
    this.#timer = setTimeout(() => {
      const error = new NoConnectionError(`no connection was free within ${limits.startMs / 1_000} s`);
      this.#settle({ kind: "no-answer", error, written: false });
    }, limits.startMs);
  }

  /** A connection is there; the request is written right after this. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: this keeps it from being written.
    if (this.#settled) controller.abort(closedByUs);
    else this.#limit(this.#limits.headersMs);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200 || this.#settled) return;
    this.#answer = { status, headers };
    this.#limit(this.#limits.bodyMs);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#limits.keptBytes - this.#received;
    // A copy: the chunk is a view of a buffer that the parser uses again.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#received += chunk.length;
    if (this.#received <= this.#limits.bodyBytes) return;
    this.#settleAnswer();
    controller.abort(closedByUs);
  }

  onResponseEnd(): void {
    this.#settleAnswer();
  }

  onResponseError(_: Dispatcher.DispatchController, error: unknown): void {
    if (this.#answer !== undefined) this.#settleAnswer();
    else this.#settle({ kind: "no-answer", error, written: this.#controller !== undefined });
  }

  /** The request was not taken at all. */
  refuse(error: unknown): void {
    this.#settle({ kind: "no-answer", error, written: false });
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#answer === undefined) {
        const error = new AnswerTimeoutError(`no answer within ${ms / 1_000} s`);
        this.#settle({ kind: "no-answer", error, written: true });
      } else {
        this.#settleAnswer();
      }
      this.#controller?.abort(closedByUs);
    }, ms);
  }

  #settleAnswer(): void {
    if (this.#answer === undefined) return;
    this.#settle({ kind: "answer", ...this.#answer, body: Buffer.concat(this.#kept).toString() });
  }

  #settle(result: PostResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#resolve(result);
  }
}
