import type { FaultList } from "../../kube-server/api/fault-list.ts";
import type { KindDefinition } from "../../kube-server/api/kind.ts";
import { nameFault } from "../../kube-server/api/metadata.ts";
import { isJsonObject, type Json, type KubeObject, sameJson } from "../../kube-server/api/object.ts";
import { objectField, type Schema, textField } from "../../kube-server/api/schema.ts";
import { invalidValue, requiredValue } from "../../kube-server/api/validate.ts";
import { objectKey, type StoredKind } from "../../kube-server/store/keys.ts";

/** The name of another object in a spec or status: `{name, namespace}`. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Schema of a name in the object's own namespace. */
export function localReference(description: string, referent: string): Schema {
  return objectField(description, ["name"], { name: textField(`Name of the ${referent}.`) });
}

/** Schema of a name with its namespace, both required. */
export function fullReference(description: string, referent: string): Schema {
  return objectField(description, ["name", "namespace"], {
    name: textField(`Name of the ${referent}.`),
    namespace: textField(`Namespace of the ${referent}.`),
  });
}

/** Schema of a name with an optional namespace. @param fallback the namespace if there is none */
export function openReference(description: string, referent: string, fallback: string): Schema {
  return objectField(description, ["name"], {
    name: textField(`Name of the ${referent}.`),
    namespace: textField(`Namespace of the ${referent}. Defaults to ${fallback}.`),
  });
}

/**
 * The object that a reference names.
 *
 * @param fallback namespace if the reference has none
 * @returns undefined if the value does not name an object
 */
export function referent(value: Json | undefined, fallback = ""): NamespacedName | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, namespace = fallback } = value;
  return isObjectName(name) && isObjectName(namespace) ? { namespace, name } : undefined;
}

function isObjectName(value: Json | undefined): value is string {
  return typeof value === "string" && nameFault(value, "subdomain") === undefined;
}

/** Checks the names in a reference. @param nameRule of the referent's kind */
export function checkReference(
  value: Json | undefined,
  path: string,
  nameRule: KindDefinition["nameRule"],
  faults: FaultList,
): void {
  if (!isJsonObject(value)) return;
  const { name, namespace } = value;
  checkName(name, `${path}.name`, nameRule, faults);
  if (namespace !== undefined) checkName(namespace, `${path}.namespace`, "label", faults);
}

/** Checks a name that is required. */
export function checkName(
  value: Json | undefined,
  path: string,
  rule: KindDefinition["nameRule"],
  faults: FaultList,
): void {
  if (typeof value !== "string" || value === "") {
    faults.add(requiredValue(path));
    return;
  }
  const fault = nameFault(value, rule);
  if (fault !== undefined) faults.add(invalidValue(path, value, fault));
}

/** Rejects changes of the fields of `spec`. */
export function checkImmutableSpec(object: KubeObject, old: KubeObject | undefined, faults: FaultList): void {
  if (old === undefined) return;
  const before = isJsonObject(old["spec"]) ? old["spec"] : {};
  const after = isJsonObject(object["spec"]) ? object["spec"] : {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (sameJson(before[name], after[name])) continue;
    faults.add(invalidValue(`spec.${name}`, after[name] ?? null, "field is immutable"));
  }
}

/** Keys of the objects that are named. */
export function keysOf(
  objects: readonly (readonly [kind: StoredKind, object: NamespacedName | undefined])[],
): string[] {
  return objects.flatMap(([kind, object]) =>
    object === undefined ? [] : [objectKey(kind, object.namespace, object.name)],
  );
}
