import type { GroupKind } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import type { Target } from "../resources/target.ts";

/**
 * Result of a reconciliation: done until the next change (which is not looked at before `restMs` have
 * passed), or to be repeated after some ms.
 */
export type Reconciled =
  | { readonly done: true; readonly restMs?: number }
  | { readonly done: false; readonly againMs: number };

export const done: Reconciled = { done: true };
export const again = (againMs: number): Reconciled => ({ done: false, againMs });

/** Reconciles the objects of one kind. Never runs twice at once for the same object. */
export interface Controller {
  /** Kind to reconcile. */
  readonly kind: GroupKind;
  /**
   * Whether a change of an object, which is not being deleted, concerns only others, such as the status that
   * a provider writes. Absent: every change is reconciled.
   */
  ignores?(object: KubeObject, old: KubeObject): boolean;
  /** Other kinds whose changes concern objects of {@link kind}. */
  readonly watches?: readonly Watch[];
  reconcile(target: Target, object: KubeObject, signal: AbortSignal): Promise<Reconciled>;
}

/** Work caused by the changes of a kind. */
export interface Watch {
  readonly kind: GroupKind;
  /**
   * Work items (see `work-items.ts`), written atomically with the change: hence pure and fast.
   *
   * @param old absent on creation
   * @param object absent on deletion
   */
  affects(object: KubeObject | undefined, old: KubeObject | undefined): readonly string[];
}
