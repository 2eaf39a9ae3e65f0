import { isJsonObject, type Json, type JsonObject } from "./object.ts";

/** The value at a path of fields; undefined if there is none. A number is an index. */
export function fieldAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let found = value;
  for (const step of path) {
    if (typeof step === "number") found = Array.isArray(found) ? found[step] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

/** The objects of a list, each at its index; what is no object counts as an empty one. */
export function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.map((item) => (isJsonObject(item) ? item : {})) : [];
}

/** Whether a field has a value: something other than null, an empty list or an empty map. */
export function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
