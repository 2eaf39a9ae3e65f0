import { applyConfiguration } from "../apply/apply.ts";
import { readManagers, type Writer } from "../apply/managers.ts";
import { parseJson, parseYaml } from "../encoding/body.ts";
import { apiVersionOf, type KindDefinition } from "../kinds/kind.ts";
import type { Json, KubeObject } from "../object.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import type { PatchOutcome } from "../patch/patch-outcome.ts";
import { applyStrategicMergePatch } from "../patch/strategic-merge.ts";
import { applyConflict, badRequest, invalid, tooLarge, unsupportedMediaType } from "../status.ts";
import { dropUnknownFields, readObject, schemaOf } from "./admission.ts";
import type { NewState } from "./resources.ts";
import type { WriteOptions } from "./target.ts";

export const applyType = "application/apply-patch+yaml";

/** The patch types that a kind takes. */
export function patchTypes(kind: KindDefinition): string[] {
  const types = ["application/json-patch+json", "application/merge-patch+json", applyType];
  return kind.builtIn ? [...types, "application/strategic-merge-patch+json"] : types;
}

/**
 * Makes the change that a patch describes.
 *
 * @throws StatusError 400 for a body that is no patch, 415 for a type that the kind does not take
 */
export function patchChange(body: Buffer, type: string, kind: KindDefinition): (old: KubeObject) => NewState {
  if (!patchTypes(kind).includes(type)) throw unsupportedMediaType(patchTypes(kind));
  const patch = parseJson(body);
  return (old) => {
    const outcome = patched(old, patch, type, kind);
    if (outcome.ok) return { object: readObject(outcome.value, kind) };
    if (outcome.fault === "malformed") throw badRequest(outcome.message);
    if (outcome.fault === "too-large") throw tooLarge(outcome.message);
    const name = old.metadata.name ?? "";
    throw invalid(kind, name, [{ reason: "FieldValueInvalid", field: "patch", message: outcome.message }]);
  };
}

function patched(old: KubeObject, patch: Json, type: string, kind: KindDefinition): PatchOutcome {
  if (type === "application/json-patch+json") return applyJsonPatch(old, patch);
  if (type === "application/merge-patch+json") return { ok: true, value: applyMergePatch(old, patch) };
  return applyStrategicMergePatch(old, patch, schemaOf(kind));
}

/** A server-side apply: the change to an object that is there, and the object where there is none yet. */
export interface Apply {
  readonly configuration: KubeObject;
  readonly warnings: readonly string[];
  change(old: KubeObject): NewState;
}

/**
 * Reads a server-side apply.
 *
 * @param name what the path names
 * @param now RFC 3339
 * @throws StatusError 400; the changes throw 409 for conflicts
 */
export function readApply(
  body: Buffer,
  kind: KindDefinition,
  name: string,
  force: boolean,
  options: WriteOptions,
  now: string,
): Apply {
  const configuration = readObject(parseYaml(body), kind);
  if (configuration.metadata.managedFields !== undefined) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const given = configuration.metadata.name ?? name;
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  const warnings = dropUnknownFields(configuration, kind, options.fieldValidation);
  if (options.subresource === "" && kind.statusSubresource) delete configuration["status"];
  const writer: Writer = {
    manager: options.fieldManager,
    operation: "Apply",
    apiVersion: apiVersionOf(kind),
    subresource: options.subresource,
  };
  return {
    configuration,
    warnings,
    change(old) {
      const managers = readManagers(old.metadata.managedFields) ?? [];
      const outcome = applyConfiguration(old, configuration, managers, writer, force, schemaOf(kind), now);
      if (outcome.ok) return { object: outcome.object, managers: outcome.managers };
      const causes = outcome.conflicts.map(({ manager, field }) => ({
        reason: "FieldManagerConflict",
        message: `conflict with "${manager.manager}"${conflictDetail(manager)}`,
        field,
      }));
      throw applyConflict(causes, outcome.count);
    },
  };
}

function conflictDetail(manager: Writer): string {
  const subresource = manager.subresource === "" ? "" : ` with subresource "${manager.subresource}"`;
  return manager.operation === "Apply" ? subresource : `${subresource} using ${manager.apiVersion}`;
}
