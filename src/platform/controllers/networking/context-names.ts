import { createHash } from "node:crypto";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import type { ControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import {
  contextReference,
  locationOfContext,
  networkContextKind,
  networkOfContext,
} from "../../kinds/networking/network-context.ts";
import type { NamespacedName } from "../../kinds/references.ts";

/** Annotation of contexts that go when they are no longer used. */
export function createdByAnnotation(groupDomain: string): string {
  return `networking.${groupDomain}/created-by`;
}

/** The context of a network at a location; undefined if there is none. */
export async function findContext(
  objects: ControlObjects,
  groupDomain: string,
  plane: Plane,
  network: NamespacedName,
  location: NamespacedName,
): Promise<KubeObject | undefined> {
  const kind = networkContextKind(groupDomain);
  const found = await objects.dependents(plane, contextReference(network, location), kind);
  return found[0];
}

/** Whether a context is that of the network at the location. */
export function isContextOf(context: KubeObject, network: NamespacedName, location: NamespacedName): boolean {
  const [of, at] = [networkOfContext(context), locationOfContext(context)];
  if (of === undefined || at === undefined) return false;
  return contextReference(of, at) === contextReference(network, location);
}

/**
 * Names for the context of a network at a location: the first that no other context has. `a-b` at `c` and
 * `a` at `b-c` would share the plain one.
 */
export function contextNames(network: NamespacedName, location: NamespacedName): readonly [string, string] {
  const plain = `${network.name}-${location.namespace}-${location.name}`;
  const identity = `${network.name}/${location.namespace}/${location.name}`;
  const suffix = createHash("sha256").update(identity).digest("hex").slice(0, 8);
  return [plain.slice(0, 253), `${plain.slice(0, 244)}-${suffix}`];
}
