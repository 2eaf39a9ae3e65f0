import ipaddr from "ipaddr.js";
import { withoutBrackets } from "./host.ts";

/** A parsed address of either family. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** @returns undefined when the text is not an address in plain form; a zone (`%eth0`) is ignored */
export function parseAddress(text: string): Address | undefined {
  const bare = withoutBrackets(text).replace(/%.*$/, "");
  // Dotted decimal with four parts only: URLs and name servers never produce other spellings of IPv4.
  if (bare.includes(".") && !bare.includes(":")) {
    return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : undefined;
  }
  return ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : undefined;
}

/** A set of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address. */
export class AddressRange {
  readonly text: string;
  /** Prefix length. */
  readonly bits: number;
  readonly #network: Address;

  /** @throws Error when the text is not a range; the configuration has validated it */
  constructor(text: string) {
    this.text = text;
    if (text.includes("/")) {
      [this.#network, this.bits] = ipaddr.parseCIDR(text);
    } else {
      this.#network = ipaddr.parse(text);
      this.bits = this.#network.kind() === "ipv4" ? 32 : 128;
    }
  }

  contains(address: Address): boolean {
    return address.kind() === this.#network.kind() && address.match(this.#network, this.bits);
  }
}

/** Whether a text is an address in one of the ranges. @throws as {@link AddressRange} */
export function addressesIn(ranges: readonly string[]): (text: string) => boolean {
  const parsed = ranges.map((range) => new AddressRange(range));
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && parsed.some((range) => range.contains(address));
  };
}
