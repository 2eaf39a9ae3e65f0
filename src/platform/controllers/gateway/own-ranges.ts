import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { isTrue } from "../../../kube-server/controllers/conditions.ts";
import type { NumberClaims } from "../../../kube-server/store/number-claims.ts";
import { type CidrBlock, parseCidr } from "../../kinds/networking/cidr.ts";
import {
  blockLengths,
  blockNumber,
  ipv4Pool,
  ipv6Pool,
  platformRanges,
} from "../networking/block-allocation.ts";

const trusted = {
  IPv4: parseCidr(platformRanges.IPv4),
  IPv6: parseCidr(platformRanges.IPv6),
};

/** A range that a subnet names, and the number under which a project holds it. */
export interface NamedRange {
  readonly text: string;
  readonly pool: string;
  readonly number: number;
}

/**
 * The range of a subnet that a provider has programmed. Ranges that a network brings along are none: its
 * owner could name addresses of the operator's own network.
 */
export function namedRange(subnet: KubeObject | undefined): NamedRange | undefined {
  if (subnet === undefined || !isTrue(subnet, "Programmed")) return undefined;
  const start = fieldAt(subnet, ["spec", "startAddress"]);
  const length = fieldAt(subnet, ["spec", "prefixLength"]);
  const text = `${String(start)}/${String(length)}`;
  const block = parseCidr(text);
  if (block === undefined || block.hasHostBits || block.prefixLength < blockLengths[block.family])
    return undefined;
  const range = trusted[block.family];
  if (range === undefined || !isWithin(block, range)) return undefined;
  if (block.family === "IPv4") return { text, pool: ipv4Pool, number: Number(blockNumber(block)) };
  // The 28 bits after fd20::/20 are the number of a network's /48.
  return { text, pool: ipv6Pool, number: Number((block.first >> 80n) & 0xfffffffn) };
}

/**
 * Whether the platform has given the range to this project: members can write any subnet, but not the
 * claims.
 */
export async function isOwnRange(
  { pool, number }: NamedRange,
  plane: Plane,
  claims: Pick<NumberClaims, "sharedOwner">,
): Promise<boolean> {
  return (await claims.sharedOwner(pool, number))?.startsWith(`${plane.uid}/`) === true;
}

function isWithin(inner: CidrBlock, outer: CidrBlock): boolean {
  return inner.family === outer.family && inner.first >= outer.first && inner.last <= outer.last;
}
