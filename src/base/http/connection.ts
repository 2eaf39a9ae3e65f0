import type { Socket } from "node:net";
import { describeError } from "../core/errors.ts";
import { Deadline } from "./deadline.ts";
import {
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

export interface ConnectionOptions extends SocketOptions {
  readonly tenant: string;
}

interface Exchange {
  readonly receiver: ResponseReceiver;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  head: ResponseHead | undefined;
  /** The end of {@link ExchangeLimits.bodyMs}, on the clock of `performance.now()`. */
  bodyEndMs: number;
  isPaused: boolean;
}

/**
 * One connection, with one exchange at a time.
 *
 * Node's streams and clients give each piece of a body memory of its own, some 250 allocations outside of the heap for an
 * response of 16 MB, whose collection costs as much as receiving them. Here a plain connection reads into the same memory
 * again and again (`onread`), which is possible since a body is decoded as it comes. For the same reason parser, timer and
 * listeners are the connection's and not the exchange's.
 */
export class Connection {
  /** For whom it was opened; others may use it after that. */
  readonly tenant: string;
  readonly #socket: Socket;
  readonly #parser: ResponseParser;
  readonly #deadline = new Deadline(() => this.#timedOut());
  readonly #onAbort = () => this.#fail(this.#exchange?.signal.reason as Error);
  #exchange: Exchange | undefined;
  /** Received while the receiver wanted a pause, and not looked at. */
  #rest: Buffer | undefined;
  #error: Error | undefined;
  readonly #onClose: (wasOpen: boolean) => void;
  /** Until it is open. */
  #opening: { readonly resolve: () => void; readonly reject: () => void } | undefined;
  #wasOpen = false;
  #keepAlive: string | string[] | undefined;

  /**
   * Begins to connect; {@link opened} says what has come of it.
   *
   * @param onClose called once, in the end, also where it was never open
   */
  constructor(options: ConnectionOptions, onClose: (wasOpen: boolean) => void) {
    this.tenant = options.tenant;
    this.#onClose = onClose;
    this.#parser = new ResponseParser({
      onHead: (head) => this.#takeHead(head),
      onBody: (bytes) => this.#takeBody(bytes),
      onEnd: () => this.#takeEnd(),
    });
    this.#socket = openSocket(options, (bytes) => this.#received(bytes));
    this.#socket.once(options.tls === undefined ? "connect" : "secureConnect", () => {
      this.#wasOpen = true;
      this.#opening?.resolve();
    });
    this.#socket.on("error", (error) => {
      this.#error ??= error;
    });
    this.#socket.on("end", () => this.#socket.destroy());
    this.#socket.on("close", () => this.#closed());
  }

  /** To be called once, right after it was made. @throws ConnectError; the signal's reason */
  async opened(withinMs: number, signal: AbortSignal): Promise<void> {
    const onTimeout = () => this.close(new Error(`no connection within ${withinMs / 1_000} s`));
    const timer = setTimeout(onTimeout, withinMs);
    const onAbort = () => this.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        const refused = () => reject(new ConnectError(this.#whyClosed(), { cause: this.#error }));
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

  /** It is open, its time has not passed, and the next exchange may follow. */
  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#exchange === undefined && !this.#deadline.hasPassed;
  }

  /** `Keep-Alive` of the last response. */
  get keepAlive(): string | string[] | undefined {
    return this.#keepAlive;
  }

  /** It closes unless it is used within this time, and keeps no process alive meanwhile. */
  idle(forMs: number): void {
    this.#socket.unref();
    this.#deadline.set(performance.now() + forMs);
  }

  /** @param reason what an open exchange ends with */
  close(reason?: Error): void {
    this.#error ??= reason;
    this.#socket.destroy();
  }

  /**
   * Sends a request and passes its response on. Resolves when that is complete or the receiver has enough (which closes the
   * connection).
   *
   * @throws LostConnection, ResponseTimeout, MalformedResponse, the signal's reason, and what the receiver throws; ConnectError
   *   where it has closed already
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
      receiver.sending?.();
      this.#write(request);
    });
  }

  /** In one system call. A joint copy of head and body would cost more than handing over both. */
  #write({ head, body }: HttpRequest): void {
    if (body === undefined) {
      this.#socket.write(`${head.text}\r\n`, "latin1");
      return;
    }
    this.#socket.cork();
    // As bytes, since pieces of one kind are handed over more cheaply (bench/send.ts).
    this.#socket.write(Buffer.from(`${head.text}content-length: ${body.length}\r\n\r\n`, "latin1"));
    this.#socket.write(body);
    this.#socket.uncork();
  }

  /** @returns false where no more is to be read for now */
  #received(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      // Nobody has asked: whatever it is, it belongs to no response.
      this.close();
      return false;
    }
    try {
      const taken = this.#parser.feed(bytes);
      if (this.#exchange === undefined) {
        // The response has ended. What is more than it was not asked for.
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
      // The pause may outlast the body, and the connection be another exchange's by then.
      (error: Error) => this.#exchange === exchange && this.#fail(error),
    );
    return false;
  }

  #stop(): void {
    this.close();
    this.#settle();
  }

  /** What the pause has left goes first. */
  #goOn(exchange: Exchange): void {
    if (this.#exchange !== exchange) return;
    exchange.isPaused = false;
    this.#expectMore(exchange);
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest === undefined || this.#received(rest)) this.#socket.resume();
  }

  /** Not when the head comes: responses to sends come whole, and need no more limits. */
  #expectMore(exchange: Exchange): void {
    const { bodyIdleMs, bodyMs } = exchange.limits;
    const nowMs = performance.now();
    if (exchange.bodyEndMs === Number.POSITIVE_INFINITY) exchange.bodyEndMs = nowMs + bodyMs;
    this.#deadline.set(Math.min(nowMs + bodyIdleMs, exchange.bodyEndMs));
  }

  #takeEnd(): void {
    // A request that is still being written got a response without being read: who knows what becomes of the rest.
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
