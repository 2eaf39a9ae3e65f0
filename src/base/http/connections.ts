import { channel } from "node:diagnostics_channel";
import type { LookupFunction } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { describeError } from "../core/errors.ts";
import { Connection } from "./connection.ts";
import { ConnectionBudget } from "./connection-budget.ts";
import {
  ClosedClient,
  ConnectError,
  type ExchangeLimits,
  type HttpRequest,
  LostConnection,
  PoolTimeout,
  type ResponseReceiver,
} from "./exchange.ts";
import { keepAliveMs } from "./keep-alive.ts";

export interface ConnectionsOptions {
  /** `http:` or `https:`; only the host and port are used. */
  readonly url: URL;
  /** Maximum number of connections; further exchanges wait for one, in order. */
  readonly max: number;
  /** Limit for name resolution, TCP, a proxy's tunnel and TLS together. */
  readonly connectMs: number;
  /** Closes an idle connection after this time, unless the server's `Keep-Alive` sets another. */
  readonly keepMs: number;
  /**
   * A connection of this age gets no further request, so that a name is followed to another address. Less
   * up to a fifth at random, so that connections opened together do not end together. Infinity if absent.
   */
  readonly maxAgeMs?: number;
  /** Returns a number in [0, 1); `Math.random` if absent. */
  readonly random?: () => number;
  /** Size of the read buffer that a plain connection holds while it is open. */
  readonly readBytes: number;
  /**
   * Sends a request a second time when the server closes the connection before any response: for idempotent
   * requests only.
   */
  readonly repeats: boolean;
  /**
   * Name of the diagnostics channels: `telemetryd:<name>:request:create` and `:end` are published with `{
   * request }`; see test/load/fairness/probe.mjs.
   */
  readonly channelName: "store" | "receiver";
  /** An HTTP proxy for all connections; its `tls` is called for each connection to an https proxy. */
  readonly proxy?: { readonly url: URL; readonly tls: () => ConnectionOptions } | undefined;
  /** Called for each new TLS connection. An exception counts as a failed connection attempt. */
  readonly tls: () => ConnectionOptions;
  /** Resolves a tenant's names (with a proxy: the proxy's); the system's resolver by default. */
  readonly lookup?: (tenant: string) => LookupFunction;
  /** A limit shared with other pools; without it, only `max` applies. */
  readonly budget?: ConnectionBudget;
  /** Called when an open connection has closed. */
  readonly onClose?: () => void;
  /** Called when the last connection has closed and no request waits. */
  readonly onEmpty?: () => void;
}

const ageJitter = 0.2;

/** A request without a connection. */
interface Waiting {
  readonly tenant: string;
  readonly signal: AbortSignal;
  /** Aborted when it stops waiting. */
  readonly ended: AbortController;
  take(connection: Connection | Promise<Connection>): void;
  fail(error: Error): void;
}

/** A pool of persistent connections to one server (RFC 9112, section 9). */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** Includes those still opening. */
  readonly #all = new Set<Connection>();
  /** Most recently used last; surplus connections can thus expire. */
  readonly #idle: Connection[] = [];
  readonly #budget: ConnectionBudget;
  /**
   * In order of arrival, and empty while a connection is idle: requests for which the pool has no room to
   * open a connection.
   */
  readonly #waiting = new Set<Waiting>();
  /**
   * Ahead of those waiting: requests that open a connection as soon as the budget allows. They also accept a
   * released one.
   */
  readonly #applying = new Set<Waiting>();
  readonly #begins;
  readonly #ends;
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new ConnectionBudget(Number.POSITIVE_INFINITY);
    this.#begins = channel(`telemetryd:${options.channelName}:request:create`);
    this.#ends = channel(`telemetryd:${options.channelName}:request:end`);
  }

  /**
   * Sends one request and receives its response; see {@link Connection.exchange}.
   *
   * @throws ConnectError and PoolTimeout too
   */
  async exchange(
    request: HttpRequest,
    receiver: ResponseReceiver,
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
          const isClosing = error instanceof LostConnection && error.isBeforeResponse;
          if (!(this.#options.repeats && isClosing && attempt === 1)) throw error;
          // The other idle connections are most likely closed as well.
          for (const idle of this.#idle) idle.close();
        } finally {
          this.#giveBack(connection);
        }
      }
    } finally {
      if (this.#ends.hasSubscribers) this.#ends.publish({ request });
    }
  }

  /** Fails all exchanges. May be called twice. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.close(new ClosedClient());
    for (const waiting of [...this.#applying, ...this.#waiting]) waiting.fail(new ClosedClient());
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      this.#budget.unkeep(connection);
      if (connection.isUsable && !connection.isWorn) return connection;
      connection.close();
    }
    return undefined;
  }

  async #acquire(tenant: string, { startMs }: ExchangeLimits, signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new ClosedClient();
    if (this.#hasRoom() && this.#budget.tryAcquire(tenant)) return this.#open(tenant, signal);
    return this.#turn(tenant, startMs, signal);
  }

  #hasRoom(): boolean {
    return this.#all.size + this.#applying.size < this.#options.max;
  }

  /** The connection owns a place of the budget and releases it when it has closed. */
  async #open(tenant: string, signal: AbortSignal): Promise<Connection> {
    const connection = this.#connect(tenant);
    await connection.opened(this.#options.connectMs, signal);
    return connection;
  }

  #connect(tenant: string): Connection {
    const { url, lookup, readBytes, proxy, maxAgeMs = Infinity, random = Math.random } = this.#options;
    try {
      const connection: Connection = new Connection(
        {
          url,
          lookup: lookup?.(tenant),
          readBytes,
          tenant,
          maxAgeMs: maxAgeMs * (1 - ageJitter * random()),
          tls: tlsOf(this.#options),
          proxy: proxy && { url: proxy.url, tls: tlsOf(proxy) },
        },
        (wasOpen) => this.#closed(connection, wasOpen),
      );
      this.#all.add(connection);
      return connection;
    } catch (error) {
      // The next request in the queue may succeed, or fail with the same error.
      setImmediate(() => this.#leavePlace(tenant));
      throw new ConnectError(describeError(error), { cause: error });
    }
  }

  #giveBack(connection: Connection): void {
    if (!connection.isUsable) return;
    const keepMs = connection.isWorn ? 0 : keepAliveMs(connection.keepAlive, this.#options.keepMs);
    const next = this.#next();
    if (keepMs === 0) {
      connection.close();
    } else if (next !== undefined) {
      next.take(connection);
    } else if (this.#budget.keep(connection)) {
      connection.idle(keepMs);
      this.#idle.push(connection);
    } else {
      connection.close();
    }
  }

  #closed(connection: Connection, wasOpen: boolean): void {
    this.#all.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#budget.unkeep(connection);
    if (wasOpen) this.#options.onClose?.();
    this.#leavePlace(connection.tenant);
  }

  #leavePlace(tenant: string): void {
    this.#budget.release(tenant);
    this.#offerPlace();
  }

  #offerPlace(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom()) break;
      this.#waiting.delete(waiting);
      this.#apply(waiting);
    }
    if (this.#all.size + this.#applying.size + this.#waiting.size === 0) this.#options.onEmpty?.();
  }

  #apply(waiting: Waiting): void {
    const { tenant, signal, ended } = waiting;
    this.#applying.add(waiting);
    this.#budget.acquire(tenant, ended.signal).then(
      () => {
        // The request received a connection in the same turn of the event loop.
        if (ended.signal.aborted) this.#leavePlace(tenant);
        else waiting.take(this.#open(tenant, signal));
      },
      () => this.#offerPlace(),
    );
  }

  #next(): Waiting | undefined {
    const [applying] = this.#applying;
    const [waiting] = this.#waiting;
    return applying ?? waiting;
  }

  /** Waits in the queue for a connection. */
  #turn(tenant: string, startMs: number, signal: AbortSignal): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settled = () => {
        this.#waiting.delete(waiting);
        this.#applying.delete(waiting);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        waiting.ended.abort();
      };
      const waiting: Waiting = {
        tenant,
        signal,
        ended: new AbortController(),
        take: (connection) => {
          settled();
          resolve(connection);
        },
        fail: (error) => {
          settled();
          reject(error);
        },
      };
      const onAbort = () => waiting.fail(signal.reason as Error);
      const onTimeout = () =>
        waiting.fail(new PoolTimeout(`no connection was free within ${startMs / 1_000} s`));
      const timer = Number.isFinite(startMs) ? setTimeout(onTimeout, startMs) : undefined;
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiting);
      this.#offerPlace();
    });
  }
}

/** Evaluated per connection: certificates may have been renewed since the last one. */
function tlsOf({ url, tls }: Pick<ConnectionsOptions, "url" | "tls">): ConnectionOptions | undefined {
  return url.protocol === "https:" ? tls() : undefined;
}
