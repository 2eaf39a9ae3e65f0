import { type Clock, systemClock } from "../../../base/core/clock.ts";
import { defined } from "../../../base/core/defined.ts";
import { describeError } from "../../../base/core/errors.ts";
import { withLimit } from "../../../base/core/signals.ts";
import { version } from "../../../base/core/version.ts";
import { Connections } from "../../../base/http/connections.ts";
import {
  ConnectError,
  type ExchangeLimits,
  type HttpRequest,
  ResponseTimeout,
} from "../../../base/http/exchange.ts";
import { RequestHead } from "../../../base/http/request-head.ts";
import type { ResponseHead, ResponseHeaders } from "../../../base/http/response-head.ts";
import { redact } from "../../../base/log/redact.ts";
import { TlsMaterial } from "../../../base/net/tls-material.ts";
import type { PrometheusMajor } from "../../metricsql/analysis/promql.ts";
import { failure, failureOfStatus, type ReadFailure } from "./read-failure.ts";
import { type ChunkConsumer, ConsumerError, isSuccess, ResponseBody } from "./response-body.ts";
import { StoreClock } from "./store-clock.ts";
import { flavorOfBuildInfo, flavorOfExport, flavorOfQuery, promqlOfBuildInfo } from "./store-flavor.ts";
import {
  defaultStoreTimeouts,
  type MetricsStoreSettings,
  type StoreFlavor,
  StoreHeaders,
  type StoreTimeouts,
} from "./store-settings.ts";

interface StoreRequest {
  /** Relative to metrics.url, such as `/api/v1/export`. */
  readonly path: string;
  /** Relative to the server's own root: `/flags` of a vmselect does not lie below `/select/…`. */
  readonly isOfServer?: boolean;
  /** Sent as a form by POST, since a selector may be too long for a URL. Without it and `body`: a GET. */
  readonly form?: URLSearchParams;
  /** Sent unchanged by POST, with headers that describe it. */
  readonly body?: { readonly bytes: Buffer; readonly headers: Readonly<Record<string, string>> };
}

/** The body was received in full, or as far as it was wanted. */
interface StoreResponse {
  readonly kind: "response";
  readonly headers: ResponseHeaders;
  /** False when `onChunk` wanted no more. */
  readonly whole: boolean;
}

interface FlavorResponse {
  readonly kind: "flavor";
  readonly flavor: StoreFlavor;
}

const agent = `telemetryd/${version}`;
/** Larger than Node's default read size, which costs a large response more turns of the event loop. */
const readBytes = 128 * 1024;
/** Maximum bytes of a small response that is read whole, but for its last chunk. */
const longestText = 64 * 1024;
/** Maximum time of a request that reads wait for. */
const aboutMs = 3_000;
const neverAborted = new AbortController().signal;

/**
 * HTTP client of the one metrics store: a pool of persistent connections, credentials, limits, the store's
 * flavor and its clock. Failures are values; only the caller's signal rejects.
 */
export class StoreClient {
  readonly timeouts: StoreTimeouts;
  /** Connections that ended: a later one may reach another server at this address. */
  closedConnections = 0;
  readonly #settings: MetricsStoreSettings;
  readonly #clock: Clock;
  readonly #storeClock: StoreClock;
  readonly #headers: StoreHeaders;
  readonly #connections: Connections;
  readonly #limits: ExchangeLimits;
  readonly #host: string;
  readonly #prefix: string;
  #flavor: StoreFlavor | undefined;
  #promql: PrometheusMajor | undefined;

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
    const tls = new TlsMaterial(settings.tls ?? {});
    this.#host = url.host;
    this.#prefix = url.pathname.replace(/\/+$/, "");
    const { connectMs, headersMs, bodyIdleMs } = this.timeouts;
    // A whole read has a limit of its own, which includes the wait for a connection.
    this.#limits = { startMs: Infinity, headersMs, bodyIdleMs, bodyMs: Infinity };
    this.#connections = new Connections({
      url,
      // One more than the maximum of open reads, so that a probe never waits for a read.
      max: settings.concurrency + 1,
      connectMs,
      readBytes,
      // Reads may be repeated.
      repeats: true,
      channelName: "store",
      // Shorter than the minute after which VictoriaMetrics closes an idle connection.
      keepMs: 30_000,
      // The store's name may lead to another server by then.
      maxAgeMs: 90_000,
      tls: () => tls.connectOptions(),
      // The next connection may reach a different server at this address.
      onClose: () => {
        this.closedConnections++;
        this.#flavor = undefined;
        this.#promql = undefined;
      },
    });
  }

  /** `metrics.dedupInterval`; 0 where it is not set. */
  get configuredDedupMs(): number {
    return this.#settings.dedupIntervalMs ?? 0;
  }

  /**
   * A lower bound of the store's clock (Unix epoch, ms), less than about a second behind it. Undefined before
   * the store's first response.
   */
  storeNowMs(): number | undefined {
    return this.#storeClock.nowMs();
  }

  /** How far the store's clock is ahead of ours, in ms; see {@link StoreClock.skewMs}. */
  clockSkewMs(): number | undefined {
    return this.#storeClock.skewMs();
  }

  /** The store's detected or configured flavor; undefined before its first response and after disconnects. */
  knownFlavor(): StoreFlavor | undefined {
    return this.#settings.flavor === "auto" ? this.#flavor : this.#settings.flavor;
  }

  /** A cheap request that detects the store's flavor and time. @throws the signal's reason */
  async probe(signal: AbortSignal): Promise<FlavorResponse | ReadFailure> {
    const { response, text } = await this.#readText({ path: "/api/v1/status/buildinfo" }, signal);
    if (response.kind === "response") this.#promql = promqlOfBuildInfo(text);
    const reported =
      response.kind === "response"
        ? flavorOfBuildInfo(response.headers, text)
        : response.reason === "not_found"
          ? undefined
          : response;
    const flavor = reported ?? (await this.#flavorOfEndpoints(signal));
    if (typeof flavor !== "string") return flavor;
    this.#flavor = flavor;
    return { kind: "flavor", flavor: this.knownFlavor() ?? flavor };
  }

  /** The store's flavor; probes the store if it is unknown. @throws the signal's reason */
  async flavor(signal: AbortSignal): Promise<FlavorResponse | ReadFailure> {
    const flavor = this.knownFlavor();
    return flavor === undefined ? this.probe(signal) : { kind: "flavor", flavor };
  }

  /** The PromQL version of a Prometheus; probes the store if it is unknown. @throws the signal's reason */
  async promql(signal: AbortSignal): Promise<PrometheusMajor> {
    if (this.#promql === undefined) await this.probe(signal);
    // The version is not reported: the store itself rejects unknown features.
    this.#promql ??= 3;
    return this.#promql;
  }

  /**
   * Sends one request and passes its 2xx body to `onChunk` as it arrives, decompressed; see `ChunkConsumer`.
   * When it wants no more, the connection is closed at once.
   *
   * @throws the signal's reason, and the errors of `onChunk`
   */
  async request(
    request: StoreRequest,
    onChunk: ChunkConsumer,
    signal: AbortSignal,
  ): Promise<StoreResponse | ReadFailure> {
    signal.throwIfAborted();
    const onHead = ({ headers }: ResponseHead) => this.#storeClock.observe(headers["date"]);
    const receiver = new ResponseBody(this.#clock, onHead, onChunk);
    try {
      const ask = async (limited: AbortSignal) => {
        const httpRequest = await this.#httpRequest(request, limited);
        await this.#connections.exchange(httpRequest, receiver, this.#limits, limited);
        return this.#responseOf(receiver);
      };
      return await withLimit(signal, this.timeouts.readMs, ask, () => new ReadTimeout());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ConsumerError) throw error.cause;
      return this.#failureOf(error);
    } finally {
      receiver.close();
    }
  }

  /**
   * The beginning of a text about the store, such as its flags. Reads wait for it, so its time is short, and
   * no caller's signal ends it for the others.
   *
   * @returns at most 64 KiB, or the failure
   */
  async readAbout(request: StoreRequest): Promise<string | ReadFailure> {
    try {
      const { response, text } = await withLimit(neverAborted, aboutMs, (limited) =>
        this.#readText(request, limited),
      );
      return response.kind === "response" ? text : response;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return failure("timeout", `the store did not send ${request.path} within ${aboutMs} ms`);
    }
  }

  /** Closes all connections, open reads included. May be called twice. */
  close(): void {
    this.#connections.close();
  }

  /** The flavor of a store without build details, from what it serves. */
  async #flavorOfEndpoints(signal: AbortSignal): Promise<StoreFlavor | ReadFailure> {
    const flavor = flavorOfExport(await this.request(probeExport(), () => true, signal));
    if (typeof flavor === "string" || flavor.reason !== "unknown_flavor") return flavor;
    const { response, text } = await this.#readText({ path: "/api/v1/query?query=1" }, signal);
    if (response.kind === "failed") return response.reason === "not_found" ? flavor : response;
    return flavorOfQuery(text) ?? flavor;
  }

  /** Reads a small response whole, or the beginning of a larger one. */
  async #readText(
    request: StoreRequest,
    signal: AbortSignal,
  ): Promise<{ readonly response: StoreResponse | ReadFailure; readonly text: string }> {
    const pieces: Buffer[] = [];
    let held = 0;
    const take = (chunk: Buffer): boolean => {
      held += chunk.length;
      // A copy: a chunk's bytes are valid only until this returns.
      pieces.push(Buffer.from(chunk));
      return held < longestText;
    };
    const response = await this.request(request, take, signal);
    return { response, text: Buffer.concat(pieces).toString("utf8") };
  }

  async #httpRequest(
    { path, isOfServer, form, body }: StoreRequest,
    signal: AbortSignal,
  ): Promise<HttpRequest> {
    const headers = defined({
      ...(await this.#readHeaders(signal)),
      "user-agent": agent,
      // The results caches of Mimir, Cortex and Thanos do not see samples that came late.
      "cache-control": "no-store",
      "content-type": form && "application/x-www-form-urlencoded",
      ...body?.headers,
    });
    const bytes = form === undefined ? body?.bytes : Buffer.from(form.toString());
    const method = bytes === undefined ? "GET" : "POST";
    const prefix = isOfServer === true ? this.#prefix.replace(/\/select\/.*$/, "") : this.#prefix;
    const head = new RequestHead(method, this.#host, prefix + path, headers);
    return defined({ head, body: bytes });
  }

  async #responseOf(receiver: ResponseBody): Promise<StoreResponse | ReadFailure> {
    const whole = await receiver.finished();
    const { head } = receiver;
    if (head === undefined) throw new Error("an exchange has ended without a response");
    if (!isSuccess(head.status)) {
      return failureOfStatus(head.status, head.headers, receiver.text, this.#clock.nowMs());
    }
    if (head.framing === "close") {
      return failure(
        "unframed_body",
        "the store's response has neither a length nor chunks, so that a broken one would look whole",
      );
    }
    return { kind: "response", headers: head.headers, whole };
  }

  async #readHeaders(signal: AbortSignal): Promise<Record<string, string>> {
    try {
      return await this.#headers.value(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new CredentialsError(describeError(error), { cause: error });
    }
  }

  #failureOf(error: unknown): ReadFailure {
    const said = redact(describeError(error));
    if (error instanceof CredentialsError) {
      return failure("credentials_unreadable", `the store's credentials cannot be read: ${said}`);
    }
    if (error instanceof ReadTimeout) {
      return failure("timeout", `the store did not finish its response within ${this.timeouts.readMs} ms`);
    }
    if (error instanceof ConnectError) {
      return failure("unreachable", `the store at ${redact(this.#settings.url)} cannot be reached: ${said}`);
    }
    if (error instanceof ResponseTimeout) {
      return failure("timeout", `the metrics store timed out: ${said}`);
    }
    return failure("connection_lost", `the store's response broke off: ${said}`);
  }
}

class ReadTimeout extends Error {}

class CredentialsError extends Error {}

/** The smallest request that only VictoriaMetrics understands: an empty span of a nonexistent series. */
function probeExport(): StoreRequest {
  const form = new URLSearchParams({ "match[]": '{__name__="telemetryd_probe"}', start: "1", end: "1" });
  return { path: "/api/v1/export", form };
}
