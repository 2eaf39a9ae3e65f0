import { isIP } from "node:net";

/**
 * Addresses by name, from a hosts(5) file. Names are lower-case; a name's addresses keep the file's order.
 */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/** Per name. */
const maxAddresses = 32;

export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [content = ""] = line.split("#", 1);
    const [address = "", ...names] = content.trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const known = hosts.get(key);
      if (known === undefined) hosts.set(key, [address]);
      else if (!known.includes(address) && known.length < maxAddresses) known.push(address);
    }
  }
  return hosts;
}
