import type { Clock } from "../../../base/core/clock.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { childObject, type KubeObject, stringList } from "../object.ts";
import { deleteObject } from "../resources/deletion.ts";
import { list } from "../resources/list.ts";
import { hasFinalizers } from "../resources/new-state.ts";
import type { Resources } from "../resources/resources.ts";
import type { Target } from "../resources/target.ts";
import { StatusError } from "../status.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { again, type Controller, done, type Reconciled } from "./controller.ts";

export interface NamespaceControllerOptions {
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
const everything = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };

/** Empties a namespace that is being deleted, then finalizes it. The store rejects new objects meanwhile. */
export function createNamespaceController(options: NamespaceControllerOptions): Controller {
  const { kinds, store, resources, clock } = options;

  /** Deletes the namespace's contents. @returns the number of objects still waiting for their finalizers */
  const empty = async (target: Target): Promise<number> => {
    let left = 0;
    for (const kind of kinds) {
      if (!kind.namespaced || !kind.planes.includes(target.plane.type)) continue;
      const selection = { plane: target.plane, kind, namespace: target.name };
      for await (const part of list(store, selection, everything)) {
        for (const listed of part.objects) {
          const name = listed.object().metadata.name ?? "";
          const inside = { plane: target.plane, kind, namespace: target.name, name };
          try {
            const result = await deleteObject(resources, inside, background, clock.nowMs());
            if (result.state === "deleting") left++;
          } catch (error) {
            // Already deleted.
            if (!(error instanceof StatusError && error.status.reason === "NotFound")) throw error;
          }
        }
      }
    }
    return left;
  };

  return {
    kind: "Namespace",
    async reconcile(target, namespace): Promise<Reconciled> {
      if (namespace.metadata.deletionTimestamp === undefined) return done;
      if ((await empty(target)) > 0) return again(1_000);
      const finalizers = stringList(childObject(namespace, "spec")?.["finalizers"]);
      const others = finalizers.filter((each) => each !== "kubernetes");
      const next: KubeObject = { ...namespace, spec: { finalizers: others } };
      const type = hasFinalizers(next) ? "MODIFIED" : "DELETED";
      const written = await resources.write(target, type, next, namespace);
      return written === undefined ? again(100) : done;
    },
  };
}
