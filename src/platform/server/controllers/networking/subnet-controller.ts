import { subnetKind } from "../../kinds/networking/subnet.ts";
import { childObject } from "../../object.ts";
import { isTrue } from "../conditions.ts";
import { createControlObjects, type PlatformControllerOptions } from "../control-objects.ts";
import { type Controller, done } from "../controller.ts";

/** Reports a subnet's block, and its readiness once the provider has programmed it. */
export function createSubnetController(options: PlatformControllerOptions): Controller {
  const objects = createControlObjects(options, "telemetryd-subnet-controller");
  return {
    kind: subnetKind(options.groupDomain),
    async reconcile(target, subnet) {
      if (subnet.metadata.deletionTimestamp !== undefined) return done;
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
