import type { KindDefinition } from "../api/kind.ts";
import type { Plane } from "../api/plane.ts";
import type { Role } from "../api/roles.ts";
import type { Users } from "../store/commit.ts";
import { objectKey, useReference } from "../store/keys.ts";
import type { FieldValidation } from "./admission.ts";

/** Location of an object. `namespace` is "" for cluster scope; `name` is "" if it is to be generated. */
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
  /** Empty for the object itself. */
  readonly subresource: "" | "status";
  /** Of the caller, `member` by default. */
  readonly role?: Role;
  /** Write by the server's own controllers: they may remove server finalizers. */
  readonly byServer?: true;
  /** No quota refuses the write, which is counted all the same: what a controller needs to finish its work. */
  readonly isExempt?: true;
}

/** Options of objects that the server's controllers make for a tenant. @param fieldManager the controller's name */
export function serverObjects(fieldManager: string): WriteOptions {
  return { dryRun: false, fieldValidation: "Ignore", fieldManager, subresource: "", byServer: true };
}

/** Options of the server's other writes, such as conditions and finalizers. @param fieldManager as above */
export function serverWrites(fieldManager: string): WriteOptions {
  return { ...serverObjects(fieldManager), isExempt: true };
}

/** The object's key in the store. */
export function keyOf(target: Target): string {
  return objectKey(target.kind, target.namespace, target.name);
}

/** Those that keep the object from going, see `KindDefinition.usedBy`; undefined if its kind has none. */
export function usersOf(target: Target): Users | undefined {
  const { usedBy } = target.kind;
  return usedBy && { reference: useReference(keyOf(target)), kinds: usedBy.kinds };
}
