import { channel } from "node:diagnostics_channel";
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { ConnectionOptions } from "node:tls";
import { describeError } from "../../core/errors.ts";
import {
  type AnswerReceiver,
  ConnectError,
  Connection,
  type ExchangeTimeouts,
  type HttpRequest,
  LostConnection,
} from "./connection.ts";

export interface ConnectionsOptions {
  /** `http:` or `https:`, of which the host and port count. */
  readonly url: URL;
  /** Connections, at most; exchanges beyond that wait for one. */
  readonly max: number;
  readonly timeouts: ExchangeTimeouts;
  /** An idle connection is closed after this. */
  readonly keepMs: number;
  /** Called for each new TLS connection. What it throws counts as a connection that cannot be made. */
  readonly tls: () => ConnectionOptions;
  /** Called when a connection that was open has closed. */
  readonly onClose: () => void;
}

/** For whoever watches from outside of the program: each is published with `{ request }`; see test/load/fairness/probe.mjs. */
const exchangeBegins = channel("telemetryd:store:request:create");
const exchangeEnds = channel("telemetryd:store:request:end");

/** Kept connections to one server (RFC 9112, section 9). */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  #opening = 0;
  /** With the end of their time. The one that was used last is last. */
  readonly #idle = new Map<Connection, NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /**
   * One request and its answer; see {@link Connection.exchange}. A request that meets a connection which the server is
   * just closing, a kept one or one that it took in its last moments, is sent a second time: it must be one that may come twice.
   *
   * @throws ConnectError too, and TypeError for headers that cannot be sent
   */
  async exchange(request: HttpRequest, receiver: AnswerReceiver, signal: AbortSignal): Promise<void> {
    for (const [name, value] of Object.entries(request.headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    exchangeBegins.publish({ request });
    try {
      await this.#attempt(request, receiver, signal);
    } finally {
      exchangeEnds.publish({ request });
    }
  }

  async #attempt(request: HttpRequest, receiver: AnswerReceiver, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const connection = this.#takeIdle() ?? (await this.#connect(signal));
      try {
        return await connection.exchange(request, receiver, signal);
      } catch (error) {
        if (attempt > 1 || !(error instanceof LostConnection && error.isBeforeAnswer)) throw error;
        // What has ended one of them has most likely ended them all.
        for (const idle of this.#idle.keys()) idle.close();
      } finally {
        this.#giveBack(connection);
      }
    }
  }

  /** Ends all exchanges. May be called twice. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.close();
    this.#wake();
  }

  #takeIdle(): Connection | undefined {
    for (const [connection, expiry] of [...this.#idle].reverse()) {
      clearTimeout(expiry);
      this.#idle.delete(connection);
      if (connection.isUsable) return connection;
    }
    return undefined;
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    while (this.#open.size + this.#opening >= this.#options.max && !this.#isClosed) {
      await this.#freed(signal);
      const idle = this.#takeIdle();
      if (idle !== undefined) return idle;
    }
    if (this.#isClosed) throw new ConnectError("the client is closed");
    const { url, timeouts } = this.#options;
    this.#opening++;
    try {
      const connection = await Connection.open(url, this.#tlsOptions(), timeouts, signal);
      this.#open.add(connection);
      connection.onClose(() => this.#closed(connection));
      if (this.#isClosed) connection.close();
      return connection;
    } finally {
      this.#opening--;
      this.#wake();
    }
  }

  /** Read anew for each connection: certificates may have been renewed since the last one. */
  #tlsOptions(): ConnectionOptions | undefined {
    if (this.#options.url.protocol !== "https:") return undefined;
    try {
      return this.#options.tls();
    } catch (error) {
      throw new ConnectError(describeError(error), { cause: error });
    }
  }

  #giveBack(connection: Connection): void {
    if (!connection.isUsable) return;
    const expiry = setTimeout(() => connection.close(), this.#options.keepMs);
    this.#idle.set(connection, expiry.unref());
    this.#wake();
  }

  #closed(connection: Connection): void {
    clearTimeout(this.#idle.get(connection));
    this.#idle.delete(connection);
    this.#open.delete(connection);
    this.#options.onClose();
    this.#wake();
  }

  /** Resolves when it is worth another look. */
  #freed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#waiting.delete(wake);
        reject(signal.reason as Error);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(wake);
    });
  }

  /** All of them look again, in their order: there are few. */
  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
