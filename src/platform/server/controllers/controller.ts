import type { KindDefinition } from "../kinds/kind.ts";
import type { KubeObject } from "../object.ts";
import type { Target } from "../resources/target.ts";

/** Result of a reconciliation: done until the next change, or to be repeated after some ms. */
export type Reconciled = { readonly done: true } | { readonly done: false; readonly againMs: number };

export const done: Reconciled = { done: true };
export const again = (againMs: number): Reconciled => ({ done: false, againMs });

/** Reconciles the objects of one kind. Never runs twice at once for the same object. */
export interface Controller {
  /** Kind to reconcile, on every change. */
  readonly kind: KindDefinition["kind"];
  reconcile(target: Target, object: KubeObject, signal: AbortSignal): Promise<Reconciled>;
}
