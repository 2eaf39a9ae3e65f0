import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The network that a client's address stands for: an IPv4 address itself, or the /64 of an IPv6 address, since that is
 * what one customer is given. Any other text is returned as it is.
 */
export function networkOf(address: string): string {
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
