import { characterCount } from "../../core/character-count.ts";
import { isJsonObject, type Json, sameJson } from "../object.ts";
import type { FieldError } from "../status.ts";
import { isDateTime, isInRange } from "./formats.ts";
import type { Schema } from "./schema.ts";
import { fieldSchema } from "./unknown-fields.ts";

/** Holds a value against a schema. @returns every fault, with the words of a Kubernetes API server */
export function validateSchema(value: Json, schema: Schema, path: string): FieldError[] {
  if (value === null && schema.nullable === true) return [];
  const found = typeOf(value);
  if (
    schema.type !== undefined &&
    found !== schema.type &&
    !(schema.type === "number" && found === "integer")
  ) {
    return [typeError(path, value, schema.type, found)];
  }
  const errors: FieldError[] = [];
  if (schema.enum !== undefined && !schema.enum.some((option) => sameJson(option, value))) {
    errors.push(notSupported(path, value, schema.enum));
  }
  if (typeof value === "string") errors.push(...validateText(value, schema, path));
  if (typeof value === "number") errors.push(...validateNumber(value, schema, path));
  if (Array.isArray(value)) errors.push(...validateList(value, schema, path));
  if (isJsonObject(value)) errors.push(...validateFields(value, schema, path));
  return errors;
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function typeError(field: string, value: Json, expected: string, found: string): FieldError {
  const message = `Invalid value: "${found}": ${field} in body must be of type ${expected}: "${found}"`;
  const nullMessage = `Invalid value: "null": ${field} in body must be of type ${expected}: "null"`;
  return { reason: "FieldValueTypeInvalid", field, message: value === null ? nullMessage : message };
}

export function invalidValue(field: string, value: Json, why: string): FieldError {
  const shown = typeof value === "object" ? JSON.stringify(value) : value;
  const text = typeof shown === "string" ? JSON.stringify(shown) : String(shown);
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${text}: ${why}` };
}

export function requiredValue(field: string, why = ""): FieldError {
  const message = why === "" ? "Required value" : `Required value: ${why}`;
  return { reason: "FieldValueRequired", field, message };
}

export function forbiddenValue(field: string, why: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: `Forbidden: ${why}` };
}

function notSupported(field: string, value: Json, options: readonly Json[]): FieldError {
  const list = options.map((option) => JSON.stringify(option)).join(", ");
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
  return { reason: "FieldValueNotSupported", field, message };
}

function validateText(value: string, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    errors.push(
      invalidValue(path, value, `${path} in body should be at least ${schema.minLength} chars long`),
    );
  }
  if (schema.maxLength !== undefined && isLonger(value, schema.maxLength)) {
    const message = `Too long: may not be more than ${schema.maxLength} bytes`;
    errors.push({ reason: "FieldValueTooLong", field: path, message });
    return errors;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    errors.push(invalidValue(path, value, `${path} in body should match '${schema.pattern}'`));
  }
  if (schema.format === "date-time" && !isDateTime(value)) {
    errors.push(
      invalidValue(path, value, `${path} in body must be of type date-time: ${JSON.stringify(value)}`),
    );
  }
  return errors;
}

function isLonger(text: string, maxLength: number): boolean {
  return text.length > maxLength && characterCount(text) > maxLength;
}

function validateNumber(value: number, schema: Schema, path: string): FieldError[] {
  if (!isInRange(value, schema.format)) {
    return [invalidValue(path, value, `${path} in body must be of type ${schema.format}: ${value}`)];
  }
  if (schema.minimum !== undefined && value < schema.minimum) {
    const why = `${path} in body should be greater than or equal to ${schema.minimum}`;
    return [invalidValue(path, value, why)];
  }
  if (schema.maximum !== undefined && value > schema.maximum) {
    return [invalidValue(path, value, `${path} in body should be less than or equal to ${schema.maximum}`)];
  }
  return [];
}

function validateList(value: readonly Json[], schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    errors.push(
      invalidValue(path, value.length, `${path} in body should have at least ${schema.minItems} items`),
    );
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    errors.push(
      invalidValue(path, value.length, `${path} in body should have at most ${schema.maxItems} items`),
    );
  }
  if (schema.items !== undefined) {
    for (const [index, item] of value.entries()) {
      errors.push(...validateSchema(item, schema.items, `${path}[${index}]`));
    }
  }
  if (errors.length > 0) return errors;
  return duplicates(value, schema, path);
}

function duplicates(value: readonly Json[], schema: Schema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, item] of value.entries()) {
    const identity = isJsonObject(item)
      ? Object.fromEntries(keys.map((key) => [key, item[key] ?? null]))
      : item;
    const text = JSON.stringify(identity);
    if (seen.has(text)) {
      errors.push({
        reason: "FieldValueDuplicate",
        field: `${path}[${index}]`,
        message: `Duplicate value: ${text}`,
      });
    }
    seen.add(text);
  }
  return errors;
}

function validateFields(
  value: { readonly [name: string]: Json },
  schema: Schema,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const count = Object.keys(value).length;
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    const message = `Too many: ${count}: must have at most ${schema.maxProperties} items`;
    errors.push({ reason: "FieldValueTooMany", field: path, message });
  }
  for (const name of schema.required ?? []) {
    if (value[name] === undefined) errors.push(requiredValue(join(path, name)));
  }
  for (const [name, child] of Object.entries(value)) {
    const childSchema = fieldSchema(schema, name);
    if (childSchema !== undefined) errors.push(...validateSchema(child, childSchema, join(path, name)));
  }
  return errors;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
