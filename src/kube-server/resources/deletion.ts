import { singularOf } from "../api/kind.ts";
import { cloneJson, type KubeObject } from "../api/object.ts";
import { conflict, forbidden, modifiedMessage } from "../api/status.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import type { DeleteOptions, Propagation } from "./delete-options.ts";
import { hasFinalizers } from "./new-state.ts";
import type { Resources } from "./resources.ts";
import type { Target } from "./target.ts";

/** `deleting`: the object stays until its finalizers are removed. */
export interface DeletionResult {
  readonly state: "deleted" | "deleting";
  readonly object: KubeObject;
}

/** Garbage collector finalizers: dependents are deleted first, or orphaned. */
export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Deletes an object: at once, or as soon as its finalizers are removed and nothing uses it. */
export async function deleteObject(
  resources: Resources,
  target: Target,
  options: DeleteOptions,
  nowMs: number,
): Promise<DeletionResult> {
  if (target.kind.undeletable?.includes(target.name) === true) {
    throw forbidden(target.kind, target.name, `this ${singularOf(target.kind)} may not be deleted`);
  }
  for (let attempt = 1; ; attempt++) {
    const old = await resources.get(target);
    checkPreconditions(old, target, options);
    const marked = markedForDeletion(old, options.propagation, nowMs);
    const next = hasFinalizers(marked) ? marked : await resources.heldIfUsed(target, marked);
    const isDeleted = !hasFinalizers(next);
    const state = isDeleted ? "deleted" : "deleting";
    const isUnchanged = !isDeleted && JSON.stringify(next) === JSON.stringify(old);
    if (options.dryRun || isUnchanged) return { state, object: isDeleted ? old : next };
    // A deleted object is written in its last state: it was never terminating.
    const written = await resources.write(
      target,
      isDeleted ? "DELETED" : "MODIFIED",
      isDeleted ? old : next,
      old,
    );
    if (written !== undefined) return { state, object: written };
    if (options.resourceVersion !== undefined || attempt >= 8) {
      throw conflict(target.kind, target.name, modifiedMessage);
    }
  }
}

function checkPreconditions(object: KubeObject, target: Target, options: DeleteOptions): void {
  const { uid = "", resourceVersion = "" } = object.metadata;
  // The API server names a custom kind here, in place of its resource.
  const subject = target.kind.builtIn ? target.kind : { ...target.kind, plural: target.kind.kind };
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, target.name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(subject, target.name, why);
  }
}

/** The object with its deletion requested. Pure. */
export function markedForDeletion(
  old: KubeObject,
  propagation: Propagation | undefined,
  nowMs: number,
): KubeObject {
  const next = cloneJson(old);
  const kept = (old.metadata.finalizers ?? []).filter(
    (each) => propagation === undefined || (each !== foregroundFinalizer && each !== orphanFinalizer),
  );
  if (propagation === "Foreground") kept.push(foregroundFinalizer);
  if (propagation === "Orphan") kept.push(orphanFinalizer);
  if (kept.length > 0) next.metadata.finalizers = kept;
  else delete next.metadata.finalizers;
  if (old.metadata.deletionTimestamp !== undefined) return next;
  next.metadata.deletionTimestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  next.metadata.deletionGracePeriodSeconds = 0;
  if (next.metadata.generation !== undefined) next.metadata.generation++;
  if (next.kind === namespaceKind.kind) next["status"] = { phase: "Terminating" };
  return next;
}
