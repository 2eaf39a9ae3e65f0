import { fieldPath, maxFaults } from "./fault-list.ts";
import { isJsonObject, type Json } from "./object.ts";
import type { Schema } from "./schema.ts";

/**
 * Removes all fields that are not in the schema, in place.
 *
 * @returns the paths of the first 100, in the order found
 */
export function removeUnknownFields(value: Json, schema: Schema): string[] {
  const unknown: string[] = [];
  remove(value, schema, "", unknown);
  return unknown;
}

function remove(value: Json, schema: Schema, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) remove(item, items, `${path}[${index}]`, unknown);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, child] of Object.entries(value)) {
    const childSchema = fieldSchema(schema, name);
    if (childSchema !== undefined) {
      if (typeof child === "object") remove(child, childSchema, fieldPath(path, name), unknown);
    } else if (schema.properties !== undefined && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
      if (unknown.length < maxFaults) unknown.push(fieldPath(path, name));
      delete value[name];
    }
  }
}

/** Schema of the field or map value `name`. */
export function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, name)) {
    return schema.properties[name];
  }
  return schema?.additionalProperties;
}
