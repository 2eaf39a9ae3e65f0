import { isIP } from "node:net";
import { withoutBrackets } from "../../base/net/host.ts";

/**
 * Whether a request's Host is one that the ops address responds to. A page of another site can make a browser ask here under a
 * name of its own, which it lets lead to this machine (DNS rebinding), and read what comes back; so a name must be known.
 *
 * Addresses are no names, and nobody outside can give `localhost` away. Where the address is open to a network, its names
 * without a domain and those of a cluster's services are known too: a scrape uses them, and nobody can register them.
 *
 * @param host the header's value; undefined for none, which only HTTP/1.0 allows, and no browser sends
 * @param listenHost of `ops.listen`
 * @param names `ops.hosts`, in small letters
 */
export function isKnownHost(
  host: string | undefined,
  listenHost: string,
  names: ReadonlySet<string>,
): boolean {
  if (host === undefined) return true;
  const name = nameOf(host);
  if (name === undefined) return false;
  if (isIP(withoutBrackets(name)) !== 0 || isLoopbackName(name)) return true;
  if (name === listenHost.toLowerCase() || names.has(name)) return true;
  return !isLoopback(listenHost) && /^[^.]+$|\.svc$|\.cluster\.local$/.test(name);
}

/** In small letters, without port and without the dot of a complete name; undefined where it is none. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+?)\.?(?::\d{0,5})?$/.exec(host.toLowerCase())?.[1];
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

function isLoopback(listenHost: string): boolean {
  return isLoopbackName(listenHost) || listenHost === "::1" || /^127(\.\d+){3}$/.test(listenHost);
}
