import type { Socket } from "node:net";
import { describeError } from "../core/errors.ts";
import { Deadline } from "./deadline.ts";
import {
  ClosedClient,
  ConnectError,
  type ExchangeLimits,
  type HttpRequest,
  LostConnection,
  type ResponseReceiver,
  ResponseTimeout,
} from "./exchange.ts";
import { openSocket, type SocketOptions } from "./open-socket.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseParser } from "./response-parser.ts";
import { type ProxyHop, Tunnel } from "./tunnel.ts";

export interface ConnectionOptions extends SocketOptions {
  readonly tenant: string;
  /** See {@link Connection.isWorn}; Infinity for none. */
  readonly maxAgeMs: number;
  /** Reaches the URL through a tunnel; the lookup is then used for the proxy's name. */
  readonly proxy: ProxyHop | undefined;
}

interface Exchange {
  readonly receiver: ResponseReceiver;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  head: ResponseHead | undefined;
  /** Deadline of {@link ExchangeLimits.bodyMs}, on the clock of `performance.now()`. */
  bodyEndMs: number;
  isPaused: boolean;
}

/**
 * One connection, with one exchange at a time.
 *
 * Node's streams and clients allocate memory outside the heap for each piece of a body; collecting it costs
 * as much as receiving the response. A plain connection here reads into one buffer again and again
 * (`onread`), which works because bodies are decoded as they arrive. For the same reason parser, timer and
 * listeners belong to the connection, not to the exchange.
 */
export class Connection {
  /** The tenant it was opened for; other tenants may reuse it later. */
  readonly tenant: string;
  /** With TLS in a tunnel, first the socket to the proxy, then the one inside. */
  #socket: Socket;
  readonly #tunnel: Tunnel | undefined;
  readonly #parser: ResponseParser;
  readonly #deadline = new Deadline(() => this.#timedOut());
  readonly #onAbort = () => this.#fail(this.#exchange?.signal.reason as Error);
  #exchange: Exchange | undefined;
  /** Bytes received during the receiver's pause, not yet parsed. */
  #rest: Buffer | undefined;
  #error: Error | undefined;
  readonly #onClose: (wasOpen: boolean) => void;
  /** Set until the connection is open. */
  #opening: { readonly resolve: () => void; readonly reject: () => void } | undefined;
  #wasOpen = false;
  #keepAlive: string | string[] | undefined;
  #lastStatus = 0;
  readonly #wornAtMs: number;

  /**
   * Starts connecting; {@link opened} reports the result.
   *
   * @param onClose called once at the end, even when the connection never opened
   */
  constructor(options: ConnectionOptions, onClose: (wasOpen: boolean) => void) {
    this.tenant = options.tenant;
    this.#wornAtMs = performance.now() + options.maxAgeMs;
    this.#onClose = onClose;
    this.#parser = new ResponseParser({
      onHead: (head) => this.#takeHead(head),
      onBody: (bytes) => this.#takeBody(bytes),
      onEnd: () => this.#takeEnd(),
    });
    const onBytes = (bytes: Buffer) => this.#received(bytes);
    const onOpen = () => this.#opened();
    if (options.proxy === undefined) {
      this.#tunnel = undefined;
      this.#socket = openSocket(options, onBytes);
      this.#socket.once(options.tls === undefined ? "connect" : "secureConnect", onOpen);
    } else {
      const onSecuring = (socket: Socket) => this.#follow(socket);
      this.#tunnel = new Tunnel(options, options.proxy, { onOpen, onSecuring, onBytes });
      this.#socket = this.#tunnel.socket;
    }
    this.#follow(this.#socket);
  }

  /** Call once, right after construction. @throws ConnectError; the signal's reason */
  async opened(withinMs: number, signal: AbortSignal): Promise<void> {
    const onTimeout = () => this.close(new Error(`no connection within ${withinMs / 1_000} s`));
    const timer = setTimeout(onTimeout, withinMs);
    const onAbort = () => this.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        const refused = () => reject(this.#refusal());
        this.#opening = { resolve, reject: refused };
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #follow(socket: Socket): void {
    this.#socket = socket;
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      if (socket === this.#socket) this.#closed();
    });
  }

  #opened(): void {
    this.#wasOpen = true;
    this.#opening?.resolve();
  }

  #refusal(): ConnectError {
    const isOurs = this.#tunnel === undefined || this.#error instanceof ClosedClient;
    const cause = isOurs ? this.#error : this.#tunnel.failure(this.#error);
    return new ConnectError(cause === undefined ? this.#whyClosed() : describeError(cause), { cause });
  }

  /** Open, not expired, and ready for the next exchange. */
  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#exchange === undefined && !this.#deadline.hasPassed;
  }

  /**
   * Not to be used again: it has reached its age, or its last response was a 5xx, as of a backend that is
   * drained. The next connection may reach another server.
   */
  get isWorn(): boolean {
    return this.#lastStatus >= 500 || performance.now() >= this.#wornAtMs;
  }

  /** The `Keep-Alive` header of the last response. */
  get keepAlive(): string | string[] | undefined {
    return this.#keepAlive;
  }

  /**
   * Closes the connection unless it is used within this time. It does not keep the process alive meanwhile.
   */
  idle(forMs: number): void {
    this.#socket.unref();
    this.#deadline.set(performance.now() + forMs);
  }

  /** @param reason the error of an exchange in progress */
  close(reason?: Error): void {
    this.#error ??= reason;
    this.#socket.destroy();
  }

  /**
   * Sends a request and passes its response on. Resolves when the response is complete or the receiver needs
   * no more of it (which closes the connection).
   *
   * @throws LostConnection, ResponseTimeout, MalformedResponse, the signal's reason, and any error of the
   *   receiver; ConnectError when the connection has already closed
   */
  exchange(
    request: HttpRequest,
    receiver: ResponseReceiver,
    limits: ExchangeLimits,
    signal: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (!this.isUsable) throw new ConnectError(this.#whyClosed(), { cause: this.#error });
      receiver.sending?.();
      signal.addEventListener("abort", this.#onAbort);
      this.#exchange = {
        receiver,
        limits,
        signal,
        resolve,
        reject,
        head: undefined,
        bodyEndMs: Number.POSITIVE_INFINITY,
        isPaused: false,
      };
      this.#parser.reset();
      this.#socket.ref();
      this.#deadline.set(performance.now() + limits.headersMs);
      this.#write(request);
    });
  }

  /** In one system call. Copying head and body together would cost more than passing both. */
  #write({ head, body }: HttpRequest): void {
    if (body === undefined) {
      this.#socket.write(`${head.text}\r\n`, "latin1");
      return;
    }
    this.#socket.cork();
    // As bytes: pieces of one kind are written faster (bench/send.ts).
    this.#socket.write(Buffer.from(`${head.text}content-length: ${body.length}\r\n\r\n`, "latin1"));
    this.#socket.write(body);
    this.#socket.uncork();
  }

  /** @returns false to pause reading */
  #received(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      // Unsolicited bytes belong to no response.
      this.close();
      return false;
    }
    try {
      const taken = this.#parser.feed(bytes);
      if (this.#exchange === undefined) {
        // The response is complete. Bytes beyond it are unsolicited.
        if (taken < bytes.length) this.close();
        return !this.#socket.destroyed;
      }
      if (taken < bytes.length) this.#rest = bytes.subarray(taken);
      if (exchange.isPaused) return false;
      if (exchange.head !== undefined) this.#expectMore(exchange);
      return true;
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
  }

  #takeHead(head: ResponseHead): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    exchange.head = head;
    this.#keepAlive = head.headers["keep-alive"];
    this.#lastStatus = head.status;
    if (!exchange.receiver.begin(head)) this.#stop();
  }

  #takeBody(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) return false;
    const flow = exchange.receiver.body(bytes);
    if (flow === "more") return true;
    if (flow === "enough") {
      this.#stop();
      return false;
    }
    exchange.isPaused = true;
    this.#deadline.clear();
    flow.then(
      () => this.#goOn(exchange),
      // The pause may outlast the exchange, and the connection may belong to another one by then.
      (error: Error) => this.#exchange === exchange && this.#fail(error),
    );
    return false;
  }

  #stop(): void {
    this.close();
    this.#settle();
  }

  /** Parses the bytes kept during the pause first. */
  #goOn(exchange: Exchange): void {
    if (this.#exchange !== exchange) return;
    exchange.isPaused = false;
    this.#expectMore(exchange);
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest === undefined || this.#received(rest)) this.#socket.resume();
  }

  /** Not when the head arrives: remote-write responses are complete at once and need no further limit. */
  #expectMore(exchange: Exchange): void {
    const { bodyIdleMs, bodyMs } = exchange.limits;
    const nowMs = performance.now();
    if (exchange.bodyEndMs === Number.POSITIVE_INFINITY) exchange.bodyEndMs = nowMs + bodyMs;
    this.#deadline.set(Math.min(nowMs + bodyIdleMs, exchange.bodyEndMs));
  }

  #takeEnd(): void {
    // The response came before the request was fully written: the rest is unpredictable, so do not reuse.
    if (this.#exchange?.head?.isKept !== true || this.#socket.writableLength > 0) this.close();
    this.#settle();
  }

  #closed(): void {
    if (this.#exchange !== undefined) {
      const isBeforeResponse = !this.#parser.hasBegun;
      this.#settle(new LostConnection(this.#whyClosed(), isBeforeResponse, { cause: this.#error }));
    }
    this.#deadline.close();
    this.#opening?.reject();
    this.#onClose(this.#wasOpen);
  }

  #whyClosed(): string {
    return this.#error === undefined ? "the other side closed the connection" : describeError(this.#error);
  }

  #timedOut(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.close();
      return;
    }
    this.#fail(new ResponseTimeout(lateness(exchange)));
  }

  #fail(error: Error): void {
    this.close();
    this.#settle(error);
  }

  #settle(error?: Error): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    this.#rest = undefined;
    this.#deadline.clear();
    exchange.signal.removeEventListener("abort", this.#onAbort);
    if (error === undefined) exchange.resolve();
    else exchange.reject(error);
  }
}

function lateness({ head, limits, bodyEndMs }: Exchange): string {
  if (head === undefined) return `no response within ${limits.headersMs / 1_000} s`;
  if (performance.now() < bodyEndMs - 1) return `no data for ${limits.bodyIdleMs / 1_000} s`;
  return `the response did not end within ${limits.bodyMs / 1_000} s`;
}
