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

/** A copy that shares nothing with the original. Recursive: for values whose depth has been bounded. */
export function cloneJson<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map((item: Json) => cloneJson(item)) as T;
  if (!isJsonObject(value)) return value;
  // A spread also copies a field called __proto__ as a field.
  const copy: JsonObject = { ...value };
  for (const [name, child] of Object.entries(copy)) {
    if (typeof child === "object" && child !== null) copy[name] = cloneJson(child);
  }
  return copy as T;
}

/** Assigns also where the name is `__proto__`, which a plain assignment would take for something else. */
export function setField(target: JsonObject, name: string, value: Json): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** A text that two values share exactly when {@link sameJson} holds: a key for maps and sets of values. */
export function identityText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(identityText).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${identityText(value[name] ?? null)}`).join(",")}}`;
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
