import ipaddr from "ipaddr.js";
import { type Address, AddressRange } from "./address-range.ts";

/** The only range IANA has allocated as global unicast (RFC 4291, section 2.4). */
const globalUnicast = new AddressRange("2000::/3");

/** Reserved ranges within it (IANA IPv6 Special-Purpose Address Registry). */
const specialPurpose: readonly AddressRange[] = [
  // IETF protocol assignments: Teredo, benchmarking, ORCHID and others.
  new AddressRange("2001::/23"),
  new AddressRange("2001:db8::/32"),
  new AddressRange("2002::/16"),
  new AddressRange("2620:4f:8000::/48"),
  new AddressRange("3fff::/20"),
];

/** Whether the address belongs to the public internet. */
export function isPublicAddress(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === "unicast";
  return globalUnicast.contains(address) && !specialPurpose.some((range) => range.contains(address));
}

const kinds: Readonly<Record<string, string>> = {
  private: "private",
  loopback: "loopback",
  uniqueLocal: "private",
  carrierGradeNat: "shared by a provider's customers",
  linkLocal: "link-local",
  unicast: "unallocated",
};

/** The kind of an address that is not public, for messages. */
export function kindOf(address: Address): string {
  const range = address instanceof ipaddr.IPv4 ? address.range() : address.range();
  if (range === "unicast" && globalUnicast.contains(address)) return "reserved";
  return kinds[range] ?? "reserved";
}
