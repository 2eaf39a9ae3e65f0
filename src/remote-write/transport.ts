import { type LookupAddress, type LookupOptions, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from "undici";
import type { TlsMaterial } from "../core/tls-material.ts";
import { type EgressGuard, EgressRefusedError } from "./egress.ts";

export interface TransportLimits {
  /** For name resolution, TCP and TLS together; and for a proxy's answer to CONNECT. */
  readonly connectMs: number;
  /** Connections to one origin, at most; more requests than that wait for one. */
  readonly connections: number;
}

export const transportLimits: TransportLimits = { connectMs: 10_000, connections: 512 };

export interface TransportOptions {
  readonly limits: TransportLimits;
  /** Checked at each connection, on the address that is really connected to. */
  readonly guard: EgressGuard;
  readonly tls: TlsMaterial;
  /** Another name than the URL's host for the server's certificate. */
  /** An http or https proxy, which then chooses the address: the guard cannot see it. */
  readonly proxyUrl?: string | undefined;
  /** How names are resolved; the system's way unless a test says otherwise. */
  readonly lookup?: typeof systemLookup;
}

/**
 * Longer than the usual interval of 15 s, so that a connection lives from cycle to cycle; shorter than the idle limits of
 * common servers and load balancers (60 s and more). One that announces a shorter limit in `Keep-Alive` is obeyed.
 */
const keepAliveMs = 20_000;

/** The connections of senders, pooled by origin, kept alive between requests. To be closed by whoever made it. */
export function createTransport(options: TransportOptions): Dispatcher {
  const { limits, proxyUrl } = options;
  const pool = {
    connections: limits.connections,
    // One request at a time on a connection: an answer that does not come would hold up those behind it.
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 60_000,
  };
  if (!proxyUrl) return new Agent({ ...pool, connect: guardedConnector(options) });
  return new ProxyAgent({
    ...pool,
    uri: proxyUrl,
    requestTls: options.tls.connectOptions(),
    clientFactory: (origin, settings) =>
      new Pool(origin, { ...(settings as Pool.Options), headersTimeout: limits.connectMs }),
  });
}

/**
 * Connects only where the guard allows it. Names are resolved once and the connection is made to an address of that very
 * answer, so that a name server cannot give a harmless address to a check and another one to the connection.
 */
function guardedConnector(options: TransportOptions): buildConnector.connector {
  const { guard, limits } = options;
  const lookup = guardedLookup(guard, options.lookup ?? systemLookup);
  const plainConnector = buildConnector({ lookup, timeout: limits.connectMs });
  const connectors = new WeakMap<object, buildConnector.connector>();
  const currentConnector = () => {
    const tls = options.tls.connectOptions();
    let connector = connectors.get(tls.secureContext);
    if (connector === undefined) {
      connector = buildConnector({ ...tls, lookup, timeout: limits.connectMs });
      connectors.set(tls.secureContext, connector);
    }
    return connector;
  };
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    // Node does not resolve an address, and so does not call lookup for it.
    const reason = isIP(host) === 0 ? undefined : guard.refusal(host);
    if (reason !== undefined) {
      callback(new EgressRefusedError(reason), null);
      return;
    }
    try {
      // The certificate authorities take a tenth of a second to load: not before the first connection that needs them.
      const connect = target.protocol === "https:" ? currentConnector() : plainConnector;
      connect(target, callback);
    } catch (error) {
      callback(error as Error, null);
    }
  };
}

/** Resolves a name to those of its addresses that may be connected to. */
function guardedLookup(guard: EgressGuard, lookup: typeof systemLookup): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, "");
        return;
      }
      const allowed: LookupAddress[] = [];
      let reason: string | undefined;
      for (const one of found) {
        const refusal = guard.refusal(one.address);
        if (refusal === undefined) allowed.push(one);
        else reason ??= refusal;
      }
      const first = allowed[0];
      if (first === undefined) {
        callback(new EgressRefusedError(`${hostname}: ${reason ?? "the name has no address"}`), "");
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
