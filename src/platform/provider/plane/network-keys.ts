import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { locationKeyOf, nameKey, namespaceOf, objectsAt, textAt } from "./plane-object.ts";

/** The keys of an Instance's networks at its location, in the order of its interfaces. */
export function networkKeys(instance: PlaneObject): string[] {
  return objectsAt(instance, "spec", "networkInterfaces").map(({ network }) => {
    const namespace = textAt(network, "namespace") ?? namespaceOf(instance);
    return networkKey(nameKey(namespace, textAt(network, "name")), locationKeyOf(instance));
  });
}

/** Of a NetworkContext. */
export function networkKeyOf(context: PlaneObject): string {
  const network = nameKey(namespaceOf(context), textAt(context, "spec", "network", "name"));
  return networkKey(network, locationKeyOf(context));
}

function networkKey(network: string, location: string): string {
  return `${network} at ${location}`;
}
