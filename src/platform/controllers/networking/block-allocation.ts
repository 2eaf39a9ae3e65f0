import ipaddr from "ipaddr.js";
import type { NumberRange } from "../../../kube-server/store/number-claims.ts";
import type { CidrBlock } from "../../kinds/networking/cidr.ts";

/** Prefix lengths of the blocks that subnets get. */
export const blockLengths = { IPv4: 20, IPv6: 64 } as const;

/** Ranges that the platform gives to networks that ask for none of their own; every project's blocks differ. */
export const platformRanges = { IPv4: "10.128.0.0/9", IPv6: "fd20::/20" } as const;

/** Pool of the numbers of IPv4 blocks, which all planes share. */
export const ipv4Pool = "ipv4-blocks";
/** Pool of the numbers of the /48 blocks in {@link platformRanges}. */
export const ipv6Pool = "ipv6-prefixes";

/** Blocks are numbered by their first address: the number of the block of its size that it is. */
export function blockNumber({ family, first }: Pick<CidrBlock, "family" | "first">): bigint {
  return first >> BigInt(addressBits[family] - blockLengths[family]);
}

export function blockText(family: CidrBlock["family"], number: bigint): string {
  const first = number << BigInt(addressBits[family] - blockLengths[family]);
  return `${addressText(family, first)}/${blockLengths[family]}`;
}

/** An address in its usual form. */
export function addressText(family: CidrBlock["family"], address: bigint): string {
  const hex = address.toString(16).padStart(addressBits[family] / 4, "0");
  return ipaddr.fromByteArray([...Buffer.from(hex, "hex")]).toString();
}

/** The numbers of the blocks in the ranges that are not held, as ranges of numbers. */
export function freeNumbers(ranges: readonly CidrBlock[], held: readonly bigint[]): [bigint, bigint][] {
  const sorted = [...held].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  const free: [bigint, bigint][] = [];
  for (const { family, first, last } of ranges) {
    let next = blockNumber({ family, first });
    const end = blockNumber({ family, first: last });
    for (const number of sorted) {
      if (number < next || number > end) continue;
      if (number > next) free.push([next, number - 1n]);
      next = number + 1n;
    }
    if (next <= end) free.push([next, end]);
  }
  return free;
}

/** Ranges of numbers that a claim can try; numbers of IPv4 blocks have 20 bits. */
export function claimRanges(free: readonly [bigint, bigint][]): NumberRange[] {
  return free.map(([first, last]) => [Number(first), Number(last)]);
}

const addressBits = { IPv4: 32, IPv6: 128 } as const;
