import { isJsonObject, type Json } from "../object.ts";
import type { Schema } from "./schema.ts";

/**
 * Takes out, in place, every field that the schema does not know.
 *
 * @returns their paths, in the order found
 */
export function removeUnknownFields(value: Json, schema: Schema, path = ""): string[] {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return [];
    return value.flatMap((item, index) => removeUnknownFields(item, items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const unknown: string[] = [];
  for (const [name, child] of Object.entries(value)) {
    const childPath = path === "" ? name : `${path}.${name}`;
    const childSchema = fieldSchema(schema, name);
    if (childSchema !== undefined) {
      unknown.push(...removeUnknownFields(child, childSchema, childPath));
    } else if (schema.properties !== undefined && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
      unknown.push(childPath);
      delete value[name];
    }
  }
  return unknown;
}

/** The schema of a field or map value called `name`. */
export function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, name)) {
    return schema.properties[name];
  }
  return schema?.additionalProperties;
}
