import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Who a request counts for: an IPv4 address, or the /64 of an IPv6 address, since that is what one customer is given.
 *
 * @param remoteAddress of the connection; undefined when it is closed already
 * @param forwardedFor the header X-Forwarded-For, or undefined where no proxy is trusted. Its *last* entry counts: that
 *   one our own proxy has written, the others anybody could have sent
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

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  // What a socket that listens on both families calls an IPv4 peer.
  if (address.startsWith("::ffff:") && address.includes(".")) return address.slice(7);
  const known = networks.get(address);
  if (known !== undefined) return known;
  const [plain = address] = address.split("%");
  if (isIP(plain) !== 6) return address;
  const parsed = ipaddr.parse(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  const network = parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`;
  if (networks.size >= maxKnown) networks.clear();
  networks.set(address, network);
  return network;
}

/** A connection asks many times; parsing costs more than everything else that is done for a request. */
const networks = new Map<string, string>();
const maxKnown = 10_000;
