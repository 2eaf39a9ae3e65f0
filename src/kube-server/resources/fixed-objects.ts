import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { PlaneGoneError } from "../api/status.ts";
import { selectsObject } from "../api/traits.ts";
import { defaultNamespace, namespaceKind } from "../kinds/namespace.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import type { ListPart, Selection } from "./list.ts";

/**
 * The objects of a kind that are part of the program; undefined for other kinds. They are in a plane since it
 * was created, with its first namespace, which cannot be deleted.
 */
export async function fixedObjects(
  store: Pick<ObjectStore, "get">,
  plane: Plane,
  kind: KindDefinition,
): Promise<readonly KubeObject[] | undefined> {
  if (kind.fixedObjects === undefined) return undefined;
  const first = await store.get(plane, objectKey(namespaceKind, "", defaultNamespace));
  if (first === undefined) throw new PlaneGoneError();
  return kind.fixedObjects(plane.type, parseStored(first).metadata.creationTimestamp ?? "");
}

/** The objects that are part of the program, in one part, with a version from which a watch can begin. */
export async function* fixedList(
  store: ObjectStore,
  { plane, kind, selector }: Selection,
): AsyncGenerator<ListPart> {
  const resourceVersion = await store.newestVersion(plane);
  if (resourceVersion === undefined) throw new PlaneGoneError();
  const selected = ((await fixedObjects(store, plane, kind)) ?? []).filter(
    (object) => selector === undefined || selectsObject(selector, object, kind),
  );
  const objects = selected.map((object) => ({ json: JSON.stringify(object), object: () => object }));
  yield { resourceVersion, objects, end: {} };
}
