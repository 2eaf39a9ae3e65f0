import { childObject } from "../../../kube-server/api/object.ts";
import { isTrue } from "../../../kube-server/controllers/conditions.ts";
import { createControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { type Controller, done } from "../../../kube-server/controllers/controller.ts";
import { objectWork } from "../../../kube-server/controllers/work-items.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import { subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { allocatedBlock, cidrOf } from "./allocations.ts";

/**
 * Reports a subnet's block, and its readiness once the provider has programmed it. A block that the platform
 * did not allocate is none: another project may have it, or the operator's own network.
 */
export function createSubnetController(options: PlatformControllerOptions): Controller {
  const { groupDomain } = options;
  const kind = subnetKind(groupDomain);
  const objects = createControlObjects(options, "telemetryd-subnet-controller");
  return {
    kind,
    watches: [
      {
        kind: subnetClaimKind(groupDomain),
        affects(object) {
          if (object === undefined) return [];
          const { namespace = "", name = "" } = object.metadata;
          return [objectWork(kind, namespace, name)];
        },
      },
    ],
    async reconcile(target, subnet) {
      if (subnet.metadata.deletionTimestamp !== undefined) return done;
      if ((await allocatedBlock(objects, groupDomain, target.plane, subnet)) === undefined) {
        const remedy = "create a SubnetClaim: its Subnet is made for it";
        const message = `no SubnetClaim ${target.name} holds ${cidrOf(subnet)}; ${remedy}`;
        const no = { status: "False", reason: "NotAllocated", message } as const;
        await objects.setStatus(
          target,
          [
            { type: "Allocated", ...no },
            { type: "Ready", ...no },
          ],
          {},
          subnet,
        );
        return done;
      }
      const { startAddress = "", prefixLength = 0 } = childObject(subnet, "spec") ?? {};
      const allocated = {
        type: "Allocated",
        status: "True",
        reason: "PrefixAllocated",
        message: "Subnet has been allocated a prefix",
      } as const;
      const ready = isTrue(subnet, "Programmed")
        ? ({ type: "Ready", status: "True", reason: "Ready", message: "Subnet is ready to use" } as const)
        : ({
            type: "Ready",
            status: "False",
            reason: "NotProgrammed",
            message: "Subnet is not yet programmed",
          } as const);
      await objects.setStatus(target, [allocated, ready], { startAddress, prefixLength }, subnet);
      return done;
    },
  };
}
