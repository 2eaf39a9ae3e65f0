import ipaddr from "ipaddr.js";
import { withoutBrackets } from "./host.ts";

/** A parsed address of either family. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** @returns undefined when the text is no address in its plain form; a zone (`%eth0`) is no part of it */
export function parseAddress(text: string): Address | undefined {
  const bare = withoutBrackets(text).replace(/%.*$/, "");
  // Four-part decimal only: other spellings of IPv4 never come from a URL or a name server.
  if (bare.includes(".") && !bare.includes(":")) {
    return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : undefined;
  }
  return ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : undefined;
}

/** A set of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address. */
export class AddressRange {
  readonly text: string;
  /** Of the network part. */
  readonly bits: number;
  readonly #network: Address;

  /** @throws Error when the text is no range; the configuration has checked it before */
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
