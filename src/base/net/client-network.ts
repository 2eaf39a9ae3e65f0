import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The network that identifies a client: an IPv4 address itself, or the /64 of an IPv6 address, the size
 * assigned to one customer. Any other text is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  // Dual-stack sockets report IPv4 peers in mapped form.
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

/** Cache: every request of a connection asks, and parsing would dominate the cost of a request. */
const networks = new Map<string, string>();
const maxKnown = 10_000;
