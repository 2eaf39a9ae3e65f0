import type { KindDefinition } from "../kinds/kind.ts";
import type { Plane } from "../plane.ts";
import { objectKey } from "../store/keys.ts";
import type { FieldValidation } from "./admission.ts";

/** Where an object is or will be. `namespace` is "" for cluster scope, `name` "" for one that is to be named. */
export interface Target {
  readonly plane: Plane;
  readonly kind: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
  /** "" for the object itself. */
  readonly subresource: "" | "status";
  /** The server's own controllers write: they alone take the server's finalizers away, and no quota binds them. */
  readonly byServer?: true;
}

/** The object's key in the store. */
export function keyOf(target: Target): string {
  return objectKey(target.kind, target.namespace, target.name);
}
