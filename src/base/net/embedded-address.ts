import ipaddr from "ipaddr.js";
import { type Address, AddressRange } from "./address-range.ts";

const wellKnownNat64 = new AddressRange("64:ff9b::/96");
/** RFC 8215: a network divides it into prefixes of any RFC 6052 length from 48 bits up. */
const localNat64 = new AddressRange("64:ff9b:1::/48");
const localNat64Bits = [48, 56, 64, 96];
const sixToFour = new AddressRange("2002::/16");
const teredo = new AddressRange("2001::/32");
const mapped = new AddressRange("::ffff:0:0/96");
/** The translated form of RFC 2765 and the deprecated "compatible" one. */
const translated = new AddressRange("::ffff:0:0:0/96");
const compatible = new AddressRange("::/96");

/** The IPv4 addresses behind an IPv6 address. */
interface EmbeddedAddresses {
  /** A packet may end at any of them, so each must be checked. */
  readonly addresses: readonly ipaddr.IPv4[];
  /** The packet always goes to one of them; otherwise the IPv6 address itself must be checked, too. */
  readonly replaceOuter: boolean;
}

const none: EmbeddedAddresses = { addresses: [], replaceOuter: false };

/**
 * The IPv4 addresses that an IPv6 address embeds: mapped, NAT64 (RFC 6052, section 2.2), 6to4, Teredo, ISATAP
 * and the older forms.
 *
 * @param nat64 the network's own NAT64 prefixes
 */
export function embeddedAddresses(address: Address, nat64: readonly AddressRange[]): EmbeddedAddresses {
  if (!(address instanceof ipaddr.IPv6)) return none;
  const bytes = address.toByteArray();
  const last = () => ipv4At(bytes, [12, 13, 14, 15]);
  const own = nat64.filter((prefix) => prefix.contains(address));
  if (own.length > 0) return replacing(own.map(({ bits }) => translatedAddress(bytes, bits)));
  if (localNat64.contains(address)) return replacing(localForms(bytes));
  if ([mapped, wellKnownNat64, translated].some((range) => range.contains(address))) {
    return replacing([last()]);
  }
  if (sixToFour.contains(address)) return replacing([ipv4At(bytes, [2, 3, 4, 5])]);
  if (teredo.contains(address))
    return replacing([new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))]);
  // ::1 and :: are in this range but are ordinary addresses.
  if (compatible.contains(address) && (bytes[12] !== 0 || bytes[13] !== 0)) return replacing([last()]);
  return isIsatap(bytes) ? { addresses: [last()], replaceOuter: false } : none;
}

function replacing(addresses: readonly ipaddr.IPv4[]): EmbeddedAddresses {
  return { addresses, replaceOuter: true };
}

/** The prefix length is unknown: all candidates are returned. A candidate in 0.0.0.0/8 is not an address. */
function localForms(bytes: readonly number[]): readonly ipaddr.IPv4[] {
  const forms = localNat64Bits.map((bits) => translatedAddress(bytes, bits));
  const plausible = forms.filter((form) => form.octets[0] !== 0);
  return plausible.length > 0 ? plausible : forms.slice(-1);
}

/** RFC 6052, section 2.2: directly after the prefix, skipping the byte of bits 64 to 71. */
function translatedAddress(bytes: readonly number[], prefixBits: number): ipaddr.IPv4 {
  const places: number[] = [];
  for (let at = prefixBits / 8; places.length < 4; at++) if (at !== 8) places.push(at);
  return ipv4At(bytes, places);
}

/** RFC 5214, section 6.1: interface identifier 0000:5efe or 0200:5efe, then the IPv4 address; any prefix. */
function isIsatap(bytes: readonly number[]): boolean {
  return ((bytes[8] ?? 0) & 0xfc) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function ipv4At(bytes: readonly number[], places: readonly number[]): ipaddr.IPv4 {
  return new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0));
}
