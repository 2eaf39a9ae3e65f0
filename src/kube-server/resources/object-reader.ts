import type { KindDefinition, ObjectReader } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { invalid, qualifiedPlural, tooLarge } from "../api/status.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseServed } from "../store/stored-object.ts";
import { type ListedObject, list } from "./list.ts";

/** Many requests may read at once, and a tenant decides how much there is. */
const maxListedBytes = 4 * 2 ** 20;

/** Reads a plane's objects in parts, so other requests are served in between. */
export function createObjectReader(store: ObjectStore, plane: Plane): ObjectReader {
  async function* listed(kind: KindDefinition, namespace: string | undefined): AsyncGenerator<ListedObject> {
    const options = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };
    for await (const part of list(store, { plane, kind, namespace }, options)) yield* part.objects;
  }

  return {
    async get(kind, namespace, name) {
      const json = await store.get(plane, objectKey(kind, kind.namespaced ? namespace : "", name));
      return json === undefined ? undefined : parseServed(json, kind);
    },
    async *each(kind, namespace) {
      for await (const { object } of listed(kind, namespace)) yield object();
    },
    async list(kind, namespace) {
      const objects: KubeObject[] = [];
      let bytes = 0;
      for await (const { json, object } of listed(kind, namespace)) {
        bytes += Buffer.byteLength(json);
        if (bytes > maxListedBytes) throw tooMuchToCheck(kind);
        objects.push(object());
      }
      return objects;
    },
  };
}

function tooMuchToCheck(kind: KindDefinition) {
  const what = `${qualifiedPlural(kind)} that this change must be checked against`;
  return tooLarge(`the ${what} are larger than ${maxListedBytes / 2 ** 20} MiB in total; delete some`);
}

/**
 * Validates an object against the others of its plane; see `KindDefinition.admit`.
 *
 * @param old the object before the change; absent on creation
 * @throws StatusError 422
 */
export async function checkOthers(
  object: KubeObject,
  old: KubeObject | undefined,
  kind: KindDefinition,
  reader: ObjectReader,
): Promise<void> {
  const faults = (await kind.admit?.(object, old, reader)) ?? [];
  if (faults.length > 0) throw invalid(kind, object.metadata.name ?? "", faults);
}
