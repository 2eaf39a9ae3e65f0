import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { type Condition, conditionOf, isTrue } from "../plane/conditions.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { uidOf } from "../plane/plane-object.ts";
import { type HeldWork, type Removal, workOnHeld } from "./held-object.ts";
import { holdOf, messageOf, type ProviderParts } from "./provider-parts.ts";

/**
 * Takes a NetworkContext over and says so, in four writes that a watch sees one by one. The runtime's network
 * is made with the first Subnet, which the server allocates only when the context is ready; it goes with the
 * last instance.
 */
export async function workOnContext(
  plane: FollowedPlane,
  key: string,
  parts: ProviderParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { networks, clock } = parts;
  const keep = async (held: PlaneObject): Promise<number | undefined> => {
    let context: PlaneObject | undefined = held;
    for (let step = nextCondition(held); step !== undefined; step = nextCondition(context)) {
      const condition = { ...step, message: messageOf(parts.runtime, step.message) };
      context = await plane.writer.condition(plane.contexts, context, condition, clock.nowMs(), signal);
      if (context === undefined) return 0;
    }
    return undefined;
  };
  const remove = async (context: PlaneObject): Promise<Removal> => {
    if (hasInstances(plane, context, parts)) return { againMs: undefined };
    await networks.remove(uidOf(context), signal);
    return { removed: context };
  };
  const work: HeldWork = {
    collection: plane.contexts,
    finalizer: "networking/network-provider",
    keep,
    remove,
  };
  return await workOnHeld(plane, key, parts, work, signal);
}

/** Whether this provider still has instances in a context's network. */
export function hasInstances(plane: FollowedPlane, context: PlaneObject, parts: ProviderParts): boolean {
  return plane.heldInstancesIn(context, holdOf(parts, "compute/instance-provider").finalizer);
}

/** The next step towards a ready context; undefined when it is. */
export function nextCondition(context: PlaneObject): Condition | undefined {
  const programmed = conditionOf(context, "Programmed")?.["reason"];
  if (!isTrue(context, "Programmed")) {
    return programmed === "ProgrammingInProgress"
      ? { type: "Programmed", status: "True", reason: "Programmed", message: "Network is programmed" }
      : {
          type: "Programmed",
          status: "False",
          reason: "ProgrammingInProgress",
          message: "Network is being programmed",
        };
  }
  if (isTrue(context, "Ready")) return undefined;
  return conditionOf(context, "Ready")?.["reason"] === "ProviderNetworkNotReady"
    ? { type: "Ready", status: "True", reason: "Ready", message: "Network context is ready" }
    : {
        type: "Ready",
        status: "False",
        reason: "ProviderNetworkNotReady",
        message: "The provider's network is not ready",
      };
}
