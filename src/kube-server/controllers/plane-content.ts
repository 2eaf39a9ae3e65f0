import type { Clock } from "../../base/core/clock.ts";
import type { KindDefinition } from "../api/kind.ts";
import { type KubeObject, stringList } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { qualifiedPlural, StatusError } from "../api/status.ts";
import { defaultNamespace, namespaceKind } from "../kinds/namespace.ts";
import { deleteObject } from "../resources/deletion.ts";
import { list } from "../resources/list.ts";
import type { Resources } from "../resources/resources.ts";
import { serverWrites, type Target } from "../resources/target.ts";
import type { ObjectStore } from "../store/object-store.ts";

export interface PlaneContentOptions {
  readonly kinds: readonly KindDefinition[];
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly clock: Clock;
}

const background = {
  dryRun: false,
  propagation: "Background",
  uid: undefined,
  resourceVersion: undefined,
} as const;
const writeOptions = serverWrites("plane-controller");
const everything = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };

/** Objects that wait for their finalizers: by kind, by resource, and by finalizer. */
export interface RemainingContent {
  readonly kinds: Map<string, number>;
  readonly resources: Map<string, number>;
  readonly finalizers: Map<string, number>;
}

/**
 * Deletes the objects of a namespace, or of all namespaces; those of kinds that are `deletedLast` once the
 * others are gone.
 *
 * @returns how many objects wait for their finalizers; undefined when all are gone
 */
export async function deleteContent(
  options: PlaneContentOptions,
  plane: Plane,
  namespace: string | undefined,
): Promise<RemainingContent | undefined> {
  const kinds = options.kinds.filter(
    (kind) => kind.namespaced && kind.planes.includes(plane.type) && kind.storedAs === undefined,
  );
  const first = kinds.filter((kind) => kind.deletedLast !== true);
  const left = await deleteKinds(options, plane, namespace, first);
  if (left !== undefined) return left;
  return await deleteKinds(
    options,
    plane,
    namespace,
    kinds.filter((kind) => kind.deletedLast === true),
  );
}

async function deleteKinds(
  { store, resources, clock }: PlaneContentOptions,
  plane: Plane,
  namespace: string | undefined,
  kinds: readonly KindDefinition[],
): Promise<RemainingContent | undefined> {
  const left: RemainingContent = { kinds: new Map(), resources: new Map(), finalizers: new Map() };
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const kind of kinds) {
    for await (const part of list(store, { plane, kind, namespace }, everything)) {
      for (const listed of part.objects) {
        const { name = "", namespace: inside = "" } = listed.object().metadata;
        const target = { plane, kind, namespace: inside, name };
        try {
          const { state, object } = await deleteObject(resources, target, background, clock.nowMs());
          if (state !== "deleting") continue;
          add(left.kinds, kind.kind);
          add(left.resources, qualifiedPlural(kind));
          for (const each of new Set(stringList(object.metadata.finalizers))) add(left.finalizers, each);
        } catch (error) {
          // Already deleted.
          if (!(error instanceof StatusError && error.status.reason === "NotFound")) throw error;
        }
      }
    }
  }
  return left.kinds.size === 0 ? undefined : left;
}

/** Creates a plane with its first namespace; does nothing if it exists. */
export async function establishPlane(plane: Plane, store: ObjectStore, resources: Resources): Promise<void> {
  await store.createPlane(plane);
  const target: Target = { plane, kind: namespaceKind, namespace: "", name: defaultNamespace };
  const body: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: defaultNamespace } };
  try {
    await resources.create(target, body, undefined, writeOptions);
  } catch (error) {
    if (!(error instanceof StatusError && error.status.reason === "AlreadyExists")) throw error;
  }
}
