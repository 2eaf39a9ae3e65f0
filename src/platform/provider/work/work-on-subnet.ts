import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { subnetBlock } from "../network/subnet-block.ts";
import { type Condition, isTrue } from "../plane/conditions.ts";
import { contextKeyOf, type FollowedPlane } from "../plane/followed-plane.ts";
import { isDeleting, uidOf } from "../plane/plane-object.ts";
import { RuntimeError } from "../runtime/runtime.ts";
import { type HeldWork, type Removal, workOnHeld } from "./held-object.ts";
import { messageOf, type ProviderParts } from "./provider-parts.ts";
import { hasInstances } from "./work-on-context.ts";

/** Until a network's other family is looked for again. */
const otherFamilyMs = 2_000;

/** Programs an allocated Subnet: its NetworkContext's network is made with the block. */
export async function workOnSubnet(
  plane: FollowedPlane,
  key: string,
  parts: ProviderParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { networks, clock } = parts;
  const contextOf = (subnet: PlaneObject) => plane.contexts.get(contextKeyOf(subnet));
  const set = async (object: PlaneObject, condition: Omit<Condition, "type">) =>
    await plane.writer.condition(
      plane.subnets,
      object,
      { type: "Programmed", ...condition, message: messageOf(parts.runtime, condition.message) },
      clock.nowMs(),
      signal,
    );
  const keep = async (held: PlaneObject): Promise<number | undefined> => {
    let subnet: PlaneObject | undefined = held;
    const context = contextOf(held);
    const block = subnetBlock(held, parts.runtime.networkRanges);
    if (block.kind === "invalid") {
      const { message } = block;
      return (await set(subnet, { status: "False", reason: "InvalidSubnet", message })) ? undefined : 0;
    }
    if (!isTrue(subnet, "Programmed")) {
      const message = "Subnet is being programmed";
      subnet = await set(subnet, { status: "False", reason: "ProgrammingInProgress", message });
      if (subnet === undefined) return 0;
    }
    if (block.kind !== "block" || context === undefined || isDeleting(context)) return undefined;
    try {
      if (!(await networks.ensure(plane, context, signal))) return otherFamilyMs;
    } catch (error) {
      if (error instanceof RuntimeError && error.outcome === "refused") {
        await set(subnet, { status: "False", reason: error.reason, message: error.shown });
      }
      throw error;
    }
    const programmed = { status: "True", reason: "Programmed", message: "Subnet is programmed" } as const;
    return (await set(subnet, programmed)) === undefined ? 0 : undefined;
  };
  const remove = async (subnet: PlaneObject): Promise<Removal> => {
    const context = contextOf(subnet);
    if (context === undefined) return { removed: subnet };
    if (hasInstances(plane, context, parts)) return { againMs: undefined };
    if (plane.subnetsOf(context).every(isDeleting)) await networks.remove(uidOf(context), signal);
    return { removed: subnet };
  };
  const work: HeldWork = {
    collection: plane.subnets,
    finalizer: "networking/subnet-provider",
    keep,
    remove,
  };
  return await workOnHeld(plane, key, parts, work, signal);
}
