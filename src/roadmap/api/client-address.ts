import { isIP } from "node:net";
import { networkOf } from "../../base/net/client-network.ts";

/**
 * The client that a request counts for: an IPv4 address, or the /64 of an IPv6 address, the size assigned to
 * one customer.
 *
 * @param remoteAddress of the connection; undefined when it is already closed
 * @param forwardedFor the X-Forwarded-For header, or undefined when no proxy is trusted. Its *last* entry
 *   counts: our own proxy wrote it, the others may be forged
 */
export function clientKey(remoteAddress: string | undefined, forwardedFor: string | undefined): string {
  if (forwardedFor !== undefined) {
    const last = withoutPort(forwardedFor.slice(forwardedFor.lastIndexOf(",") + 1).trim());
    if (isIP(last) !== 0) return networkOf(last);
  }
  return remoteAddress === undefined ? "unknown" : networkOf(remoteAddress);
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return /^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(":")) : text;
}
