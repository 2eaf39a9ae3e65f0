import { childObject, type JsonObject, type KubeObject, sameJson, stringList } from "../api/object.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { hasFinalizers } from "../resources/new-state.ts";
import { conditionsOf, timeText, withCondition } from "./conditions.ts";
import { again, type Controller, done, type Reconciled } from "./controller.ts";
import { deleteContent, type PlaneContentOptions, type RemainingContent } from "./plane-content.ts";

/**
 * Empties a namespace that is being deleted, then finalizes it. Meanwhile, its conditions say what remains,
 * and the store rejects new objects.
 */
export function createNamespaceController(options: PlaneContentOptions): Controller {
  return {
    kind: namespaceKind,
    async reconcile(target, namespace): Promise<Reconciled> {
      if (namespace.metadata.deletionTimestamp === undefined) return done;
      const left = await deleteContent(options, target.plane, target.name);
      const conditions = remainingConditions(namespace, left, timeText(options.clock.nowMs()));
      const status = { ...childObject(namespace, "status"), conditions };
      if (left !== undefined) {
        if (!sameJson(conditions, conditionsOf(namespace))) {
          await options.resources.write(target, "MODIFIED", { ...namespace, status }, namespace);
        }
        return again(1_000);
      }
      const finalizers = stringList(childObject(namespace, "spec")?.["finalizers"]);
      const others = finalizers.filter((each) => each !== "kubernetes");
      const next: KubeObject = { ...namespace, spec: { finalizers: others }, status };
      const type = hasFinalizers(next) ? "MODIFIED" : "DELETED";
      const written = await options.resources.write(target, type, next, namespace);
      return written === undefined ? again(100) : done;
    },
  };
}

/** In the words of Kubernetes' namespace controller. A namespace has no generation to observe. */
function remainingConditions(
  namespace: KubeObject,
  left: RemainingContent | undefined,
  now: string,
): JsonObject[] {
  const content = counted(left?.resources, (name, count) => `${name} has ${count} resource instances`);
  const finalizers = counted(left?.finalizers, (name, count) => `${name} in ${count} resource instances`);
  const wanted = [
    content === ""
      ? condition("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : condition(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${content}`,
        ),
    finalizers === ""
      ? condition(
          "NamespaceFinalizersRemaining",
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        )
      : condition(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${finalizers}`,
        ),
  ];
  let list = conditionsOf(namespace);
  for (const each of wanted) list = withCondition(list, each, 0, now);
  return list.map(({ observedGeneration: _, ...each }) => each);
}

function condition(type: string, reason: string, message: string) {
  return { type, status: reason.startsWith("Some") ? "True" : "False", reason, message } as const;
}

function counted(
  counts: ReadonlyMap<string, number> | undefined,
  text: (name: string, count: number) => string,
): string {
  return [...(counts ?? [])]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => text(name, count))
    .join(", ");
}
