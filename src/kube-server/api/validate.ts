import { characterCount } from "../../base/core/character-count.ts";
import { FaultList, fieldPath } from "./fault-list.ts";
import { isDateTime, isInRange } from "./formats.ts";
import { identityText, isJsonObject, type Json, sameJson } from "./object.ts";
import type { Schema } from "./schema.ts";
import { type FieldError, unsupportedValue } from "./status.ts";
import { fieldSchema } from "./unknown-fields.ts";

/**
 * Validates a value against a schema. @returns the first 100 faults, in the Kubernetes API server's wording
 */
export function validateSchema(value: Json, schema: Schema, path: string): FieldError[] {
  const faults = new FaultList();
  check(value, schema, path, faults);
  return faults.errors;
}

function check(value: Json, schema: Schema, path: string, faults: FaultList): void {
  if (faults.isFull || (value === null && schema.nullable === true)) return;
  const found = typeOf(value);
  const allowed = typesOf(schema);
  if (allowed !== undefined && !allowed.includes(found)) {
    faults.add(typeError(path, value, schema.type ?? allowed.join(","), found));
    return;
  }
  if (schema.enum !== undefined && !schema.enum.some((option) => sameJson(option, value))) {
    faults.add(unsupportedValue(path, value, schema.enum));
  }
  if (typeof value === "string") validateText(value, schema, path, faults);
  if (typeof value === "number") validateNumber(value, schema, path, faults);
  if (Array.isArray(value)) validateList(value, schema, path, faults);
  if (isJsonObject(value)) validateFields(value, schema, path, faults);
}

/** Types of value that a schema allows; undefined for all. */
function typesOf(schema: Schema): readonly string[] | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return intOrString;
  return schema.type === undefined ? undefined : valueTypes[schema.type];
}

const intOrString = ["integer", "string"];
const valueTypes = {
  object: ["object"],
  array: ["array"],
  string: ["string"],
  integer: ["integer"],
  number: ["number", "integer"],
  boolean: ["boolean"],
} as const;

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

/** A reference to something that does not exist. */
export function notFoundValue(field: string, value: Json): FieldError {
  return { reason: "FieldValueNotFound", field, message: `Not found: ${JSON.stringify(value)}` };
}

/** A value that must be unique, at its second place. */
export function duplicateValue(field: string, value: Json): FieldError {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value: ${JSON.stringify(value)}` };
}

export function tooManyItems(field: string, count: number, max: number): FieldError {
  const message = `Too many: ${count}: must have at most ${max} items`;
  return { reason: "FieldValueTooMany", field, message };
}

function validateText(value: string, schema: Schema, path: string, faults: FaultList): void {
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    faults.add(
      invalidValue(path, value, `${path} in body should be at least ${schema.minLength} chars long`),
    );
  }
  if (schema.maxLength !== undefined && isLonger(value, schema.maxLength)) {
    const message = `Too long: may not be more than ${schema.maxLength} bytes`;
    faults.add({ reason: "FieldValueTooLong", field: path, message });
    return;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    faults.add(invalidValue(path, value, `${path} in body should match '${schema.pattern}'`));
  }
  if (schema.format === "date-time" && !isDateTime(value)) {
    faults.add(
      invalidValue(path, value, `${path} in body must be of type date-time: ${JSON.stringify(value)}`),
    );
  }
}

function isLonger(text: string, maxLength: number): boolean {
  return text.length > maxLength && characterCount(text) > maxLength;
}

function validateNumber(value: number, schema: Schema, path: string, faults: FaultList): void {
  if (!isInRange(value, schema.format)) {
    faults.add(invalidValue(path, value, `${path} in body must be of type ${schema.format}: ${value}`));
    return;
  }
  if (schema.minimum !== undefined && value < schema.minimum) {
    const why = `${path} in body should be greater than or equal to ${schema.minimum}`;
    faults.add(invalidValue(path, value, why));
  } else if (schema.maximum !== undefined && value > schema.maximum) {
    const why = `${path} in body should be less than or equal to ${schema.maximum}`;
    faults.add(invalidValue(path, value, why));
  }
}

function validateList(value: readonly Json[], schema: Schema, path: string, faults: FaultList): void {
  const before = faults.errors.length;
  const { length } = value;
  if (schema.minItems !== undefined && length < schema.minItems) {
    const why = `${path} in body should have at least ${schema.minItems} items`;
    faults.add(invalidValue(path, length, why));
  }
  if (schema.maxItems !== undefined && length > schema.maxItems) {
    faults.add(tooManyItems(path, length, schema.maxItems));
  }
  if (schema.items !== undefined) {
    for (const [index, item] of value.entries()) {
      if (faults.isFull) return;
      check(item, schema.items, `${path}[${index}]`, faults);
    }
  }
  if (faults.errors.length === before) findDuplicates(value, schema, path, faults);
}

function findDuplicates(value: readonly Json[], schema: Schema, path: string, faults: FaultList): void {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return;
  // As for Kubernetes' own types, the list types of metadata fields affect only apply.
  if (path.startsWith("metadata.")) return;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const identity = isJsonObject(item)
      ? Object.fromEntries(keys.map((key) => [key, item[key] ?? null]))
      : item;
    const text = identityText(identity);
    if (seen.has(text)) faults.add(duplicateValue(`${path}[${index}]`, identity));
    seen.add(text);
  }
}

function validateFields(
  value: { readonly [name: string]: Json },
  schema: Schema,
  path: string,
  faults: FaultList,
): void {
  const count = Object.keys(value).length;
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    faults.add(tooManyItems(path, count, schema.maxProperties));
  }
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    const why = `${path} in body should have at least ${schema.minProperties} properties`;
    faults.add(invalidValue(path, count, why));
  }
  for (const name of schema.required ?? []) {
    if (value[name] === undefined) faults.add(requiredValue(fieldPath(path, name)));
  }
  for (const [name, child] of Object.entries(value)) {
    if (faults.isFull) return;
    const childSchema = fieldSchema(schema, name);
    if (childSchema !== undefined) check(child, childSchema, fieldPath(path, name), faults);
  }
}
