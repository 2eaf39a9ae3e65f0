import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { defaultNamespace, namespaceKind } from "../kinds/namespace.ts";
import { list } from "../resources/list.ts";
import type { ObjectStore } from "../store/object-store.ts";

const everything = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };
/** Written by clients that run, not by people. */
const transient = new Set(["Event", "Lease"]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The objects of a plane that people declare, in an order in which they can be applied: no object that a
 * controller made for another, and nothing that the server writes.
 *
 * @param serverAnnotations what controllers and providers note
 * @returns parts of the plane, the namespaces first
 */
export async function* declaredObjects(
  store: ObjectStore,
  kinds: readonly KindDefinition[],
  plane: Plane,
  serverAnnotations: readonly string[],
): AsyncGenerator<KubeObject> {
  const wanted = kinds.filter(
    (kind) =>
      kind.planes.includes(plane.type) &&
      kind.storedAs === undefined &&
      kind.fixedObjects === undefined &&
      !transient.has(kind.kind),
  );
  const isFirst = (kind: KindDefinition) => kind.kind === namespaceKind.kind && kind.group === "";
  for (const kind of [...wanted.filter(isFirst), ...wanted.filter((each) => !isFirst(each))]) {
    for await (const part of list(store, { plane, kind, namespace: undefined }, everything)) {
      for (const listed of part.objects) {
        const declared = declaredObject(listed.object(), serverAnnotations);
        if (declared !== undefined && !(isFirst(kind) && declared.metadata.name === defaultNamespace)) {
          yield declared;
        }
      }
    }
  }
}

/**
 * An object without what the server writes.
 *
 * @returns undefined if it has an owner, which has another uid elsewhere, or is being deleted
 */
export function declaredObject(
  object: KubeObject,
  serverAnnotations: readonly string[] = [],
): KubeObject | undefined {
  const { apiVersion, kind, metadata, status: _, ...rest } = object;
  const { name, namespace, labels, deletionTimestamp, ownerReferences = [] } = metadata;
  if (deletionTimestamp !== undefined || ownerReferences.length > 0) return undefined;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key !== lastApplied && !serverAnnotations.includes(key),
  );
  const kept = {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
  return { apiVersion, kind, metadata: kept, ...rest };
}
