import { cloneJson, isJsonObject, type Json } from "./object.ts";
import type { Schema } from "./schema.ts";

/**
 * Fills in the defaults of absent fields, in place, and drops nulls in fields that are not nullable, as
 * Kubernetes does first.
 */
export function applyDefaults(value: Json, schema: Schema): void {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items !== undefined) for (const item of value) applyDefaults(item, items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (value[name] === null && child.nullable !== true) delete value[name];
    if (value[name] === undefined && child.default !== undefined) value[name] = cloneJson(child.default);
    if (value[name] !== undefined) applyDefaults(value[name], child);
  }
  const values = schema.additionalProperties;
  if (values === undefined) return;
  for (const [name, child] of Object.entries(value)) {
    if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) continue;
    if (child === null && values.default !== undefined) value[name] = cloneJson(values.default);
    else applyDefaults(child, values);
  }
}
