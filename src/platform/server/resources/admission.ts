import { apiVersionOf, type KindDefinition } from "../kinds/kind.ts";
import { isJsonObject, type Json, type JsonObject, type KubeObject } from "../object.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { objectMeta, wholeObjectSchema } from "../schema/object-meta.ts";
import type { Schema } from "../schema/schema.ts";
import { removeUnknownFields } from "../schema/unknown-fields.ts";
import { invalidValue, validateSchema } from "../schema/validate.ts";
import { badRequest, type FieldError, invalid } from "../status.ts";
import { tidyMetadata, validateMetadata } from "./metadata.ts";

/** What to do about fields that the schema does not know. They are dropped in any case. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export function parseFieldValidation(text: string | undefined): FieldValidation | undefined {
  if (text === undefined || text === "") return "Warn";
  return text === "Ignore" || text === "Warn" || text === "Strict" ? text : undefined;
}

const wholeSchemas = new WeakMap<KindDefinition, Schema>();

/** The schema of a kind's objects, metadata included. */
export function schemaOf(kind: KindDefinition): Schema {
  const known = wholeSchemas.get(kind);
  if (known !== undefined) return known;
  const schema = wholeObjectSchema(kind.schema);
  wholeSchemas.set(kind, schema);
  return schema;
}

/**
 * Takes the body of a request for an object of a kind: the right kind and version, metadata of the right types. Changes
 * nothing. Labels and annotations that are null are empty, as Go decodes them.
 *
 * @param form `complete` where kind and apiVersion must be there; a body for creation or update may lack them
 * @throws StatusError 400, 422
 */
export function readObject(
  body: Json,
  kind: KindDefinition,
  form: "complete" | "short" = "short",
): KubeObject {
  if (!isJsonObject(body)) throw badRequest("the object provided is unrecognized (must be of type Object)");
  const expected = apiVersionOf(kind);
  for (const field of form === "complete" ? ["kind", "apiVersion"] : []) {
    const value = body[field] ?? "";
    if (value === "")
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
    throw invalid(kind, objectName, [invalidValue("kind", name, `must be ${kind.kind}`)]);
  }
  return { ...body, apiVersion: expected, kind: kind.kind, metadata: readMetadata(metadata, kind) };
}

function readMetadata(given: JsonObject, kind: KindDefinition): KubeObject["metadata"] {
  const metadata: JsonObject = { ...given };
  for (const field of ["labels", "annotations"]) {
    const map = metadata[field];
    if (!isJsonObject(map) || !Object.values(map).includes(null)) continue;
    metadata[field] = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
  }
  const present = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
  const fault = validateSchema(present, objectMeta.schema, "metadata").find(
    ({ reason }) => reason === "FieldValueTypeInvalid",
  );
  if (fault === undefined) return metadata as KubeObject["metadata"];
  const subject = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}`;
  throw badRequest(`${subject}: ${fault.field}: ${fault.message}`);
}

/**
 * Drops unknown fields. @returns the warnings to send along
 *
 * @throws StatusError 400 when they are to be refused
 */
export function dropUnknownFields(
  object: KubeObject,
  kind: KindDefinition,
  validation: FieldValidation,
): readonly string[] {
  const unknown = removeUnknownFields(object, schemaOf(kind)).map((path) => `unknown field "${path}"`);
  return checkDecoding(unknown, kind, validation);
}

/**
 * What becomes of faults of a body that do not make it unreadable. @returns the warnings to send along
 *
 * @throws StatusError 400 when they are to be refused
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
 * Completes an object, in place, and checks it.
 *
 * @param old the object before the change, absent on creation
 * @returns warnings
 * @throws StatusError 422 with every fault
 */
export function admit(
  object: KubeObject,
  old: KubeObject | undefined,
  kind: KindDefinition,
  subresource: "" | "status",
): string[] {
  const schema = schemaOf(kind);
  dropEmptyMetadata(object);
  applyDefaults(object, schema);
  const name = object.metadata.name ?? "";
  // Kinds may rely on the types that the schema gives: what they do comes after it was checked.
  const isOwn = ({ field }: FieldError) => kind.checksOwnSpec === true && /^spec($|\.)/.test(field);
  const schemaErrors = validateSchema(object, schema, "");
  // Apart, since no more than the first faults are told: those of a spec would hide the others.
  const { spec: _, ...rest } = object;
  const checked = kind.checksOwnSpec === true ? validateSchema(rest, schema, "") : schemaErrors;
  const typeErrors = checked.filter((error) => !isOwn(error));
  if (typeErrors.length > 0) throw invalid(kind, name, typeErrors);
  // A status can be written whatever has become of the rules for the rest.
  if (subresource === "status") return [];
  const warnings = tidyMetadata(object);
  kind.prepare?.(object, old);
  const faults = validateMetadata(object, kind);
  const isKnown = new Set(faults.map(({ field }) => field));
  const own = kind.validate?.(object, old) ?? [];
  // A kind that looks at the name, too, need not say the same once more.
  const errors = [
    ...faults,
    ...own.filter(({ field }) => !field.startsWith("metadata.") || !isKnown.has(field)),
  ];
  // What such a kind overlooks is refused all the same, in the schema's words.
  if (errors.length === 0) errors.push(...schemaErrors);
  if (errors.length > 0) throw invalid(kind, name, errors);
  return [...warnings, ...(kind.warn?.(object) ?? [])];
}

/** Maps and lists of metadata that have nothing in them are as good as absent, and are stored as absent. */
function dropEmptyMetadata({ metadata }: KubeObject): void {
  for (const field of ["labels", "annotations", "finalizers", "ownerReferences"]) {
    const value = metadata[field];
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0)
      delete metadata[field];
  }
}
