import { fieldAt } from "../../../kube-server/api/fields.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { createControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { again, type Controller, done } from "../../../kube-server/controllers/controller.ts";
import { instanceKind } from "../../kinds/compute/instance.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import { type NamespacedName, referent } from "../../kinds/references.ts";
import { allocatedBlock, cidrOf } from "../networking/allocations.ts";
import { addressText } from "../networking/block-allocation.ts";
import { findContext } from "../networking/context-names.ts";
import type { PlatformControllerOptions } from "../options.ts";

const retryMs = 5_000;
/** The first addresses of a subnet are the network's and the gateway's; the last two are left free. */
const firstHost = 2;
const lastFree = 2;
/** More addresses than instances ever have in one subnet. */
const maxHost = 2 ** 20;

/**
 * Gives each interface of an instance the lowest free address of its subnet. The record of claims decides,
 * never the status, in which a changed address is put back. All else in the status is the provider's.
 */
export function createInstanceController(options: PlatformControllerOptions): Controller {
  const { groupDomain, claims } = options;
  const subnetDefinition = subnetKind(groupDomain);
  const objects = createControlObjects(options, "telemetryd-instance-controller");

  /** @returns the address, or why there is none */
  const assign = async (
    plane: Plane,
    instance: KubeObject,
    index: number,
    network: NamespacedName,
    location: NamespacedName,
  ): Promise<string | NoAddress> => {
    const context = await findContext(objects, groupDomain, plane, network, location);
    const { namespace = "", name = "" } = context?.metadata ?? {};
    const subnet = context && (await objects.get(plane, subnetDefinition, namespace, `${name}-0`));
    const block = subnet && (await allocatedBlock(objects, groupDomain, plane, subnet));
    if (subnet === undefined || block === undefined) {
      return {
        reason: "SubnetNotReady",
        message: `network ${network.name} has no subnet at ${location.name}`,
      };
    }
    const last = Math.min(Number(block.last - block.first) - lastFree, maxHost);
    const owner = `${instance.metadata.uid}/${index}`;
    const host = await claims.claim(plane, subnet.metadata.uid ?? "", owner, [[firstHost, last]]);
    if (host !== undefined) return addressText(block.family, block.first + BigInt(host));
    const message = `subnet ${name}-0 (${cidrOf(subnet)}) has no free address`;
    return { reason: "AddressesUsedUp", message };
  };

  return {
    kind: instanceKind(groupDomain),
    ignores(object, old) {
      const isSame = addressesOf(object).join() === addressesOf(old).join();
      return isSame && object.metadata.generation === old.metadata.generation && hasAddresses(object);
    },
    async reconcile(target, instance) {
      if (instance.metadata.deletionTimestamp !== undefined) return done;
      const location = referent(fieldAt(instance, ["spec", "location"]));
      const given = fieldAt(instance, ["spec", "networkInterfaces"]);
      if (location === undefined || !Array.isArray(given)) return done;
      const addresses: string[] = [];
      for (const [index, each] of given.entries()) {
        const network = referent(fieldAt(each, ["network"]), target.namespace);
        if (network === undefined) return done;
        const assigned = await assign(target.plane, instance, index, network, location);
        if (typeof assigned !== "string") {
          // One that has its addresses may run: its provider reports that.
          if (hasAddresses(instance)) return again(retryMs);
          await objects.setStatus(target, [{ type: "Available", status: "False", ...assigned }]);
          return again(retryMs);
        }
        addresses.push(assigned);
      }
      const fields = (old: KubeObject): JsonObject => ({
        networkInterfaces: addresses.map((networkIP, index): JsonObject => {
          const before = fieldAt(old, ["status", "networkInterfaces", index, "assignments"]);
          return { assignments: { ...(isJsonObject(before) ? before : {}), networkIP } };
        }),
      });
      await objects.setStatus(target, [], fields, instance);
      return done;
    },
  };
}

/** The address of each interface in its network, as far as it has one. */
function addressesOf(instance: KubeObject): Json[] {
  const interfaces = fieldAt(instance, ["spec", "networkInterfaces"]);
  if (!Array.isArray(interfaces)) return [];
  return interfaces.map((_, index) => {
    return fieldAt(instance, ["status", "networkInterfaces", index, "assignments", "networkIP"]) ?? null;
  });
}

/** Whether each interface has its address in its network. */
function hasAddresses(instance: KubeObject): boolean {
  return addressesOf(instance).every((address) => typeof address === "string");
}

interface NoAddress {
  readonly reason: string;
  readonly message: string;
}
