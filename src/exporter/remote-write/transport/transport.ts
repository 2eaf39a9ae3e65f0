import { isIP } from "node:net";
import { bodyBeginning } from "../../../base/http/body-beginning.ts";
import type { ConnectionBudget } from "../../../base/http/connection-budget.ts";
import { Connections, type ConnectionsOptions } from "../../../base/http/connections.ts";
import {
  ClosedClient,
  ConnectError,
  type ExchangeLimits,
  type Flow,
  PoolTimeout,
  type ResponseReceiver,
  ResponseTimeout,
} from "../../../base/http/exchange.ts";
import { hostOf } from "../../../base/http/open-socket.ts";
import { RequestHead } from "../../../base/http/request-head.ts";
import type { ResponseHead } from "../../../base/http/response-head.ts";
import { EgressBlockedError, type EgressGuard } from "../../../base/net/egress.ts";
import { guardedLookup, type Lookup } from "../../../base/net/guarded-lookup.ts";
import { TlsMaterial } from "../../../base/net/tls-material.ts";
import {
  keepMs,
  maxAgeMs,
  NoConnectionError,
  type PostLimits,
  type PostRequest,
  type PostResult,
  type PostTarget,
  ResponseTimeoutError,
  type Transport,
  type TransportLimits,
} from "./post.ts";

export interface TransportOptions {
  readonly limits: TransportLimits;
  /** Checks each connection's actual address. */
  readonly guard: EgressGuard;
  readonly tls: TlsMaterial;
  readonly lookup: Lookup;
  /** Shared by all transports. */
  readonly budget: ConnectionBudget;
  /** An http or https proxy, which then chooses the address: the guard cannot check it. */
  readonly proxyUrl?: string | undefined;
}

/** Responses are small, and there may be many thousands of connections. */
const readBytes = 4 * 1024;

/**
 * Sends to the receiver itself or through a proxy's tunnel, with our own client, which needs less CPU than
 * undici's (bench/send.ts).
 */
export class HttpTransport implements Transport {
  readonly #options: TransportOptions;
  /** By origin. Pools without a connection are removed, since there may be tens of thousands of endpoints. */
  readonly #pools = new Map<string, Connections>();
  /** An https proxy is trusted like any server, and never sees the certificates for the receiver. */
  readonly #proxyTls = new TlsMaterial({});
  readonly #heads = new WeakMap<PostTarget, RequestHead>();
  #isClosed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  async post(
    { target, body, tenant, maySend }: PostRequest,
    limits: PostLimits,
    signal: AbortSignal,
  ): Promise<PostResult> {
    if (signal.aborted) return { kind: "aborted", written: false };
    const posting = new Posting(limits, maySend);
    try {
      const head = this.#headOf(target);
      const pool = this.#pools.get(target.origin) ?? this.#openPool(target.origin);
      await pool.exchange({ head, body, tenant }, posting, posting.exchangeLimits, signal);
      return await posting.result(undefined, signal);
    } catch (error) {
      return await posting.result(error, signal);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const pool of this.#pools.values()) pool.close();
  }

  /** The origins of open or pending connections. */
  origins(): string[] {
    return [...this.#pools.keys()];
  }

  /** @throws TypeError for invalid headers */
  #headOf(target: PostTarget): RequestHead {
    let head = this.#heads.get(target);
    if (head === undefined) {
      if (this.#options.proxyUrl !== undefined) refuseProxyCredentials(target.headers);
      head = new RequestHead("POST", new URL(target.origin).host, target.path, target.headers);
      this.#heads.set(target, head);
    }
    return head;
  }

  /**
   * @throws EgressBlockedError for a blocked literal address (it needs no lookup), ClosedClient after the end
   */
  #openPool(origin: string): Connections {
    const { limits, tls, budget } = this.#options;
    const url = new URL(origin);
    const way = this.#wayTo(url);
    if (this.#isClosed) throw new ClosedClient();
    const pool = new Connections({
      url,
      keepMs,
      maxAgeMs,
      readBytes,
      budget,
      ...way,
      max: limits.connections,
      connectMs: limits.connectMs,
      tls: () => tls.connectOptions(),
      // The client must not repeat requests: the caller counts samples that may have been stored.
      repeats: false,
      channelName: "receiver",
      onEmpty: () => {
        if (this.#pools.get(origin) === pool) this.#pools.delete(origin);
      },
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  /**
   * A proxy's own name is the operator's, and looked up as the system does; it looks up the receiver's.
   *
   * @throws EgressBlockedError
   */
  #wayTo(url: URL): Pick<ConnectionsOptions, "proxy" | "lookup"> {
    const { guard, lookup, proxyUrl } = this.#options;
    if (proxyUrl !== undefined) {
      return { proxy: { url: new URL(proxyUrl), tls: () => this.#proxyTls.connectOptions() } };
    }
    const host = hostOf(url);
    const blocked = isIP(host) === 0 ? undefined : guard.blockReason(host);
    if (blocked !== undefined) throw new EgressBlockedError(blocked);
    return { lookup: (tenant) => guardedLookup(guard, lookup, tenant) };
  }
}

/**
 * Inside a tunnel they would reach the receiver.
 *
 * @throws TypeError
 */
function refuseProxyCredentials(headers: PostTarget["headers"]): void {
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "proxy-authorization")) return;
  throw new TypeError(
    "the header proxy-authorization must not be set; the proxy's credentials belong to its URL",
  );
}

/** One request in flight, and the data for its result, whatever its end. */
class Posting implements ResponseReceiver {
  readonly exchangeLimits: ExchangeLimits;
  readonly #limits: PostLimits;
  readonly #maySend: (() => boolean) | undefined;
  #isWritten = false;
  #head: ResponseHead | undefined;
  #kept: Buffer[] | undefined;
  #received = 0;

  constructor(limits: PostLimits, maySend: (() => boolean) | undefined) {
    this.#limits = limits;
    this.#maySend = maySend;
    const { startMs, headersMs, bodyMs } = limits;
    this.exchangeLimits = { startMs, headersMs, bodyIdleMs: Number.POSITIVE_INFINITY, bodyMs };
  }

  sending(): void {
    if (this.#maySend?.() === false) throw new NotAllowed();
    this.#isWritten = true;
  }

  begin(head: ResponseHead): boolean {
    this.#head = head;
    return true;
  }

  body(bytes: Buffer): Flow {
    const room = this.#limits.keptBytes - this.#received;
    if (room > 0) {
      this.#kept ??= [];
      // A copy: the connection reuses the memory for its next read.
      this.#kept.push(Buffer.from(bytes.subarray(0, room)));
    }
    this.#received += bytes.length;
    return this.#received > this.#limits.bodyBytes ? "enough" : "more";
  }

  async result(error: unknown, signal: AbortSignal): Promise<PostResult> {
    const written = this.#isWritten;
    if (this.#head !== undefined) {
      const { status, headers } = this.#head;
      if (this.#kept === undefined) return { kind: "response", status, headers, body: "" };
      const { keptBytes } = this.#limits;
      const kept = Buffer.concat(this.#kept);
      const body = (await bodyBeginning(kept, headers, keptBytes)).toString();
      // Of a compressed body, the end may be missing however short the text is.
      const isBodyCut = this.#received > keptBytes;
      return { kind: "response", status, headers, body, ...(isBodyCut && { isBodyCut }) };
    }
    if (error instanceof NotAllowed || (signal.aborted && error === signal.reason))
      return { kind: "aborted", written };
    return { kind: "no-response", error: deliveryError(error), written };
  }
}

class NotAllowed extends Error {
  override readonly name = "NotAllowed";
}

/**
 * Maps errors to those of the delivery table. The cause of a failed connection says more than its absence.
 */
function deliveryError(error: unknown): unknown {
  if (error instanceof ResponseTimeout) return new ResponseTimeoutError(error.message);
  if (error instanceof PoolTimeout) return new NoConnectionError(error.message);
  return error instanceof ConnectError ? (error.cause ?? error) : error;
}
