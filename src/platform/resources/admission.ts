import { apiVersionOf, type KindDefinition } from "../kinds/kind.ts";
import { isJsonObject, type Json, type KubeObject } from "../object.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { wholeObjectSchema } from "../schema/object-meta.ts";
import type { Schema } from "../schema/schema.ts";
import { removeUnknownFields } from "../schema/unknown-fields.ts";
import { validateSchema } from "../schema/validate.ts";
import { badRequest, type FieldError, invalid } from "../status.ts";
import { validateMetadata } from "./metadata.ts";

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
 * Takes the body of a request for an object of a kind: the right kind and version, metadata that is an object. Changes
 * nothing.
 *
 * @throws StatusError 400
 */
export function readObject(body: Json, kind: KindDefinition): KubeObject {
  if (!isJsonObject(body)) throw badRequest("the object provided is unrecognized (must be of type Object)");
  const expected = apiVersionOf(kind);
  const { apiVersion = expected, kind: name = kind.kind, metadata = {} } = body;
  if (apiVersion !== expected) {
    const given = String(apiVersion);
    throw badRequest(
      `the API version in the data (${given}) does not match the expected API version (${expected})`,
    );
  }
  if (name !== kind.kind) {
    throw badRequest(
      `the kind in the data (${String(name)}) does not match the expected kind (${kind.kind})`,
    );
  }
  if (!isJsonObject(metadata)) throw badRequest("metadata in the data is not an object");
  return { ...body, apiVersion: expected, kind: kind.kind, metadata };
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
): string[] {
  const texts = removeUnknownFields(object, schemaOf(kind)).map((path) => `unknown field "${path}"`);
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
  const typeErrors = schemaErrors.filter((error) => !isOwn(error));
  if (typeErrors.length > 0) throw invalid(kind, name, typeErrors);
  // A status can be written whatever has become of the rules for the rest.
  if (subresource === "status") return [];
  kind.prepare?.(object, old);
  const errors = [...validateMetadata(object, kind), ...(kind.validate?.(object, old) ?? [])];
  // What such a kind overlooks is refused all the same, in the schema's words.
  if (errors.length === 0) errors.push(...schemaErrors);
  if (errors.length > 0) throw invalid(kind, name, errors);
  return kind.warn?.(object) ?? [];
}

/** Maps and lists of metadata that have nothing in them are as good as absent, and are stored as absent. */
function dropEmptyMetadata({ metadata }: KubeObject): void {
  for (const field of ["labels", "annotations", "finalizers", "ownerReferences"]) {
    const value = metadata[field];
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0)
      delete metadata[field];
  }
}
