import { defined } from "../../base/core/defined.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import { maxAnnotationBytes } from "../api/metadata.ts";
import { isJsonObject, type Json, type KubeObject } from "../api/object.ts";
import {
  applyConflict,
  badRequest,
  conflict,
  invalid,
  StatusError,
  tooLarge,
  unfitPatch,
  unsupportedMediaType,
} from "../api/status.ts";
import { removeUnknownFields } from "../api/unknown-fields.ts";
import { validateSchema } from "../api/validate.ts";
import { applySteps } from "../apply/apply.ts";
import { configurationFault } from "../apply/configuration-fault.ts";
import { renewedAnnotations } from "../apply/last-applied.ts";
import { readManagersInSteps, type Writer } from "../apply/managers.ts";
import { parseJson, parseYaml } from "../encoding/body.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import type { PatchOutcome } from "../patch/patch-outcome.ts";
import { applyStrategicMergePatch } from "../patch/strategic-merge.ts";
import { checkDecoding, readObject, schemaOf } from "./admission.ts";
import { checkVersion } from "./list.ts";
import { checkPatchSize, countValues, inSteps, valuesIn, yieldIfLong } from "./object-size.ts";
import type { NewState } from "./resources.ts";
import type { Target, WriteOptions } from "./target.ts";

export const applyType = "application/apply-patch+yaml";

/** Patch types that a kind supports. */
export function patchTypes(kind: KindDefinition): string[] {
  const types = ["application/json-patch+json", "application/merge-patch+json", applyType];
  return kind.builtIn ? [...types, "application/strategic-merge-patch+json"] : types;
}

/** @throws StatusError 415 if the kind does not support the type */
export function checkPatchType(type: string, kind: KindDefinition): void {
  if (!patchTypes(kind).includes(type)) throw unsupportedMediaType(patchTypes(kind));
}

/** A patch: the change it describes, with warnings about its encoding. */
export interface Patch {
  readonly doubts: readonly string[];
  /** @throws StatusError 400, 413, 422 if the patch does not fit the object */
  change(old: KubeObject): NewState | Promise<NewState>;
}

/**
 * @param type one that the kind supports
 * @throws StatusError 400 if the body is not a patch
 */
export async function readPatch(
  body: Buffer,
  type: string,
  target: Target,
  options: WriteOptions,
): Promise<Patch> {
  const { kind } = target;
  await yieldIfLong(body);
  const { value: patch, duplicates } = parseJson(body);
  // A JSON patch has its own limit of operations.
  if (type !== "application/json-patch+json") checkPatchSize(patch);
  return {
    doubts: checkDecoding(duplicates, kind, options.fieldValidation),
    async change(old) {
      await yieldIfLong(body);
      const outcome = patched(old, patch, type, kind);
      await yieldIfLong(body);
      if (outcome.ok) return { object: readPatched(outcome.value, target) };
      if (outcome.fault === "malformed") throw badRequest(outcome.message);
      if (outcome.fault === "too-large") throw tooLarge(outcome.message);
      throw unfitPatch(kind, target.name, outcome.message, false);
    },
  };
}

function patched(old: KubeObject, patch: Json, type: string, kind: KindDefinition): PatchOutcome {
  if (type === "application/json-patch+json") return applyJsonPatch(old, patch);
  if (type === "application/merge-patch+json") {
    if (isJsonObject(patch)) return { ok: true, value: applyMergePatch(old, patch) };
    return { ok: false, fault: "malformed", message: "a merge patch is an object" };
  }
  return applyStrategicMergePatch(old, patch, schemaOf(kind));
}

/** The result of a patch must still be the object at the request's path. */
function readPatched(value: Json, target: Target): KubeObject {
  const { kind, namespace, name } = target;
  const object = readResult(value, target);
  checkName(object.metadata.name ?? "", name);
  if (!kind.builtIn && ["", "0"].includes(object.metadata.resourceVersion ?? "")) {
    throw versionRequired(kind, name);
  }
  const given = object.metadata.namespace ?? "";
  if (given !== "" && given !== namespace) throw badRequest(wrongNamespace);
  return object;
}

/** What a patch makes of an object and cannot be decoded is the patch's fault: 422 rather than 400. */
function readResult(value: Json, { kind, name }: Target): KubeObject {
  try {
    return readObject(value, kind, "complete");
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    throw unfitPatch(kind, name, error.status.message, true);
  }
}

/** With strict decoding, the fields that a patch must not have are its fault: 422 rather than 400. */
export function unfitIfStrict(error: unknown, { kind, name }: Target): unknown {
  if (!(error instanceof StatusError) || error.status.code !== 400) return error;
  const { message } = error.status;
  return message.includes("strict decoding error") ? unfitPatch(kind, name, message, true) : error;
}

/** An update of a custom kind without a version, worded as by a Kubernetes API server. */
export function versionRequired(kind: KindDefinition, name: string): StatusError {
  const why = "Invalid value: 0: must be specified for an update";
  return invalid({ ...kind, kind: kind.plural }, name, [
    { reason: "FieldValueInvalid", field: "metadata.resourceVersion", message: why },
  ]);
}

const wrongNamespace =
  "the namespace of the provided object does not match the namespace sent on the request";

/** @throws StatusError 400 if the object's name differs from the path's */
export function checkName(given: string, name: string): void {
  if (given === name) return;
  throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** A server-side apply: changes an existing object, or creates it. */
export interface Apply extends Patch {
  /** @throws StatusError 409 if the configuration requires an existing object */
  create(): Promise<NewState>;
}

/**
 * Reads a server-side apply.
 *
 * @param now RFC 3339
 * @throws StatusError 400; the changes throw 409 for conflicts
 */
export async function readApply(
  body: Buffer,
  target: Target,
  force: boolean,
  options: WriteOptions,
  now: string,
): Promise<Apply> {
  const { kind, name } = target;
  const schema = schemaOf(kind);
  await yieldIfLong(body);
  const { value, duplicates } = parseYaml(body);
  countValues(value);
  const doubts = checkDecoding(duplicates, kind, options.fieldValidation);
  await yieldIfLong(body);
  checkAppliedKind(value, kind);
  const given = readObject(value, kind, "complete");
  checkAppliedIdentity(given, target);
  const unknown = removeUnknownFields(given, schema);
  const texts = unknown.map((path) => `unknown field "${path}"`);
  if (options.fieldValidation === "Strict") checkDecoding(texts, kind, "Strict");
  const fault = unknown.length > 0 ? undeclared(unknown) : configurationFault(given, schema);
  if (fault !== undefined) {
    const subject = `${target.namespace}/${name}; ${given.apiVersion}, Kind=${kind.kind}`;
    throw badRequest(`failed to create typed patch object (${subject}): ${fault}`);
  }
  checkStatusType(given, kind);
  const configuration = appliedPart(given, kind, options.subresource);
  const writer: Writer = {
    manager: options.fieldManager,
    operation: "Apply",
    apiVersion: apiVersionOf(kind),
    subresource: options.subresource,
  };
  const applyTo = async (live: KubeObject): Promise<NewState> => {
    const values = Math.max(valuesIn(live), valuesIn(configuration));
    const managers = (await inSteps(readManagersInSteps(live.metadata.managedFields), values)) ?? [];
    const outcome = await inSteps(
      applySteps(live, configuration, managers, writer, force, schema, now),
      values,
    );
    if (outcome.ok) return { object: outcome.object, managers: outcome.managers };
    const causes = outcome.conflicts.map(({ manager, field }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with "${manager.manager}"${conflictDetail(manager)}`,
      field,
    }));
    throw applyConflict(causes, outcome.count);
  };
  return {
    doubts,
    async change(old) {
      const { object, managers } = await applyTo(old);
      const annotations = renewedAnnotations(object, configuration, writer.manager, maxAnnotationBytes);
      if (annotations === undefined) return { object, managers };
      return { object: { ...object, metadata: { ...object.metadata, annotations } }, managers };
    },
    async create() {
      const { uid = "" } = configuration.metadata;
      if ((configuration.metadata.name ?? "") === "") throw badRequest("name must be provided");
      checkVersion(configuration.metadata.resourceVersion ?? "");
      if (uid !== "") {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(kind, name, why);
      }
      const { resourceVersion: _, ...metadata } = configuration.metadata;
      const { managers } = await applyTo({ apiVersion: given.apiVersion, kind: kind.kind, metadata: {} });
      return { object: { ...configuration, metadata }, managers };
    },
  };
}

/** The status is checked even where it is not applied, like the rest of the configuration. */
function checkStatusType({ status }: KubeObject, kind: KindDefinition): void {
  const schema = kind.schema.properties?.["status"];
  if (status === undefined || status === null || schema === undefined) return;
  const faults = validateSchema(status, schema, "status");
  const fault = faults.find(({ reason }) => reason === "FieldValueTypeInvalid");
  if (fault !== undefined) {
    throw badRequest(`failed to create typed patch object: .${fault.field}: ${fault.message}`);
  }
}

function checkAppliedKind(value: Json, kind: KindDefinition): void {
  const given = isJsonObject(value) ? value["kind"] : undefined;
  if (typeof given !== "string" || given === "" || given === kind.kind) return;
  throw badRequest(`invalid object type: ${apiVersionOf(kind)}, Kind=${given}`);
}

function checkAppliedIdentity({ metadata }: KubeObject, target: Target): void {
  if (metadata.managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  const { name = "", namespace = "" } = metadata;
  if (metadata.name === "") throw badRequest("name must be provided");
  // An object that exists has its name.
  if (name !== "") checkName(name, target.name);
  if (namespace !== "" && namespace !== target.namespace) throw badRequest(wrongNamespace);
}

function undeclared(paths: readonly string[]): string {
  const faults = paths.map((path) => `.${path}: field not declared in schema`);
  return faults.length === 1 ? (faults[0] ?? "") : `errors:\n  ${faults.join("\n  ")}`;
}

/**
 * The part of a configuration that a request may change: the rest is neither applied nor owned. So a
 * controller that applies a whole object to `/status` does not come to own its spec.
 */
function appliedPart(given: KubeObject, kind: KindDefinition, subresource: string): KubeObject {
  if (subresource === "status") {
    const { name, namespace, uid, resourceVersion } = given.metadata;
    const metadata = defined({ name, namespace, uid, resourceVersion });
    const { apiVersion, status } = given;
    return defined({ apiVersion, kind: given.kind, metadata, status });
  }
  if (!kind.statusSubresource) return given;
  const { status: _, ...others } = given;
  return others as KubeObject;
}

function conflictDetail(manager: Writer): string {
  const subresource = manager.subresource === "" ? "" : ` with subresource "${manager.subresource}"`;
  return manager.operation === "Apply" ? subresource : `${subresource} using ${manager.apiVersion}`;
}
