import { defined } from "../../base/core/defined.ts";
import { applyDefaults } from "../api/defaults.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import { tidyMetadata, validateMetadata } from "../api/metadata.ts";
import { isJsonObject, type Json, type JsonObject, type KubeObject } from "../api/object.ts";
import { objectMeta, wholeObjectSchema } from "../api/object-meta.ts";
import type { Schema } from "../api/schema.ts";
import { badRequest, type FieldError, invalid } from "../api/status.ts";
import { removeUnknownFields } from "../api/unknown-fields.ts";
import { invalidValue, validateSchema } from "../api/validate.ts";

/** Treatment of fields that are not in the schema. They are dropped in every case. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export function parseFieldValidation(text: string | undefined): FieldValidation | undefined {
  if (text === undefined || text === "") return "Warn";
  return text === "Ignore" || text === "Warn" || text === "Strict" ? text : undefined;
}

/** A function of kinds that is computed once for each. */
function oncePerKind<T>(compute: (kind: KindDefinition) => T): (kind: KindDefinition) => T {
  const results = new WeakMap<KindDefinition, { readonly value: T }>();
  return (kind) => {
    const known = results.get(kind) ?? { value: compute(kind) };
    results.set(kind, known);
    return known.value;
  };
}

/** Schema of a kind's objects, including metadata. */
export const schemaOf = oncePerKind((kind): Schema => wholeObjectSchema(kind.schema));

/** Schema of a kind's objects with nothing but their status. */
const statusSchemaOf = oncePerKind((kind): Schema => {
  const { status } = kind.schema.properties ?? {};
  return { type: "object", properties: status === undefined ? {} : { status } };
});

/**
 * Checks the body of a request for an object of a kind: kind, apiVersion and the types of metadata. Does not
 * modify it. Null in a map or list of metadata counts as empty, as in Go.
 *
 * @param form `complete` if kind and apiVersion are required; a body for creation or update may omit them
 * @throws StatusError 400, 422
 */
export function readObject(
  body: Json,
  kind: KindDefinition,
  form: "complete" | "short" = "short",
): KubeObject {
  if (!isJsonObject(body)) throw badRequest("the object provided is unrecognized (must be of type Object)");
  const expected = apiVersionOf(kind);
  for (const field of ["kind", "apiVersion"]) {
    const value = body[field];
    if (value === undefined && form === "short") continue;
    // The rest of the check compares the version with the expected one.
    if (
      value === undefined ||
      value === "" ||
      (field === "kind" && typeof value !== "string") ||
      value === null
    )
      throw badRequest(`Object '${field === "kind" ? "Kind" : field}' is missing in the data`);
  }
  const { apiVersion = expected, kind: name = kind.kind } = body;
  if (apiVersion !== expected) {
    const given = String(apiVersion);
    throw badRequest(
      `the API version in the data (${given}) does not match the expected API version (${expected})`,
    );
  }
  const metadata = body["metadata"] ?? {};
  if (!isJsonObject(metadata)) throw badRequest("metadata in the data is not an object");
  if (name !== kind.kind) {
    if (kind.builtIn) {
      throw badRequest(
        `the kind in the data (${String(name)}) does not match the expected kind (${kind.kind})`,
      );
    }
    const objectName = typeof metadata["name"] === "string" ? metadata["name"] : "";
    const given = { ...kind, kind: String(name) };
    throw invalid(given, objectName, [invalidValue("kind", name, `must be ${kind.kind}`)]);
  }
  return { ...body, apiVersion: expected, kind: kind.kind, metadata: readMetadata(metadata, kind) };
}

function isListWithNull(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.includes(null);
}

function hasFieldSet({ fieldsV1 = {} }: JsonObject): boolean {
  return isJsonObject(fieldsV1);
}

/** Null is the empty set; an entry with anything else that is no set is made invalid. */
function withFieldSet(entry: JsonObject): JsonObject {
  const { fieldsV1, ...others } = entry;
  if (fieldsV1 === null || hasFieldSet(entry)) return { ...others, fieldsV1: fieldsV1 ?? {} };
  return { ...others, fieldsType: "" };
}

function readMetadata(given: JsonObject, kind: KindDefinition): KubeObject["metadata"] {
  const metadata: JsonObject = { ...given };
  for (const field of ["labels", "annotations"]) {
    const map = metadata[field];
    if (!isJsonObject(map) || !Object.values(map).includes(null)) continue;
    metadata[field] = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
  }
  if (isListWithNull(metadata["finalizers"]))
    metadata["finalizers"] = metadata["finalizers"].map((finalizer) => finalizer ?? "");
  for (const field of ["ownerReferences", "managedFields"]) {
    const list = metadata[field];
    if (isListWithNull(list)) metadata[field] = list.map((item) => item ?? {});
  }
  // Sets of fields that are none are as good as no managers: those of the object stay.
  const entries = metadata["managedFields"];
  if (Array.isArray(entries) && entries.some((entry) => isJsonObject(entry) && !hasFieldSet(entry)))
    metadata["managedFields"] = entries.map((entry) => (isJsonObject(entry) ? withFieldSet(entry) : entry));
  const present = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  // Also what is no time, and a number that is too large: Go cannot decode them.
  const fault = validateSchema(present, objectMeta.schema, "metadata").find(
    ({ reason }) => reason === "FieldValueTypeInvalid" || reason === "FieldValueInvalid",
  );
  if (fault === undefined) return metadata as KubeObject["metadata"];
  const subject = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}`;
  throw badRequest(`${subject}: ${fault.field}: ${fault.message}`);
}

/**
 * Drops unknown fields. @returns warnings for the response
 *
 * @throws StatusError 400 in strict mode
 */
export function dropUnknownFields(
  object: JsonObject,
  kind: KindDefinition,
  validation: FieldValidation,
): readonly string[] {
  const unknown = removeUnknownFields(object, schemaOf(kind)).map((path) => `unknown field "${path}"`);
  // Those of custom kinds are found by their schemas, in the order of their paths.
  return checkDecoding(kind.builtIn ? unknown : unknown.sort(), kind, validation);
}

/**
 * Handles decoding problems that do not make a body unreadable. @returns warnings for the response
 *
 * @throws StatusError 400 in strict mode
 */
export function checkDecoding(
  texts: readonly string[],
  kind: KindDefinition,
  validation: FieldValidation,
): readonly string[] {
  if (texts.length === 0 || validation === "Ignore") return [];
  if (validation === "Warn") return texts;
  const subject = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}`;
  throw badRequest(`${subject}: strict decoding error: ${texts.join(", ")}`);
}

/**
 * Completes an object's status, in place, and validates it. The rest was admitted before; the status stays
 * writable even if stricter rules now apply to it.
 *
 * @throws StatusError 422 with all faults
 */
export function admitStatus(object: KubeObject, kind: KindDefinition): void {
  const schema = statusSchemaOf(kind);
  applyDefaults(object, schema);
  const errors = validateSchema(defined({ status: object["status"] }), schema, "");
  if (errors.length === 0) return;
  throw invalid(kind, object.metadata.name ?? "", [...errors, ...uncheckedRules(errors, kind)]);
}

/**
 * Completes an object, in place, and validates it.
 *
 * @param old the object before the change; absent on creation
 * @returns warnings
 * @throws StatusError 422 with all faults
 */
export function admit(object: KubeObject, old: KubeObject | undefined, kind: KindDefinition): string[] {
  const schema = schemaOf(kind);
  dropEmptyMetadata(object);
  applyDefaults(object, schema);
  const name = object.metadata.name ?? "";
  const schemaErrors = validateSchema(object, schema, "").filter((error) => !isOwnerWithout(error));
  // Without the spec, because only the first faults are reported: its own would hide the others.
  const { spec: _, ...rest } = object;
  // A kind's own code relies on the schema's types, so it runs after the schema check.
  const typeErrors =
    kind.checksOwnSpec === true
      ? validateSchema(rest, schema, "").filter((error) => error.field !== "spec" && !isOwnerWithout(error))
      : schemaErrors;
  if (typeErrors.length > 0) throw invalid(kind, name, [...typeErrors, ...uncheckedRules(typeErrors, kind)]);
  const warnings = tidyMetadata(object, old);
  kind.prepare?.(object, old);
  const faults = validateMetadata(object, kind);
  const isKnown = new Set(faults.map(({ field }) => field));
  const own = kind.validate?.(object, old) ?? [];
  // Do not repeat faults that a kind reports as well, such as those of the name.
  const errors = [
    ...faults,
    ...own.filter(({ field }) => !field.startsWith("metadata.") || !isKnown.has(field)),
  ];
  // Faults that such a kind overlooks are still rejected, with the schema's messages.
  if (errors.length === 0) errors.push(...schemaErrors);
  if (errors.length > 0) throw invalid(kind, name, errors);
  return [...warnings, ...(kind.warn?.(object) ?? [])];
}

/** An owner without a field, which the check of metadata reports in Kubernetes' words. */
function isOwnerWithout({ reason, field }: FieldError): boolean {
  return reason === "FieldValueRequired" && field.startsWith("metadata.ownerReferences[");
}

/** Whether a schema has rules (`x-kubernetes-validations`). */
function hasRules({ "x-kubernetes-validations": rules, properties = {}, ...schema }: Schema): boolean {
  if (rules !== undefined) return true;
  const parts = [...Object.values(properties), schema.items, schema.additionalProperties];
  return parts.some((part) => part !== undefined && hasRules(part));
}

const isRuled = oncePerKind(({ schema }) => hasRules(schema));

/** The API server's remark that rules were not checked, because they rely on types, sizes and required fields. */
function uncheckedRules(errors: readonly FieldError[], kind: KindDefinition): FieldError[] {
  const isBlocking = ({ reason }: FieldError) =>
    reason !== "FieldValueInvalid" && reason !== "FieldValueDuplicate";
  if (!errors.some(isBlocking) || !isRuled(kind)) return [];
  const why =
    "some validation rules were not checked because the object was invalid; " +
    "correct the existing errors to complete validation";
  return [{ reason: "FieldValueInvalid", field: "<nil>", message: `Invalid value: "null": ${why}` }];
}

/** Empty maps and lists in metadata are stored as absent. */
function dropEmptyMetadata({ metadata }: KubeObject): void {
  if (metadata.generateName === "") delete metadata.generateName;
  for (const field of ["labels", "annotations", "finalizers", "ownerReferences"]) {
    const value = metadata[field];
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0)
      delete metadata[field];
  }
}
