import { isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";

/** Readers of an object's fields; a value of another type than expected counts as absent. */

export function textAt(object: unknown, ...path: (string | number)[]): string | undefined {
  const value = valueAt(object, path);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberAt(object: unknown, ...path: (string | number)[]): number | undefined {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : undefined;
}

/** The objects of a list. */
export function objectsAt(object: unknown, ...path: (string | number)[]): Record<string, unknown>[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textsAt(object: unknown, ...path: (string | number)[]): string[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** `namespace/name`. */
export function keyOf(object: PlaneObject): string {
  return nameKey(textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name"));
}

export function nameKey(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ""}/${name ?? ""}`;
}

export function namespaceOf(object: PlaneObject): string {
  return textAt(object, "metadata", "namespace") ?? "";
}

export function uidOf(object: PlaneObject): string {
  return textAt(object, "metadata", "uid") ?? "";
}

export function isDeleting(object: PlaneObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

export function annotationOf(object: PlaneObject, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}

export function finalizersOf(object: PlaneObject): string[] {
  return textsAt(object, "metadata", "finalizers");
}

/** The key of the Location that a spec names. */
export function locationKeyOf(object: PlaneObject): string {
  const location = valueAt(object, ["spec", "location"]);
  return nameKey(textAt(location, "namespace") ?? namespaceOf(object), textAt(location, "name"));
}
