import ipaddr from "ipaddr.js";
import { parseAddress } from "./address-range.ts";

/** Addresses of one family from the first to the last, as numbers. */
export interface AddressSpan {
  readonly family: "ipv4" | "ipv6";
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The addresses of a block such as `10.0.0.0/8`, whatever bits it has after its prefix, of `first-last`, or
 * of one address.
 *
 * @returns undefined when the text is none of these
 */
export function parseSpan(text: string): AddressSpan | undefined {
  const [, start = "", end, bits] =
    /^([0-9a-fA-F:.]{2,45})(?:-([0-9a-fA-F:.]{2,45})|\/(\d{1,3}))?$/.exec(text) ?? [];
  const [address, other] = [parseAddress(start), parseAddress(end ?? start)];
  if (address === undefined || other?.kind() !== address.kind()) return undefined;
  const bytes = address.toByteArray();
  const family = address.kind();
  const [first, last] = [numberOf(bytes), numberOf(other.toByteArray())];
  if (bits === undefined) return first <= last ? { family, first, last } : undefined;
  const hostBits = bytes.length * 8 - Number(bits);
  if (hostBits < 0) return undefined;
  const hosts = (1n << BigInt(hostBits)) - 1n;
  return { family, first: first & ~hosts, last: first | hosts };
}

export function spanSize({ first, last }: AddressSpan): bigint {
  return last - first + 1n;
}

/** All addresses of a span, of which the caller knows that they are not too many. */
export function addressesOfSpan({ family, first, last }: AddressSpan): string[] {
  const addresses: string[] = [];
  for (let number = first; number <= last; number++) addresses.push(addressText(family, number));
  return addresses;
}

export function addressText(family: AddressSpan["family"], number: bigint): string {
  const digits = family === "ipv4" ? 8 : 32;
  const bytes = [...Buffer.from(number.toString(16).padStart(digits, "0"), "hex")];
  return ipaddr.fromByteArray(bytes).toString();
}

function numberOf(bytes: readonly number[]): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}
