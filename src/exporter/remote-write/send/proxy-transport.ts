import { type Dispatcher, Pool, ProxyAgent } from "undici";
import { withLimit } from "../../../base/core/signals.ts";
import type { ConnectionBudget } from "../../../base/http/connection-budget.ts";
import type { ResponseHeaders } from "../../../base/http/response-head.ts";
import type { TlsMaterial } from "../../../base/net/tls-material.ts";
import {
  keepMs,
  NoConnectionError,
  type PostLimits,
  type PostRequest,
  type PostResult,
  ResponseTimeoutError,
  type Transport,
  type TransportLimits,
} from "./post.ts";

export interface ProxyTransportOptions {
  readonly limits: TransportLimits;
  readonly tls: TlsMaterial;
  /** Shared by all transports. A request counts while it is in flight; idle tunnels do not. */
  readonly budget: ConnectionBudget;
}

/** Sends through an http or https proxy, by undici's tunnels (CONNECT). */
export class ProxyTransport implements Transport {
  readonly #agent: Dispatcher;
  readonly #budget: ConnectionBudget;

  constructor(proxyUrl: string, { limits, tls, budget }: ProxyTransportOptions) {
    this.#budget = budget;
    this.#agent = new ProxyAgent({
      uri: proxyUrl,
      connections: limits.connections,
      // One request at a time on a connection: a missing response would block those behind it.
      pipelining: 1,
      keepAliveTimeout: keepMs,
      keepAliveMaxTimeout: 60_000,
      requestTls: tls.connectOptions(),
      clientFactory: (origin, settings) =>
        new Pool(origin, { ...(settings as Pool.Options), headersTimeout: limits.connectMs }),
    });
  }

  async post(request: PostRequest, limits: PostLimits, signal: AbortSignal): Promise<PostResult> {
    try {
      await this.#acquire(request.tenant, limits.startMs, signal);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted", written: false };
      return { kind: "no-response", error, written: false };
    }
    try {
      return await dispatchPost(this.#agent, request, limits, signal);
    } finally {
      this.#budget.release(request.tenant);
    }
  }

  async #acquire(tenant: string, startMs: number, signal: AbortSignal): Promise<void> {
    if (this.#budget.tryAcquire(tenant)) return;
    await withLimit(
      signal,
      startMs,
      (limited) => this.#budget.acquire(tenant, limited),
      () => noConnection(startMs),
    );
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/**
 * Uses undici's dispatch, one level below its `request`: only there is it visible whether anything was
 * written, and thus whether an attempt can have been stored.
 */
export function dispatchPost(
  dispatcher: Dispatcher,
  request: PostRequest,
  limits: PostLimits,
  signal: AbortSignal,
): Promise<PostResult> {
  if (signal.aborted) return Promise.resolve({ kind: "aborted", written: false });
  return new Promise((resolve) => {
    const exchange = new Exchange(limits, signal, resolve);
    const { target, body } = request;
    // undici's own limits are off: their resolution is a second, and they do not cover the body as a whole.
    const options: Dispatcher.DispatchOptions = {
      ...target,
      ...{ body, method: "POST", headersTimeout: 0, bodyTimeout: 0 },
    };
    try {
      dispatcher.dispatch(options, exchange);
    } catch (error) {
      // Most errors of a request are reported to the exchange; a proxy's dispatcher throws some.
      exchange.refuse(error);
    }
  });
}

function noConnection(afterMs: number): NoConnectionError {
  return new NoConnectionError(`no connection was free within ${afterMs / 1_000} s`);
}

const closedByUs = new Error("the rest of the response is not wanted");

/** One request in flight: collects undici's events, and settles exactly once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: PostLimits;
  readonly #signal: AbortSignal;
  readonly #resolve: (result: PostResult) => void;
  readonly #onAbort: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #response: { status: number; headers: ResponseHeaders } | undefined;
  #kept: Buffer[] = [];
  #received = 0;
  #settled = false;

  constructor(limits: PostLimits, signal: AbortSignal, resolve: (result: PostResult) => void) {
    this.#limits = limits;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#onAbort = () => {
      // If only the body is missing, the response is known.
      if (this.#response === undefined)
        this.#settle({ kind: "aborted", written: this.#controller !== undefined });
      else this.#settleByResponse();
      this.#controller?.abort(closedByUs);
    };
    signal.addEventListener("abort", this.#onAbort);
    this.#timer = setTimeout(() => {
      this.#settle({ kind: "no-response", error: noConnection(limits.startMs), written: false });
    }, limits.startMs);
  }

  /** Called with a connection, right before the request is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Abandoned while it waited for a connection: this prevents it from being written.
    if (this.#settled) controller.abort(closedByUs);
    else this.#limit(this.#limits.headersMs);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200 || this.#settled) return;
    this.#response = { status, headers };
    this.#limit(this.#limits.bodyMs);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#limits.keptBytes - this.#received;
    // A copy: the chunk is a view of a buffer that the parser reuses.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#received += chunk.length;
    if (this.#received <= this.#limits.bodyBytes) return;
    this.#settleByResponse();
    controller.abort(closedByUs);
  }

  onResponseEnd(): void {
    this.#settleByResponse();
  }

  onResponseError(_: Dispatcher.DispatchController, error: unknown): void {
    if (this.#response !== undefined) this.#settleByResponse();
    else this.#settle({ kind: "no-response", error, written: this.#controller !== undefined });
  }

  /** The request was not accepted for dispatch. */
  refuse(error: unknown): void {
    this.#settle({ kind: "no-response", error, written: false });
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#response === undefined) {
        const error = new ResponseTimeoutError(`no response within ${ms / 1_000} s`);
        this.#settle({ kind: "no-response", error, written: true });
      } else {
        this.#settleByResponse();
      }
      this.#controller?.abort(closedByUs);
    }, ms);
  }

  #settleByResponse(): void {
    if (this.#response === undefined) return;
    this.#settle({ kind: "response", ...this.#response, body: Buffer.concat(this.#kept).toString() });
  }

  #settle(result: PostResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#resolve(result);
  }
}
