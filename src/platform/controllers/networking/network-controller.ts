import { createHash } from "node:crypto";
import { findCondition } from "../../../kube-server/api/conditions.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import {
  childObject,
  type JsonObject,
  type KubeObject,
  stringList,
} from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { createControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { type Controller, done } from "../../../kube-server/controllers/controller.ts";
import { createEventRecorder } from "../../../kube-server/controllers/events.ts";
import { waitsFor } from "../../../kube-server/controllers/in-use-controller.ts";
import { objectWork } from "../../../kube-server/controllers/work-items.ts";
import { keyOf } from "../../../kube-server/resources/target.ts";
import { networkFinalizer, networkKind } from "../../kinds/networking/network.ts";
import { networkBindingKind, networkOfBinding } from "../../kinds/networking/network-binding.ts";
import { networkContextKind, networkOfContext } from "../../kinds/networking/network-context.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { ipv6Pool, platformRanges } from "./block-allocation.ts";

const defaultIpv4Ranges = [platformRanges.IPv4];
const lastPrefix = 2 ** 28 - 1;
const component = "telemetryd-network-controller";
const namedUsers = 3;
/** Bindings and contexts that go together cause one look. */
const restMs = 500;

/**
 * Gives a network its ranges. On deletion, waits until no binding uses it, deletes its contexts and releases
 * what it holds.
 */
export function createNetworkController(options: PlatformControllerOptions): Controller {
  const { groupDomain, claims } = options;
  const kind = networkKind(groupDomain);
  const contextKind = networkContextKind(groupDomain);
  const bindingKind = networkBindingKind(groupDomain);
  const objects = createControlObjects(options, component);
  const events = createEventRecorder(options, component);

  const effectiveRanges = async (plane: Plane, network: KubeObject): Promise<JsonObject> => {
    const ipam = fieldAt(network, ["spec", "ipam"]);
    const given = {
      ipv4Ranges: stringList(fieldAt(ipam, ["ipv4Ranges"])),
      ipv6Ranges: stringList(fieldAt(ipam, ["ipv6Ranges"])),
    };
    if (fieldAt(ipam, ["mode"]) !== "Auto") return given;
    const ipv4Ranges = given.ipv4Ranges.length > 0 ? given.ipv4Ranges : defaultIpv4Ranges;
    if (given.ipv6Ranges.length > 0) return { ipv4Ranges, ipv6Ranges: given.ipv6Ranges };
    const owner = ownerOf(plane, network);
    const start = createHash("sha256").update(owner).digest().readUInt32BE() >>> 4;
    const ranges = [
      [start, lastPrefix],
      [0, start - 1],
    ] as const;
    const number = await claims.claimShared(ipv6Pool, owner, ranges);
    return { ipv4Ranges, ipv6Ranges: number === undefined ? [] : [ipv6Prefix(number)] };
  };

  return {
    kind,
    watches: [
      {
        kind: bindingKind,
        affects(binding, old) {
          const network = binding === undefined && old !== undefined ? networkOfBinding(old) : undefined;
          return network === undefined ? [] : [objectWork(kind, network.namespace, network.name)];
        },
      },
      {
        kind: contextKind,
        affects(context, old) {
          // A network that is being deleted waits for its contexts.
          const network = context === undefined && old !== undefined ? networkOfContext(old) : undefined;
          return network === undefined ? [] : [objectWork(kind, network.namespace, network.name)];
        },
      },
    ],
    async reconcile(target, network) {
      const { plane } = target;
      if (network.metadata.deletionTimestamp !== undefined) {
        const users = { reference: keyOf(target), kinds: [bindingKind, contextKind] };
        const found = await options.store.users(plane, users, namedUsers);
        const [bindings] = found;
        // Those who use the network keep its contexts, too.
        if (bindings?.count === 0) {
          for (const context of await objects.dependents(plane, keyOf(target), contextKind)) {
            const { namespace = "", name = "" } = context.metadata;
            await objects.delete({ plane, kind: contextKind, namespace, name }, context);
          }
        }
        const message = waitsFor(users, found);
        if (message !== undefined) {
          const isFirst = findCondition(network, "Ready")?.["reason"] !== "Terminating";
          await objects.setStatus(target, [
            { type: "Ready", status: "False", reason: "Terminating", message },
          ]);
          if (isFirst && bindings?.count !== 0) {
            await events.record(target, network, { type: "Warning", reason: "InUse", message });
          }
          return { done: true, restMs };
        }
        await claims.releaseShared(ipv6Pool, ownerOf(plane, network));
        await objects.dropFinalizer(target, networkFinalizer(groupDomain));
        return done;
      }
      const ranges = await effectiveRanges(plane, network);
      await objects.setStatus(
        target,
        [{ type: "Ready", status: "True", reason: "Ready", message: "Network is ready" }],
        (old) => ({ ipam: { ...childObject(old["status"], "ipam"), ...ranges } }),
      );
      return done;
    },
  };
}

/** Owner of a claim that all planes share. */
function ownerOf(plane: Plane, network: KubeObject): string {
  return `${plane.uid}/${network.metadata.uid ?? ""}`;
}

/** The /48 of a number of 28 bits in fd20::/20. */
function ipv6Prefix(number: number): string {
  return `fd20:${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}::/48`;
}
