import { type GroupKind, isSameKind, type KindDefinition } from "../api/kind.ts";
import { type Json, type KubeObject, sameJson } from "../api/object.ts";
import { keyOf, type Target } from "../resources/target.ts";
import { objectKey, type StoredKind } from "../store/keys.ts";
import type { Controller } from "./controller.ts";

/**
 * Work of the controllers, as the queue in the store holds it. Reconcile one object (its key): `object
 * secrets/default/a`; reconcile the objects that refer to something (see `KindDefinition.references`):
 * `referrers <reference>`; collect the dependents of an object that is gone: `owner-gone <uid>`.
 */
export type WorkItem =
  | { readonly what: "object"; readonly key: string }
  | { readonly what: "referrers"; readonly reference: string }
  | { readonly what: "owner-gone"; readonly uid: string };

export function parseWorkItem(item: string): WorkItem | undefined {
  const space = item.indexOf(" ");
  const [what, subject] = [item.slice(0, space), item.slice(space + 1)];
  if (what === "object") return { what, key: subject };
  if (what === "referrers") return { what, reference: subject };
  if (what === "owner-gone") return { what, uid: subject };
  return undefined;
}

export function objectWork(kind: StoredKind, namespace: string, name: string): string {
  return `object ${objectKey(kind, namespace, name)}`;
}

/** Work for all objects that refer to an object, or to another word. */
export function referrersWork(reference: string): string {
  return `referrers ${reference}`;
}

export function ownerGoneWork(uid: string): string {
  return `owner-gone ${uid}`;
}

/** Work for the object of this kind that controls the object (`ownerReferences` with `controller: true`). */
export function controllerWork(owner: KindDefinition, object: KubeObject | undefined): readonly string[] {
  const reference = controllerOf(object, owner);
  if (object === undefined || reference === undefined) return [];
  return [objectWork(owner, owner.namespaced ? (object.metadata.namespace ?? "") : "", reference)];
}

/**
 * {@link controllerWork} of a change that concerns the owner: creation, deletion, another spec or owner, or
 * another value of what the owner sees in the status.
 */
export function ownersWork(
  owner: KindDefinition,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
  seen: (object: KubeObject) => Json,
): readonly string[] {
  const parts = ({ metadata }: KubeObject): Json => [
    metadata.generation ?? null,
    metadata.deletionTimestamp ?? null,
    metadata.ownerReferences ?? null,
  ];
  const isSame =
    object !== undefined &&
    old !== undefined &&
    sameJson(parts(object), parts(old)) &&
    sameJson(seen(object), seen(old));
  return isSame ? [] : controllerWork(owner, object ?? old);
}

/** Name of the object of this kind that controls the object. */
function controllerOf(object: KubeObject | undefined, { group, kind }: GroupKind): string | undefined {
  for (const owner of object?.metadata.ownerReferences ?? []) {
    const [ownerGroup = ""] = String(owner["apiVersion"]).split("/");
    if (owner["controller"] !== true || owner["kind"] !== kind || ownerGroup !== group) continue;
    return String(owner["name"]);
  }
  return undefined;
}

/**
 * Work that a change causes: for the garbage collector, for the kind's controller, and for the controllers
 * that watch the kind.
 *
 * @param object absent for a deletion
 * @param old absent for a creation
 */
export function workOf(
  controllers: readonly Controller[],
  target: Target,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): readonly string[] {
  const items = new Set<string>();
  const kind = target.kind.storedAs ?? target.kind;
  if (object === undefined) items.add(ownerGoneWork(old?.metadata.uid ?? ""));
  else if (concernsItself(controllers, kind, object, old)) items.add(`object ${keyOf(target)}`);
  for (const { watches = [] } of controllers) {
    for (const watch of watches) {
      if (!isSameKind(watch.kind, kind)) continue;
      for (const item of watch.affects(object, old)) items.add(item);
    }
  }
  return [...items];
}

function concernsItself(
  controllers: readonly Controller[],
  kind: KindDefinition,
  object: KubeObject,
  old: KubeObject | undefined,
): boolean {
  const [before, after] = [old?.metadata.ownerReferences ?? [], object.metadata.ownerReferences ?? []];
  if (object.metadata.deletionTimestamp !== undefined || !sameJson(before, after)) return true;
  const controller = controllers.find((each) => isSameKind(each.kind, kind));
  if (controller === undefined) return false;
  return old === undefined || controller.ignores?.(object, old) !== true;
}
