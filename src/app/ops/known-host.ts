import { isIP } from "node:net";
import { withoutBrackets } from "../../base/net/host.ts";

/**
 * Whether the ops address accepts a request's Host header. With DNS rebinding, a page of another site can
 * make a browser send requests to this machine under the site's own name and read the responses; so the name
 * must be known.
 *
 * IP addresses are safe, and so is `localhost`, which no outsider controls. When the address is open to a
 * network, single-label names and those of cluster services are also accepted: scrapes use them, and nobody
 * can register them.
 *
 * @param host the header's value; undefined when absent, which only HTTP/1.0 allows, and no browser sends
 * @param listenHost the host of `ops.listen`
 * @param names `ops.hosts`, in lower case
 */
export function isKnownHost(
  host: string | undefined,
  listenHost: string,
  names: ReadonlySet<string>,
): boolean {
  if (host === undefined) return true;
  const name = hostName(host);
  if (name === undefined) return false;
  if (isIP(withoutBrackets(name)) !== 0 || isLoopbackName(name)) return true;
  if (name === listenHost.toLowerCase() || names.has(name)) return true;
  return !isLoopback(listenHost) && /^[^.]+$|\.svc$|\.cluster\.local$/.test(name);
}

/** Of a Host header: in lower case, without port and trailing dot; undefined when it is not a name. */
export function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+?)\.?(?::\d{0,5})?$/.exec(host.toLowerCase())?.[1];
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/** @param host a name, or an address without brackets */
export function isLoopback(host: string): boolean {
  return isLoopbackName(host) || host === "::1" || /^127(\.\d+){3}$/.test(host);
}
