import ipaddr from "ipaddr.js";

export type IpFamily = "IPv4" | "IPv6";

/** A block of addresses. */
export interface CidrBlock {
  readonly family: IpFamily;
  readonly prefixLength: number;
  /** The first and last address, as numbers. */
  readonly first: bigint;
  readonly last: bigint;
  /** Whether the text had bits set after the prefix. */
  readonly hasHostBits: boolean;
}

export const invalidCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128` */
const maxLength = 49;

/**
 * Parses a block in its plain form: an address of four decimal parts or an IPv6 address without a zone, a
 * slash and the prefix length in decimal.
 */
export function parseCidr(text: string): CidrBlock | undefined {
  if (text.length > maxLength) return undefined;
  const [, address = "", length = ""] = /^([0-9a-f:.]+)\/(0|[1-9]\d{0,2})$/i.exec(text) ?? [];
  const prefixLength = Number(length);
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return prefixLength > 32 ? undefined : block("IPv4", ipaddr.IPv4.parse(address).octets, prefixLength);
  }
  if (!address.includes(":") || prefixLength > 128 || !ipaddr.IPv6.isValid(address)) return undefined;
  return block("IPv6", ipaddr.IPv6.parse(address).toByteArray(), prefixLength);
}

function block(family: IpFamily, bytes: readonly number[], prefixLength: number): CidrBlock {
  const address = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  const hostMask = (1n << BigInt(bytes.length * 8 - prefixLength)) - 1n;
  const first = address & ~hostMask;
  return { family, prefixLength, first, last: first | hostMask, hasHostBits: first !== address };
}

/** Whether all addresses of `inner`, but not all of `outer`, are in both. */
export function isStrictSubset(inner: CidrBlock, outer: CidrBlock): boolean {
  if (inner.family !== outer.family || inner.prefixLength <= outer.prefixLength) return false;
  return inner.first >= outer.first && inner.last <= outer.last;
}

export function overlap(left: CidrBlock, right: CidrBlock): boolean {
  return left.family === right.family && left.first <= right.last && right.first <= left.last;
}
