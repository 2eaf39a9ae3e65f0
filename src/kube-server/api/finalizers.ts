import type { KindDefinition } from "./kind.ts";

/**
 * A kind's `prepare` that sets a finalizer at creation: an object never disappears before its controller has
 * removed what belongs to it.
 */
export function finalizedFromCreation(finalizer: string): NonNullable<KindDefinition["prepare"]> {
  return ({ metadata }, old) => {
    if (old !== undefined) return;
    metadata.finalizers = [...new Set(metadata.finalizers).add(finalizer)];
  };
}
