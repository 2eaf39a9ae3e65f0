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
  /** What other pools share with this one; without it there is no limit but `max`. */
  readonly budget?: ConnectionBudget;
  /** Called when a connection that was open has closed. */
  readonly onClose?: () => void;
  /** Called when the last connection is gone and nobody waits for one. */
  readonly onEmpty?: () => void;
}

/** A request that has no connection yet. */
interface Waiting {
  readonly tenant: string;
  readonly signal: AbortSignal;
  /** Aborted when it waits no more. */
  readonly ended: AbortController;
  take(connection: Connection | Promise<Connection>): void;
  fail(error: Error): void;
}

/** Kept connections to one server (RFC 9112, section 9). */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** Those that are opening are among them. */
  readonly #all = new Set<Connection>();
  /** The one that was used last is last: those that are not needed get their time to end. */
  readonly #idle: Connection[] = [];
  readonly #budget: ConnectionBudget;
  /** In the order of their coming; none while there is an idle connection. There is no room for a connection of their own. */
  readonly #waiting = new Set<Waiting>();
  /** Those in front of them: the next connections will be theirs, when the budget allows. They take a given one as well. */
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
   * One request and its response; see {@link Connection.exchange}.
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
    for (const waiting of [...this.#applying, ...this.#waiting]) waiting.fail(new ClosedClient());
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      this.#budget.unkeep(connection);
      if (connection.isUsable) return connection;
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

  /** A place of the budget is this connection's, and is given back when it has closed. */
  async #open(tenant: string, signal: AbortSignal): Promise<Connection> {
    const connection = this.#connect(tenant);
    await connection.opened(this.#options.connectMs, signal);
    return connection;
  }

  #connect(tenant: string): Connection {
    const { url, lookup, readBytes } = this.#options;
    try {
      // Read anew for each connection: certificates may have been renewed since the last one.
      const tls = url.protocol === "https:" ? this.#options.tls() : undefined;
      const connection: Connection = new Connection(
        { url, lookup: lookup?.(tenant), readBytes, tls, tenant },
        (wasOpen) => this.#closed(connection, wasOpen),
      );
      this.#all.add(connection);
      return connection;
    } catch (error) {
      // The next one in the row may have more luck, or the same error.
      setImmediate(() => this.#leavePlace(tenant));
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
        // It was given a connection in the very same turn.
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

  /** A connection that is free, when it is one's turn. */
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
        ...{ tenant, signal },
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
