import { fieldPath } from "../api/fault-list.ts";
import { isJsonObject, type Json } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { fieldSchema } from "../api/unknown-fields.ts";
import { pathElement } from "./field-set.ts";
import { itemElement } from "./typed-value.ts";

/**
 * Validates a configuration, with structured-merge-diff's messages: items must be unique and have their keys.
 */
export function configurationFault(value: Json, schema: Schema | undefined, path = ""): string | undefined {
  if (isJsonObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      if (typeof child !== "object") continue;
      const fault = configurationFault(child, fieldSchema(schema, name), fieldPath(path, name));
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  const listType = schema?.["x-kubernetes-list-type"];
  if (!Array.isArray(value) || (listType !== "map" && listType !== "set")) return undefined;
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const element = itemElement(item, schema);
    if (element === "k:{}" || (listType === "map" && !element.startsWith("k:"))) {
      const keys = (schema?.["x-kubernetes-list-map-keys"] ?? []).map((key) => JSON.stringify(key)).join(" ");
      return `.${path}: element ${index}: associative list with keys has an element that omits all key fields [${keys}]`;
    }
    if (seen.has(element)) return `.${path}: duplicate entries for key ${pathElement(element)}`;
    seen.add(element);
    const fault = configurationFault(item, schema?.items, path + pathElement(element));
    if (fault !== undefined) return fault;
  }
  return undefined;
}
