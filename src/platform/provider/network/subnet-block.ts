import { AddressRange, parseAddress } from "../../../base/net/address-range.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { isTrue } from "../plane/conditions.ts";
import { numberAt, textAt } from "../plane/plane-object.ts";

/** A runtime's networks are routed on its machine: no others may be, whatever a tenant writes. */
const privateRanges = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fd00::/8"].map(
  (range) => new AddressRange(range),
);
/** Shortest prefixes. */
const shortest = { ipv4: 16, ipv6: 48 };
const longest = { ipv4: 29, ipv6: 64 };

/** `none`: the server has not allocated it yet. */
export type SubnetBlock =
  | { readonly kind: "block"; readonly cidr: string }
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly message: string };

/**
 * The address block that a Subnet is allocated.
 *
 * @param ranges in which it has to be, those of the runtime; absent: all private ones
 */
export function subnetBlock(subnet: PlaneObject, ranges?: readonly string[]): SubnetBlock {
  const start = textAt(subnet, "status", "startAddress");
  const prefix = numberAt(subnet, "status", "prefixLength");
  if (!isTrue(subnet, "Allocated") || start === undefined || prefix === undefined) return { kind: "none" };
  const cidr = `${start}/${prefix}`;
  const address = parseAddress(start);
  if (address === undefined) return invalid(cidr, "is no address block");
  const family = address.kind();
  const range = privateRanges.find((each) => each.contains(address));
  if (range === undefined) return invalid(cidr, "is not private");
  if (!Number.isInteger(prefix) || prefix < shortest[family] || prefix > longest[family]) {
    return invalid(cidr, `must have a prefix of ${shortest[family]} to ${longest[family]} bits`);
  }
  if (address.toString() !== networkAddress(start, prefix)) return invalid(cidr, "has host bits");
  const isAllowed = ranges?.some((text) => {
    const allowed = new AddressRange(text);
    return allowed.bits <= prefix && allowed.contains(address);
  });
  if (isAllowed === false) {
    return invalid(cidr, `is outside of the ranges of this location: ${ranges?.join(", ")}`);
  }
  return { kind: "block", cidr };
}

function invalid(cidr: string, problem: string): SubnetBlock {
  return { kind: "invalid", message: `the subnet's block ${cidr.slice(0, 100)} ${problem}` };
}

function networkAddress(start: string, prefix: number): string {
  const bytes = parseAddress(start)?.toByteArray() ?? [];
  const masked = bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefix - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  const text =
    masked.length === 4
      ? masked.join(".")
      : Array.from({ length: 8 }, (_, index) =>
          (((masked[2 * index] ?? 0) << 8) | (masked[2 * index + 1] ?? 0)).toString(16),
        ).join(":");
  return parseAddress(text)?.toString() ?? "";
}
