/** A JSON value, in requests and in the store. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [field: string]: Json;
}

/** `metadata` of an object (meta/v1 ObjectMeta), with the fields that the server reads or writes. */
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

/** An object of any kind. `metadata` is complete only after the server has processed the object. */
export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: Partial<ObjectMeta> & JsonObject;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Field `name` of `value` if both are objects, else undefined. */
export function childObject(value: Json | undefined, name: string): JsonObject | undefined {
  const child = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(child) ? child : undefined;
}

/** The strings in a list; other items are skipped. */
export function stringList(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** A deep copy. Recursive: only for values of bounded depth. */
export function cloneJson<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map((item: Json) => cloneJson(item)) as T;
  if (!isJsonObject(value)) return value;
  // A spread also copies a field named __proto__ as a field.
  const copy: JsonObject = { ...value };
  for (const [name, child] of Object.entries(copy)) {
    if (typeof child === "object" && child !== null) copy[name] = cloneJson(child);
  }
  return copy as T;
}

/** Also sets a field named `__proto__`, where a plain assignment would set the prototype. */
export function setField(target: JsonObject, name: string, value: Json): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Two values have the same text exactly if {@link sameJson} is true: a key for maps and sets of values. */
export function identityText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(identityText).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${identityText(value[name] ?? null)}`).join(",")}}`;
}

/** Whether two JSON values are equal, regardless of field order. */
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
