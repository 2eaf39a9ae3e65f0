import { channel } from "node:diagnostics_channel";
import type { LookupFunction } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { describeError } from "../core/errors.ts";
import { Connection } from "./connection.ts";
import {
  type AnswerReceiver,
  ClosedClient,
  ConnectError,
  type ExchangeLimits,
  type HttpRequest,
  LostConnection,
  PoolTimeout,
} from "./exchange.ts";
import { keepAliveMs } from "./keep-alive.ts";

export interface ConnectionsOptions {
  /** `http:` or `https:`, of which the host and port count. */
  readonly url: URL;
  /** Connections, at most; exchanges beyond that wait for one, in their order. */
  readonly max: number;
  /** For name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** An idle connection is closed after this, unless the server's `Keep-Alive` has another time. */
  readonly keepMs: number;
  /** Of a plain connection: it reads so much at a time, and has memory for that as long as it is open. */
  readonly readBytes: number;
  /**
   * A request that meets a connection which the server is just closing, a kept one or one that it took in its last moments, is
   * sent a second time: only for requests that may come twice.
   */
  readonly repeats: boolean;
  /**
   * For whoever watches from outside of the program: `telemetryd:<name>:request:create` and `:end` are published with
   * `{ request }`; see test/load/fairness/probe.mjs.
   */
  readonly channelName: "store" | "receiver";
  /** Called for each new TLS connection. What it throws counts as a connection that cannot be made. */
  readonly tls: () => ConnectionOptions;
  /** How a tenant's names are resolved; the system's way without it. */
  readonly lookup?: (tenant: string) => LookupFunction;
  /** Called when a connection that was open has closed. */
  readonly onClose?: () => void;
  /** Called when the last connection is gone and nobody waits for one. */
  readonly onEmpty?: () => void;
}

/** Kept connections to one server (RFC 9112, section 9). */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** Those that are opening are among them. */
  readonly #all = new Set<Connection>();
  /** The one that was used last is last: those that are not needed get their time to end. */
  readonly #idle: Connection[] = [];
  /** Called with a connection, or without one when one may be opened. Empty while there is an idle connection. */
  readonly #waiting = new Set<(connection?: Connection) => void>();
  readonly #begins;
  readonly #ends;
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#begins = channel(`telemetryd:${options.channelName}:request:create`);
    this.#ends = channel(`telemetryd:${options.channelName}:request:end`);
  }

  /**
   * One request and its answer; see {@link Connection.exchange}.
   *
   * @throws ConnectError and PoolTimeout too
   */
  async exchange(
    request: HttpRequest,
    receiver: AnswerReceiver,
    limits: ExchangeLimits,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#begins.hasSubscribers) this.#begins.publish({ request });
    try {
      for (let attempt = 1; ; attempt++) {
        const connection = this.#takeIdle() ?? (await this.#acquire(request.tenant ?? "", limits, signal));
        try {
          return await connection.exchange(request, receiver, limits, signal);
        } catch (error) {
          const isClosing = error instanceof LostConnection && error.isBeforeAnswer;
          if (!(this.#options.repeats && isClosing && attempt === 1)) throw error;
          // What has ended one of them has most likely ended them all.
          for (const idle of this.#idle) idle.close();
        } finally {
          this.#giveBack(connection);
        }
      }
    } finally {
      if (this.#ends.hasSubscribers) this.#ends.publish({ request });
    }
  }

  /** Ends all exchanges. May be called twice. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.close(new ClosedClient());
    for (const take of this.#waiting) take();
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable) return connection;
      connection.close();
    }
    return undefined;
  }

  async #acquire(tenant: string, { startMs }: ExchangeLimits, signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    return this.#all.size < this.#options.max
      ? this.#open(tenant, signal)
      : this.#turn(tenant, startMs, signal);
  }

  async #open(tenant: string, signal: AbortSignal): Promise<Connection> {
    if (this.#isClosed) throw new ClosedClient();
    const { url, readBytes, connectMs } = this.#options;
    const lookup = this.#options.lookup?.(tenant);
    const tls = this.#tlsOptions();
    const connection = new Connection({ url, lookup, readBytes, tls }, (wasOpen) =>
      this.#closed(connection, wasOpen),
    );
    this.#all.add(connection);
    await connection.opened(connectMs, signal);
    return connection;
  }

  /** Read anew for each connection: certificates may have been renewed since the last one. */
  #tlsOptions(): ConnectionOptions | undefined {
    if (this.#options.url.protocol !== "https:") return undefined;
    try {
      return this.#options.tls();
    } catch (error) {
      // The next one in the row may have more luck, or the same error.
      setImmediate(() => this.#offerPlace());
      throw new ConnectError(describeError(error), { cause: error });
    }
  }

  #giveBack(connection: Connection): void {
    if (!connection.isUsable) return;
    const keepMs = keepAliveMs(connection.keepAlive, this.#options.keepMs);
    const next = this.#next();
    if (keepMs === 0) {
      connection.close();
    } else if (next !== undefined) {
      next(connection);
    } else {
      connection.idle(keepMs);
      this.#idle.push(connection);
    }
  }

  #closed(connection: Connection, wasOpen: boolean): void {
    this.#all.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    if (wasOpen) this.#options.onClose?.();
    this.#offerPlace();
  }

  #offerPlace(): void {
    if (this.#all.size < this.#options.max) this.#next()?.();
    if (this.#all.size === 0 && this.#waiting.size === 0) this.#options.onEmpty?.();
  }

  #next(): ((connection?: Connection) => void) | undefined {
    return this.#waiting.values().next().value;
  }

  /** A connection that is free, when it is one's turn. */
  #turn(tenant: string, startMs: number, signal: AbortSignal): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settled = () => {
        this.#waiting.delete(take);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const take = (connection?: Connection) => {
        settled();
        resolve(connection ?? this.#open(tenant, signal));
      };
      const onAbort = () => {
        settled();
        reject(signal.reason as Error);
      };
      const onTimeout = () => {
        settled();
        reject(new PoolTimeout(`no connection was free within ${startMs / 1_000} s`));
      };
      const timer = Number.isFinite(startMs) ? setTimeout(onTimeout, startMs) : undefined;
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(take);
    });
  }
}
