import ipaddr from "ipaddr.js";
import { withoutBrackets } from "../core/host.ts";

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
  readonly #network: Address;
  readonly #bits: number;

  /** @throws Error when the text is no range; the configuration has checked it before */
  constructor(text: string) {
    this.text = text;
    if (text.includes("/")) {
      [this.#network, this.#bits] = ipaddr.parseCIDR(text);
    } else {
      this.#network = ipaddr.parse(text);
      this.#bits = this.#network.kind() === "ipv4" ? 32 : 128;
    }
  }

  contains(address: Address): boolean {
    return address.kind() === this.#network.kind() && address.match(this.#network, this.#bits);
  }
}

const nat64 = new AddressRange("64:ff9b::/96");
/** RFC 8215: local use of NAT64, with the IPv4 address in the last 32 bits as far as anyone can tell from outside. */
const localNat64 = new AddressRange("64:ff9b:1::/48");
const sixToFour = new AddressRange("2002::/16");
const teredo = new AddressRange("2001::/32");
const mapped = new AddressRange("::ffff:0:0/96");
/** RFC 2765's translated form and the deprecated "compatible" one. */
const translated = new AddressRange("::ffff:0:0:0/96");
const compatible = new AddressRange("::/96");

/**
 * The IPv4 address that an IPv6 address leads to, where it is one of the forms that carry one (mapped, NAT64, 6to4, Teredo
 * and the older ones): a packet to it ends at that address, so that it is what has to be judged.
 */
export function embeddedIPv4(address: Address): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  const bytes = address.toByteArray();
  const at = (offset: number) => new ipaddr.IPv4(bytes.slice(offset, offset + 4));
  if ([mapped, nat64, localNat64, translated].some((range) => range.contains(address))) return at(12);
  if (sixToFour.contains(address)) return at(2);
  if (teredo.contains(address)) return new ipaddr.IPv4(bytes.slice(12, 16).map((byte) => byte ^ 0xff));
  // ::1 and :: are in this range and are addresses of their own.
  if (compatible.contains(address) && bytes.slice(12, 14).some((byte) => byte !== 0)) return at(12);
  return undefined;
}
