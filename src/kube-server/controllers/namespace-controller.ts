import { childObject, type KubeObject, stringList } from "../api/object.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { hasFinalizers } from "../resources/new-state.ts";
import { again, type Controller, done, type Reconciled } from "./controller.ts";
import { deleteContent, type PlaneContentOptions } from "./plane-content.ts";

/** Empties a namespace that is being deleted, then finalizes it. The store rejects new objects meanwhile. */
export function createNamespaceController(options: PlaneContentOptions): Controller {
  return {
    kind: namespaceKind,
    async reconcile(target, namespace): Promise<Reconciled> {
      if (namespace.metadata.deletionTimestamp === undefined) return done;
      if ((await deleteContent(options, target.plane, target.name)).size > 0) return again(1_000);
      const finalizers = stringList(childObject(namespace, "spec")?.["finalizers"]);
      const others = finalizers.filter((each) => each !== "kubernetes");
      const next: KubeObject = { ...namespace, spec: { finalizers: others } };
      const type = hasFinalizers(next) ? "MODIFIED" : "DELETED";
      const written = await options.resources.write(target, type, next, namespace);
      return written === undefined ? again(100) : done;
    },
  };
}
