import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { Collection } from "../plane/collection.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { finalizersOf, isDeleting } from "../plane/plane-object.ts";
import { type Finalizer, holdOf, type ProviderParts } from "./provider-parts.ts";

/** Work on the objects of a kind that stay until what was made for them is removed. */
export interface HeldWork {
  readonly collection: Collection;
  readonly finalizer: Finalizer;
  /** Takes the next step of an object that stays. @returns after how many ms again */
  keep(object: PlaneObject): Promise<number | undefined>;
  /** Takes the next step of an object that is being deleted. */
  remove(object: PlaneObject): Promise<Removal>;
}

/** `removed`: the object as it is now can go. Otherwise the step is taken again after so many ms, or with a change. */
export type Removal =
  | { readonly removed: PlaneObject }
  | { readonly removed?: never; readonly againMs: number | undefined };

/** Holds this provider's objects by its finalizer, and lets go of those that it has removed. */
export async function workOnHeld(
  plane: FollowedPlane,
  key: string,
  parts: ProviderParts,
  { collection, finalizer, keep, remove }: HeldWork,
  signal: AbortSignal,
): Promise<number | undefined> {
  const found = collection.get(key);
  if (found === undefined) return undefined;
  const ownership = plane.ownership(found);
  const hold = holdOf(parts, finalizer);
  if (isDeleting(found)) {
    if (!finalizersOf(found).includes(hold.finalizer) || ownership === "other") return undefined;
    const removal = await remove(found);
    if (removal.removed === undefined) return removal.againMs;
    const released = await plane.writer.release(collection, removal.removed, hold, signal);
    return released === undefined ? 0 : undefined;
  }
  if (ownership !== "own") return undefined;
  const held = await plane.writer.hold(collection, found, hold, signal);
  return held === undefined ? 0 : await keep(held);
}
