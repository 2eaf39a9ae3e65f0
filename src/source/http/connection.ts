import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { describeError } from "../../core/errors.ts";
import { type AnswerHead, AnswerParser } from "./answer-parser.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** What comes next after a piece of a body: more at once, more when a promise has settled, or no more at all. */
export type Flow = "more" | "enough" | Promise<unknown>;

export interface AnswerReceiver {
  /** @returns whether the body is wanted */
  begin(head: AnswerHead): boolean;
  /** The bytes are the receiver's until it returns. What it throws ends the exchange. */
  body(bytes: Buffer): Flow;
}

/** How long the other side may take, in ms. */
export interface ExchangeTimeouts {
  readonly connectMs: number;
  /** Until the answer's head has come. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyIdleMs: number;
}

/** No connection was made: nothing was sent. */
export class ConnectError extends Error {}

/** The connection ended in the middle of an exchange. */
export class LostConnection extends Error {
  /** Nothing of an answer had come. */
  readonly isBeforeAnswer: boolean;

  constructor(message: string, isBeforeAnswer: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isBeforeAnswer = isBeforeAnswer;
  }
}

/** The other side kept us waiting. */
export class AnswerTimeout extends Error {}

/** An answer of 50,000 series is 16 MB: with 64 KiB at a time, as Node reads by itself, a fifth more is spent on turns. */
const readBytes = 128 * 1024;

interface Exchange {
  readonly parser: AnswerParser;
  readonly receiver: AnswerReceiver;
  readonly settle: (error?: Error) => void;
  head: AnswerHead | undefined;
  isPaused: boolean;
}

/**
 * One connection, with one exchange at a time.
 *
 * Node's streams and clients give each piece of a body memory of its own, some 250 allocations outside of the heap for an
 * answer of 16 MB, whose collection costs as much as receiving them. Here a plain connection reads into the same memory
 * again and again (`onread`), which is possible since a body is decoded as it comes.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #timeouts: ExchangeTimeouts;
  #exchange: Exchange | undefined;
  /** Received while the receiver wanted a pause, and not looked at. */
  #rest: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isUsable = true;
  #error: Error | undefined;
  #onClose: () => void = () => undefined;

  /** @throws ConnectError; the signal's reason */
  static async open(
    url: URL,
    tls: ConnectionOptions | undefined,
    timeouts: ExchangeTimeouts,
    signal: AbortSignal,
  ): Promise<Connection> {
    signal.throwIfAborted();
    const connection = new Connection(url, tls, timeouts);
    const socket = connection.#socket;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => socket.destroy(new Error(`no connection within ${timeouts.connectMs} ms`)),
        timeouts.connectMs,
      );
      const onAbort = () => socket.destroy();
      signal.addEventListener("abort", onAbort, { once: true });
      const settled = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      connection.#onClose = () => {
        settled();
        if (signal.aborted) reject(signal.reason as Error);
        else reject(new ConnectError(connection.#whyClosed(), { cause: connection.#error }));
      };
      socket.once(tls === undefined ? "connect" : "secureConnect", () => {
        settled();
        connection.#onClose = () => undefined;
        resolve(connection);
      });
    });
  }

  private constructor(url: URL, tls: ConnectionOptions | undefined, timeouts: ExchangeTimeouts) {
    this.#timeouts = timeouts;
    this.#host = url.host;
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (tls === undefined) {
      this.#socket = connectPlain({
        host,
        port: Number(url.port || 80),
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafeSlow(readBytes),
          callback: (length, bytes) => this.#received((bytes as Buffer).subarray(0, length)),
        },
      });
    } else {
      this.#socket = connectTls({
        host,
        port: Number(url.port || 443),
        ALPNProtocols: ["http/1.1"],
        ...tls,
      }).setNoDelay(true);
      this.#socket.on("data", (bytes) => {
        if (!this.#received(bytes)) this.#socket.pause();
      });
    }
    this.#socket.on("error", (error) => {
      this.#error ??= error;
    });
    this.#socket.on("end", () => this.#socket.destroy());
    this.#socket.on("close", () => this.#closed());
  }

  /** It is open, and the next exchange may follow. */
  get isUsable(): boolean {
    return this.#isUsable && this.#exchange === undefined;
  }

  /** Called once, when an open connection has closed. */
  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  close(): void {
    this.#isUsable = false;
    this.#socket.destroy();
  }

  /**
   * Sends a request and passes its answer on. Resolves when that is complete or the receiver has enough (which closes the
   * connection).
   *
   * @throws LostConnection, AnswerTimeout, MalformedAnswer, the signal's reason, and what the receiver throws
   */
  async exchange(request: HttpRequest, receiver: AnswerReceiver, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const onAbort = () => this.#fail(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        const parser = new AnswerParser({
          onHead: (head) => this.#takeHead(head),
          onBody: (bytes) => this.#takeBody(bytes),
          onEnd: () => this.#takeEnd(),
        });
        const settle = (error?: Error) => (error === undefined ? resolve() : reject(error));
        this.#exchange = { parser, receiver, settle, head: undefined, isPaused: false };
        this.#expect(this.#timeouts.headersMs);
        this.#write(request);
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #write({ method, path, headers, body }: HttpRequest): void {
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n`;
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
    if (body !== undefined) head += `content-length: ${body.length}\r\n`;
    this.#socket.cork();
    this.#socket.write(`${head}\r\n`, "latin1");
    if (body !== undefined) this.#socket.write(body);
    this.#socket.uncork();
  }

  /** @returns false where no more is to be read for now */
  #received(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      // Nobody has asked: whatever it is, it belongs to no answer.
      this.close();
      return false;
    }
    try {
      const taken = exchange.parser.feed(bytes);
      if (this.#exchange === undefined) {
        // The answer has ended. What is more than it was not asked for.
        if (taken < bytes.length) this.close();
        return this.#isUsable;
      }
      if (taken < bytes.length) this.#rest = bytes.subarray(taken);
      if (exchange.isPaused) return false;
      this.#timer?.refresh();
      return true;
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
  }

  #takeHead(head: AnswerHead): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    exchange.head = head;
    this.#expect(this.#timeouts.bodyIdleMs);
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
    clearTimeout(this.#timer);
    flow.then(
      () => this.#goOn(exchange),
      // The pause may outlast the body, and the connection be another exchange's by then.
      (error: Error) => this.#exchange === exchange && this.#fail(error),
    );
    return false;
  }

  #stop(): void {
    this.#settle();
    this.close();
  }

  /** What the pause has left goes first. */
  #goOn(exchange: Exchange): void {
    if (this.#exchange !== exchange) return;
    exchange.isPaused = false;
    this.#expect(this.#timeouts.bodyIdleMs);
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest === undefined || this.#received(rest)) this.#socket.resume();
  }

  #takeEnd(): void {
    if (this.#exchange?.head?.isKept !== true) this.close();
    this.#settle();
  }

  #closed(): void {
    this.#isUsable = false;
    const exchange = this.#exchange;
    if (exchange !== undefined) {
      const isBeforeAnswer = !exchange.parser.hasBegun;
      this.#settle(new LostConnection(this.#whyClosed(), isBeforeAnswer, { cause: this.#error }));
    }
    this.#onClose();
  }

  #whyClosed(): string {
    return this.#error === undefined ? "the other side closed the connection" : describeError(this.#error);
  }

  #fail(error: Error): void {
    this.#settle(error);
    this.close();
  }

  #settle(error?: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#rest = undefined;
    clearTimeout(this.#timer);
    exchange?.settle(error);
  }

  /** Something has to come within this time. */
  #expect(withinMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#fail(new AnswerTimeout(`nothing came for ${withinMs} ms`)),
      withinMs,
    );
  }
}
