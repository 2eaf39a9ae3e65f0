import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { buildConnector, type Dispatcher, Pool } from "undici";
import { type Clock, systemClock } from "../core/clock.ts";
import { describeError, errnoCode } from "../core/errors.ts";
import { redact } from "../core/redact.ts";
import { version } from "../core/version.ts";
import { failure, failureOfStatus, type ReadFailure } from "./read-failure.ts";
import { StoreClock } from "./store-clock.ts";
import { exportAnswersFlavor, flavorOfBuildInfo } from "./store-flavor.ts";
import {
  defaultStoreTimeouts,
  type MetricsStoreSettings,
  type StoreFlavor,
  StoreHeaders,
  type StoreTimeouts,
  tlsOptions,
} from "./store-settings.ts";

export interface StoreRequest {
  /** Below the path of metrics.url, such as `/api/v1/export`. */
  readonly path: string;
  /** Sent as a form by POST, since a selector may be longer than an URL can be; without it and `body`: a GET. */
  readonly form?: URLSearchParams;
  /** Sent as it is by POST, with headers that say what it is. */
  readonly body?: { readonly bytes: Buffer; readonly headers: Readonly<Record<string, string>> };
}

export type StoreAnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The body has come in full, or as far as was wanted. */
export interface StoreAnswer {
  readonly kind: "answered";
  readonly headers: StoreAnswerHeaders;
  /** False when `onChunk` wanted no more. */
  readonly whole: boolean;
}

export interface FlavorAnswer {
  readonly kind: "flavor";
  readonly flavor: StoreFlavor;
}

const agent = `telemetryd/${version}`;
/** Of an answer that is no success, or a small one that is read whole. */
const longestText = 64 * 1024;

/**
 * HTTP to the one metrics store: a pool of kept connections, credentials, limits, what kind of store it is, and its
 * clock. Failures are values; only the caller's signal rejects.
 */
export class StoreClient {
  readonly timeouts: StoreTimeouts;
  readonly #settings: MetricsStoreSettings;
  readonly #clock: Clock;
  readonly #storeClock: StoreClock;
  readonly #headers: StoreHeaders;
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #connectErrors = new WeakSet<object>();
  #flavor: StoreFlavor | undefined;

  constructor(
    settings: MetricsStoreSettings,
    options: { readonly clock?: Clock; readonly timeouts?: Partial<StoreTimeouts> } = {},
  ) {
    this.#settings = settings;
    this.#clock = options.clock ?? systemClock;
    this.#storeClock = new StoreClock(this.#clock);
    this.#headers = new StoreHeaders(settings, this.#clock);
    this.timeouts = { ...defaultStoreTimeouts, ...options.timeouts };
    const url = new URL(settings.url);
    this.#prefix = url.pathname.replace(/\/+$/, "");
    this.#pool = new Pool(url.origin, {
      // One more than may be open, so that a probe never waits for a read.
      connections: settings.concurrency + 1,
      headersTimeout: this.timeouts.headersMs,
      bodyTimeout: this.timeouts.bodyIdleMs,
      // Shorter than the minute after which VictoriaMetrics closes an idle connection.
      keepAliveTimeout: 30_000,
      connect: this.#connect,
    });
    // Something else may listen at the address when the next connection is made.
    this.#pool.on("disconnect", () => {
      this.#flavor = undefined;
    });
  }

  /** A lower bound of the store's clock (Unix epoch, ms), less than about a second behind it; undefined before its first answer. */
  storeNowMs(): number | undefined {
    return this.#storeClock.nowMs();
  }

  /** What the store was found to be (or is configured as); undefined before its first answer and after a disconnect. */
  knownFlavor(): StoreFlavor | undefined {
    return this.#settings.flavor === "auto" ? this.#flavor : this.#settings.flavor;
  }

  /** A cheap request, to learn what the store is and its time. @throws the signal's reason */
  async probe(signal: AbortSignal): Promise<FlavorAnswer | ReadFailure> {
    let text = "";
    const answer = await this.request(
      { path: "/api/v1/status/buildinfo" },
      (chunk) => {
        text += chunk.toString("utf8");
        return text.length < longestText;
      },
      signal,
    );
    const told =
      answer.kind === "answered"
        ? flavorOfBuildInfo(answer.headers, text)
        : answer.reason === "not_found"
          ? undefined
          : answer;
    const flavor = told ?? exportAnswersFlavor(await this.request(probeExport(), () => true, signal));
    if (typeof flavor !== "string") return flavor;
    this.#flavor = flavor;
    return { kind: "flavor", flavor: this.knownFlavor() ?? flavor };
  }

  /** What the store is, asking it when that is not known. @throws the signal's reason */
  async flavor(signal: AbortSignal): Promise<FlavorAnswer | ReadFailure> {
    const flavor = this.knownFlavor();
    return flavor === undefined ? this.probe(signal) : { kind: "flavor", flavor };
  }

  /**
   * One request whose 2xx body goes to `onChunk` as it comes, decompressed; a chunk's bytes are the callee's until it
   * returns. When it returns false the connection is closed at once.
   *
   * @throws the signal's reason, and what `onChunk` throws
   */
  async request(
    request: StoreRequest,
    onChunk: (chunk: Buffer, headers: StoreAnswerHeaders) => boolean,
    signal: AbortSignal,
  ): Promise<StoreAnswer | ReadFailure> {
    const limit = new AbortController();
    // Not AbortSignal.timeout: its timer would outlive the request by minutes, thousands of them with many policies.
    const timer = setTimeout(() => limit.abort(), this.timeouts.readMs);
    const either = AbortSignal.any([signal, limit.signal]);
    try {
      let response: Dispatcher.ResponseData;
      try {
        response = await this.#send(request, either);
      } catch (error) {
        // A kept connection that the store closed just now. Reading twice does no harm, and a second time it is news.
        if (either.aborted || this.#connectErrors.has(error as object) || !isLostConnection(error))
          throw error;
        response = await this.#send(request, either);
      }
      return await this.#receive(response, onChunk);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ConsumerError) throw error.cause;
      if (limit.signal.aborted) {
        return failure("timeout", `the store did not finish its answer within ${this.timeouts.readMs} ms`);
      }
      return this.#failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends all connections, open reads included. May be called twice. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #send(request: StoreRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers = await this.#readHeaders(signal);
    const response = await this.#pool.request({
      path: this.#prefix + request.path,
      method: request.form === undefined && request.body === undefined ? "GET" : "POST",
      headers: {
        ...headers,
        "user-agent": agent,
        ...(request.form && { "content-type": "application/x-www-form-urlencoded" }),
        ...request.body?.headers,
      },
      body: request.form?.toString() ?? request.body?.bytes ?? null,
      signal,
    });
    this.#storeClock.observe(response.headers["date"]);
    return response;
  }

  async #readHeaders(signal: AbortSignal): Promise<Record<string, string>> {
    try {
      return await this.#headers.value(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new CredentialsError(describeError(error), { cause: error });
    }
  }

  async #receive(
    response: Dispatcher.ResponseData,
    onChunk: (chunk: Buffer, headers: StoreAnswerHeaders) => boolean,
  ): Promise<StoreAnswer | ReadFailure> {
    const { statusCode, headers, body } = response;
    if (statusCode < 200 || statusCode > 299) {
      const text = await beginningOf(body, 1_024);
      return failureOfStatus(statusCode, headers, redact(text), this.#clock.nowMs());
    }
    if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) {
      body.destroy();
      return failure(
        "unframed_body",
        "the store's answer has neither a length nor chunks, so that a broken one would look whole",
      );
    }
    const gunzip = headers["content-encoding"] === "gzip" ? createGunzip() : undefined;
    const whole = await new Promise<boolean>((resolve, reject) => {
      const stop = (settle: () => void) => {
        settle();
        gunzip?.destroy();
        body.destroy();
      };
      const stream = gunzip ?? body;
      const turn = new Turn(this.#clock);
      body.on("error", (error) => stop(() => reject(error)));
      gunzip?.on("error", (error) => stop(() => reject(error)));
      stream.on("data", (chunk: Buffer) => {
        turn.begin();
        try {
          if (!onChunk(chunk, headers)) stop(() => resolve(false));
          else if (turn.isOver()) yieldTurn(stream);
        } catch (error) {
          stop(() => reject(new ConsumerError("", { cause: error })));
        }
      });
      stream.on("end", () => resolve(true));
      // Without an error or an end: destroyed by the signal.
      stream.on("close", () => reject(new Error("the answer was broken off")));
      if (gunzip !== undefined) body.pipe(gunzip);
    });
    return { kind: "answered", headers, whole };
  }

  #failureOf(error: unknown): ReadFailure {
    const said = redact(describeError(error));
    if (error instanceof CredentialsError) {
      return failure("credentials_unreadable", `the store's credentials cannot be read: ${said}`);
    }
    if (this.#connectErrors.has(error as object)) {
      return failure("unreachable", `the store at ${redact(this.#settings.url)} cannot be reached: ${said}`);
    }
    const code = errnoCode(error);
    if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
      return failure("timeout", `the store kept us waiting for too long: ${said}`);
    }
    return failure("connection_lost", `the store's answer broke off: ${said}`);
  }

  /** A connection with the certificates as they are now: files may have been renewed since the last one. */
  readonly #connect: buildConnector.connector = (options, callback) => {
    const failed = (error: Error) => {
      this.#connectErrors.add(error);
      callback(error, null);
    };
    tlsOptions(this.#settings.tls).then((tls) => {
      const connect = buildConnector({ ...tls, timeout: this.timeouts.connectMs });
      connect({ ...options, ...(tls.servername && { servername: tls.servername }) }, (error, socket) =>
        error !== null ? failed(error) : callback(null, socket as NonNullable<typeof socket>),
      );
    }, failed);
  };
}

/**
 * How long the chunks of one answer may keep the event loop. A store that writes faster than they are decoded would keep it for
 * some 100 ms at a time: libuv reads up to 32 times 64 KiB from a socket before it looks at another one, and every
 * small read of another tenant needs several turns of the loop (test/load/fairness).
 */
const longestTurnMs = 2;

/** The time since the event loop last came round to others. */
class Turn {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #startMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** To be called before each chunk; only the first time in a turn is its beginning. */
  begin(): void {
    if (this.#startMs !== undefined) return;
    this.#startMs = this.#clock.monotonicMs();
    setImmediate(() => {
      this.#startMs = undefined;
    });
  }

  isOver(): boolean {
    return this.#startMs !== undefined && this.#clock.monotonicMs() - this.#startMs >= longestTurnMs;
  }
}

/** No chunk comes before the event loop has looked at everything else. */
function yieldTurn(stream: Readable): void {
  stream.pause();
  setImmediate(() => stream.resume());
}

/** What a caller's own code threw: not the store's fault. */
class ConsumerError extends Error {}

class CredentialsError extends Error {}

/** The smallest question that only VictoriaMetrics understands: an empty span of a series that there is not. */
function probeExport(): StoreRequest {
  const form = new URLSearchParams({ "match[]": '{__name__="telemetryd_probe"}', start: "1", end: "1" });
  return { path: "/api/v1/export", form };
}

function isLostConnection(error: unknown): boolean {
  const code = errnoCode(error);
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}

/** At most `maxBytes` of a body, in one line; the rest is not waited for. */
async function beginningOf(body: Dispatcher.ResponseData["body"], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // The status has said what matters.
  }
  return Buffer.concat(chunks).toString("utf8").slice(0, maxBytes).replace(/\s+/g, " ").trim();
}
