import { instanceKind } from "../../kinds/compute/instance.ts";
import { fieldAt } from "../../kinds/fields.ts";
import { parseCidr } from "../../kinds/networking/cidr.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import { type NamespacedName, referent } from "../../kinds/references.ts";
import { isJsonObject, type JsonObject, type KubeObject } from "../../object.ts";
import type { Plane } from "../../plane.ts";
import { createControlObjects, type PlatformControllerOptions } from "../control-objects.ts";
import { again, type Controller, done } from "../controller.ts";
import { addressText } from "../networking/block-allocation.ts";
import { findContext } from "../networking/context-names.ts";

const retryMs = 5_000;
/** The first addresses of a subnet are the network's and the gateway's; the last two are left free. */
const firstHost = 2;
const lastFree = 2;
/** More addresses than instances ever have in one subnet. */
const maxHost = 2 ** 20;

/** Gives each interface of an instance the lowest free address of its subnet. All else is the provider's. */
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
    const { startAddress, prefixLength } = fieldsOf(subnet);
    const block = parseCidr(`${startAddress}/${prefixLength}`);
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
    const message = `subnet ${name}-0 (${startAddress}/${prefixLength}) has no free address`;
    return { reason: "AddressesUsedUp", message };
  };

  return {
    kind: instanceKind(groupDomain),
    ignores(object, old) {
      return object.metadata.generation === old.metadata.generation && hasAddresses(object);
    },
    async reconcile(target, instance) {
      if (instance.metadata.deletionTimestamp !== undefined) return done;
      const location = referent(fieldAt(instance, ["spec", "location"]));
      const given = fieldAt(instance, ["spec", "networkInterfaces"]);
      if (location === undefined || !Array.isArray(given)) return done;
      const known = fieldAt(instance, ["status", "networkInterfaces"]);
      const addresses: string[] = [];
      for (const [index, each] of given.entries()) {
        const address = fieldAt(known, [index, "assignments", "networkIP"]);
        if (typeof address === "string") {
          addresses.push(address);
          continue;
        }
        const network = referent(fieldAt(each, ["network"]), target.namespace);
        if (network === undefined) return done;
        const assigned = await assign(target.plane, instance, index, network, location);
        if (typeof assigned !== "string") {
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

/** Whether each interface has its address in its network. */
function hasAddresses(instance: KubeObject): boolean {
  const interfaces = fieldAt(instance, ["spec", "networkInterfaces"]);
  if (!Array.isArray(interfaces)) return true;
  return interfaces.every((_, index) => {
    const address = ["status", "networkInterfaces", index, "assignments", "networkIP"];
    return typeof fieldAt(instance, address) === "string";
  });
}

interface NoAddress {
  readonly reason: string;
  readonly message: string;
}

function fieldsOf(subnet: KubeObject | undefined): { startAddress: string; prefixLength: number } {
  return {
    startAddress: String(fieldAt(subnet, ["spec", "startAddress"]) ?? ""),
    prefixLength: Number(fieldAt(subnet, ["spec", "prefixLength"]) ?? 0),
  };
}
