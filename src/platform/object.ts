/** A JSON value, as requests carry it and the store keeps it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [field: string]: Json;
}

/** `metadata` of an object (meta/v1 ObjectMeta), with the fields that the server itself reads or writes. */
export interface ObjectMeta extends JsonObject {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  deletionTimestamp: string;
  deletionGracePeriodSeconds: number;
  generateName: string;
  generation: number;
  labels: { [key: string]: string };
  annotations: { [key: string]: string };
  finalizers: string[];
  ownerReferences: JsonObject[];
  managedFields: JsonObject[];
}

/** Any object of any kind. What is in `metadata` is there only once the server has completed the object. */
export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: Partial<ObjectMeta> & JsonObject;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Field `name` of `value` when both are objects, else undefined. */
export function childObject(value: Json | undefined, name: string): JsonObject | undefined {
  const child = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(child) ? child : undefined;
}

/** The strings in a list; anything else is left out. */
export function stringList(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** A copy that shares nothing with the original. */
export function cloneJson<T extends Json>(value: T): T {
  return structuredClone(value);
}

/** Whether two JSON values are the same, whatever the order of their fields. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
}
