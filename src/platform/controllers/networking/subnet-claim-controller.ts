import { findCondition } from "../../../kube-server/api/conditions.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import {
  childObject,
  type JsonObject,
  type KubeObject,
  stringList,
} from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { isTrue, type NewCondition } from "../../../kube-server/controllers/conditions.ts";
import {
  type ControlObjects,
  controllerReference,
  createControlObjects,
} from "../../../kube-server/controllers/control-objects.ts";
import { again, type Controller, done } from "../../../kube-server/controllers/controller.ts";
import { quotaExceeded, quotaRefusal, quotaRetryMs } from "../../../kube-server/controllers/quota.ts";
import { objectWork, referrersWork } from "../../../kube-server/controllers/work-items.ts";
import type { Target } from "../../../kube-server/resources/target.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { type CidrBlock, type IpFamily, parseCidr } from "../../kinds/networking/cidr.ts";
import { networkContextKind } from "../../kinds/networking/network-context.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import { subnetClaimFinalizer, subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { type Allocation, allocationsOf, type NetworkOfSubnet, networkOfSubnet } from "./allocations.ts";
import {
  blockLengths,
  blockNumber,
  blockText,
  claimRanges,
  freeNumbers,
  ipv4Pool,
} from "./block-allocation.ts";

const retryMs = 5_000;

/** Allocates a block of the network's addresses to a claim, and creates its subnet. */
export function createSubnetClaimController(options: PlatformControllerOptions): Controller {
  const { groupDomain, claims } = options;
  const kind = subnetClaimKind(groupDomain);
  const [subnet, context] = [subnetKind(groupDomain), networkContextKind(groupDomain)];
  const objects = createControlObjects(options, "telemetryd-subnet-claim-controller");

  const networkOf = (plane: Plane, claim: KubeObject) => networkOfSubnet(objects, groupDomain, plane, claim);

  /** @returns the claim's block, or why it gets none */
  const allocate = async (
    plane: Plane,
    claim: KubeObject,
    at: NetworkOfSubnet,
  ): Promise<string | Refusal> => {
    const uid = claim.metadata.uid ?? "";
    const family: IpFamily = fieldAt(claim, ["spec", "ipFamily"]) === "IPv6" ? "IPv6" : "IPv4";
    const held = allocationsOf(at.network).find(({ claimUID }) => claimUID === uid);
    if (held !== undefined) return held.cidr;
    const wish = wishOf(claim, family);
    if (wish !== undefined && "refusal" in wish) return wish;
    const blocks = allocationsOf(at.network).flatMap(({ cidr }) => parseCidr(cidr) ?? []);
    const heldNumbers = blocks.filter((block) => block.family === family).map(blockNumber);
    const ranges = rangesOf(at.network, family);
    const free = freeNumbers(ranges, heldNumbers);
    const wanted = wish === undefined ? free : narrowed(free, wish.number);
    const shared =
      family === "IPv4"
        ? await claims.claimShared(ipv4Pool, `${plane.uid}/${uid}`, claimRanges(wanted))
        : undefined;
    const number = shared === undefined ? wanted[0]?.[0] : BigInt(shared);
    if (number === undefined) {
      const what = wish === undefined ? `/${blockLengths[family]} of the network` : "wished block";
      return { refusal: `no free ${what}: none of its ${family} ranges has one` };
    }
    const cidr = blockText(family, number);
    return (await recordAllocation(objects, at.target, { cidr, claimUID: uid })) ? cidr : { refusal: "" };
  };

  const release = async (plane: Plane, claim: KubeObject): Promise<void> => {
    const uid = claim.metadata.uid ?? "";
    const at = await networkOf(plane, claim);
    if (at !== undefined) {
      await objects.setStatus(at.target, [], (old) => {
        const allocations = allocationsOf(old).filter(({ claimUID }) => claimUID !== uid);
        return { ipam: { ...childObject(old["status"], "ipam"), allocations: [...allocations] } };
      });
    }
    await claims.releaseShared(ipv4Pool, `${plane.uid}/${uid}`);
  };

  const subnetOf = ({ plane, namespace, name }: Target): Target => ({ plane, kind: subnet, namespace, name });

  const createSubnet = async (target: Target, claim: KubeObject, owner: KubeObject, cidr: string) => {
    const [startAddress = "", length = ""] = cidr.split("/");
    const { subnetClass = "", networkContext = {}, location = {}, ipFamily = "" } = specOf(claim);
    await objects.create(subnetOf(target), {
      ownerReferences: [controllerReference(context, owner)],
      spec: {
        subnetClass,
        networkContext,
        location,
        ipFamily,
        startAddress,
        prefixLength: Number(length),
      },
    });
  };

  return {
    kind,
    watches: [
      {
        kind: subnet,
        affects(object, old) {
          const { namespace = "", name = "" } = (object ?? old)?.metadata ?? {};
          return [objectWork(kind, namespace, name)];
        },
      },
      {
        kind: context,
        affects(object, old) {
          if (object === undefined || old !== undefined) return [];
          const { namespace = "", name = "" } = object.metadata;
          return [referrersWork(objectKey(context, namespace, name))];
        },
      },
    ],
    async reconcile(target, claim) {
      const { plane, namespace, name } = target;
      const made = await objects.get(plane, subnet, namespace, name);
      if (claim.metadata.deletionTimestamp !== undefined) {
        if (made !== undefined) {
          await objects.delete(subnetOf(target), made);
          return done;
        }
        await release(plane, claim);
        await objects.dropFinalizer(target, subnetClaimFinalizer(groupDomain));
        return done;
      }
      const at = await networkOf(plane, claim);
      if (at === undefined) return done;
      const block = await allocate(plane, claim, at);
      if (typeof block !== "string") {
        if (block.refusal !== "") await objects.setStatus(target, [unallocated(block.refusal)]);
        return again(block.refusal === "" ? 0 : retryMs);
      }
      if (made === undefined) {
        const refusal = await quotaRefusal(() => createSubnet(target, claim, at.context, block));
        if (refusal !== undefined) {
          const refused = {
            type: "Ready",
            status: "False",
            reason: quotaExceeded,
            message: refusal,
          } as const;
          await objects.setStatus(target, [refused]);
          return again(quotaRetryMs);
        }
      }
      const [startAddress = "", length = ""] = block.split("/");
      await objects.setStatus(target, conditionsOf(made), {
        startAddress,
        prefixLength: Number(length),
        ...(isTrue(made, "Ready") ? { subnetRef: { name } } : {}),
      });
      return done;
    },
  };
}

/** `refusal`: the reason, for people; "" if another write came first. */
interface Refusal {
  readonly refusal: string;
}

function specOf(object: KubeObject): JsonObject {
  return childObject(object, "spec") ?? {};
}

function rangesOf(network: KubeObject, family: IpFamily): CidrBlock[] {
  const field = family === "IPv4" ? "ipv4Ranges" : "ipv6Ranges";
  const ranges = stringList(fieldAt(network, ["status", "ipam", field]));
  return ranges.flatMap((text) => parseCidr(text) ?? []);
}

/** The number of the block that a claim wishes for; undefined if any will do. */
function wishOf(claim: KubeObject, family: IpFamily): { readonly number: bigint } | Refusal | undefined {
  const { startAddress, prefixLength = blockLengths[family] } = specOf(claim);
  if (prefixLength !== blockLengths[family]) {
    return { refusal: `prefixLength must be ${blockLengths[family]} for ${family}` };
  }
  if (typeof startAddress !== "string") return undefined;
  const block = parseCidr(`${startAddress}/${prefixLength}`);
  if (block?.family !== family || block.hasHostBits) {
    return { refusal: `startAddress ${startAddress} is not the start of a /${prefixLength}` };
  }
  return { number: blockNumber(block) };
}

function narrowed(free: readonly [bigint, bigint][], number: bigint): [bigint, bigint][] {
  const isFree = free.some(([first, last]) => number >= first && number <= last);
  return isFree ? [[number, number]] : [];
}

/**
 * Writes the allocation into the network, unless the block is allocated: the network's version decides
 * between two replicas.
 */
async function recordAllocation(
  objects: ControlObjects,
  network: Target,
  allocation: Allocation,
): Promise<boolean> {
  const written = await objects.setStatus(network, [], (old) => {
    const allocations = allocationsOf(old);
    const isHeld = allocations.some(
      ({ cidr, claimUID }) => cidr === allocation.cidr || claimUID === allocation.claimUID,
    );
    const next = isHeld ? allocations : [...allocations, allocation];
    return { ipam: { ...childObject(old["status"], "ipam"), allocations: next } };
  });
  return (
    written !== undefined &&
    allocationsOf(written).some(
      ({ cidr, claimUID }) => cidr === allocation.cidr && claimUID === allocation.claimUID,
    )
  );
}

function unallocated(message: string): NewCondition {
  return { type: "Allocated", status: "False", reason: "NoFreeBlock", message };
}

function unprogrammed({ reason, message }: JsonObject): NewCondition {
  return { type: "Programmed", status: "False", reason: String(reason), message: String(message) };
}

function conditionsOf(subnet: KubeObject | undefined): NewCondition[] {
  const allocated: NewCondition = {
    type: "Allocated",
    status: "True",
    reason: "PrefixAllocated",
    message: "Subnet has been allocated a prefix",
  };
  if (!isTrue(subnet, "Ready")) {
    const programmed = subnet && findCondition(subnet, "Programmed");
    return [
      allocated,
      // Why the provider has refused it, for what waits for the claim.
      ...(programmed?.["status"] === "False" ? [unprogrammed(programmed)] : []),
      { type: "Ready", status: "False", reason: "SubnetNotReady", message: "Subnet is not ready" },
    ];
  }
  return [
    allocated,
    { type: "Programmed", status: "True", reason: "Programmed", message: "Subnet has been programmed" },
    { type: "Ready", status: "True", reason: "SubnetReady", message: "Subnet ready" },
  ];
}
