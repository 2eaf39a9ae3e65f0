import type { KindDefinition } from "../kinds/kind.ts";
import type { KubeObject } from "../object.ts";
import type { Target } from "../resources/target.ts";

/** What a controller has made of an object: done until it changes again, or to be looked at again after some ms. */
export type Reconciled = { readonly done: true } | { readonly done: false; readonly againMs: number };

export const done: Reconciled = { done: true };
export const again = (againMs: number): Reconciled => ({ done: false, againMs });

/** Brings about what the objects of one kind declare. One object is never at work twice at once. */
export interface Controller {
  /** The kind whose objects it wants to see, at every change of theirs. */
  readonly kind: KindDefinition["kind"];
  reconcile(target: Target, object: KubeObject, signal: AbortSignal): Promise<Reconciled>;
}
