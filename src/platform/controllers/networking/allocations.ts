import { fieldAt } from "../../../kube-server/api/fields.ts";
import { isJsonObject, type JsonObject, type KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import type { ControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import type { Target } from "../../../kube-server/resources/target.ts";
import { type CidrBlock, parseCidr } from "../../kinds/networking/cidr.ts";
import { networkKind } from "../../kinds/networking/network.ts";
import { networkContextKind, networkOfContext } from "../../kinds/networking/network-context.ts";
import { subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import { contextOfSubnet } from "../../kinds/networking/subnet-spec.ts";

/** A block that a Network's status records; only the platform writes it. */
export interface Allocation extends JsonObject {
  cidr: string;
  claimUID: string;
}

/** The network that a SubnetClaim or Subnet is part of. */
export interface NetworkOfSubnet {
  readonly context: KubeObject;
  readonly network: KubeObject;
  readonly target: Target;
}

/** Blocks that the network's status records, one for each claim. */
export function allocationsOf(network: KubeObject): Allocation[] {
  const allocations = fieldAt(network, ["status", "ipam", "allocations"]);
  if (!Array.isArray(allocations)) return [];
  return allocations.filter(isJsonObject) as Allocation[];
}

/** @param subnet a SubnetClaim or Subnet */
export async function networkOfSubnet(
  objects: ControlObjects,
  groupDomain: string,
  plane: Plane,
  subnet: KubeObject,
): Promise<NetworkOfSubnet | undefined> {
  const kind = networkKind(groupDomain);
  const at = contextOfSubnet(subnet);
  const context = at && (await objects.get(plane, networkContextKind(groupDomain), at.namespace, at.name));
  const of = context && networkOfContext(context);
  const network = of && (await objects.get(plane, kind, of.namespace, of.name));
  if (context === undefined || of === undefined || network === undefined) return undefined;
  return { context, network, target: { plane, kind, ...of } };
}

/**
 * The block of a Subnet, if the platform has allocated it to the SubnetClaim of the same name. Members may
 * write any Subnet, so its own fields prove nothing.
 */
export async function allocatedBlock(
  objects: ControlObjects,
  groupDomain: string,
  plane: Plane,
  subnet: KubeObject,
): Promise<CidrBlock | undefined> {
  const { namespace = "", name = "" } = subnet.metadata;
  const claim = await objects.get(plane, subnetClaimKind(groupDomain), namespace, name);
  if (claim === undefined || contextOfSubnet(claim)?.name !== contextOfSubnet(subnet)?.name) return undefined;
  const at = await networkOfSubnet(objects, groupDomain, plane, claim);
  const cidr = cidrOf(subnet);
  const { uid } = claim.metadata;
  const isHeld = at && allocationsOf(at.network).some((each) => each.claimUID === uid && each.cidr === cidr);
  return isHeld === true ? parseCidr(cidr) : undefined;
}

/** The block that a Subnet's spec names. */
export function cidrOf(subnet: KubeObject): string {
  const [start, length] = ["startAddress", "prefixLength"].map((field) => fieldAt(subnet, ["spec", field]));
  return `${String(start)}/${String(length)}`;
}
