import { trackUpdate } from "../apply/apply.ts";
import { type Manager, type Writer, writeManagers } from "../apply/managers.ts";
import { apiVersionOf, type KindDefinition } from "../kinds/kind.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { cloneJson, isJsonObject, type KubeObject, sameJson, stringList } from "../object.ts";
import { badRequest, conflict, type FieldError, invalid, modifiedMessage } from "../status.ts";
import { schemaOf } from "./admission.ts";
import type { Target, WriteOptions } from "./target.ts";

/** An object with the metadata that only the server may give. */
export function newObject(object: KubeObject, target: Target, uid: string, now: string): KubeObject {
  const { kind, namespace, name } = target;
  if (object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion !== "") {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  const {
    resourceVersion: _,
    deletionTimestamp: __,
    deletionGracePeriodSeconds: ___,
    ...given
  } = object.metadata;
  return {
    ...object,
    metadata: {
      ...given,
      name,
      ...(kind.namespaced ? { namespace } : {}),
      uid,
      creationTimestamp: now,
      ...(kind.builtIn ? {} : { generation: 1 }),
    },
  };
}

/** Refuses a change that was made for another version of the object. @returns whether the client named a version */
export function checkVersion(given: KubeObject, old: KubeObject, target: Target): boolean {
  const { uid, resourceVersion } = given.metadata;
  if (uid !== undefined && uid !== "" && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ""}`;
    throw conflict(target.kind, target.name, why);
  }
  if (resourceVersion === undefined || resourceVersion === "") return false;
  if (resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(target.kind, target.name, modifiedMessage);
  }
  return true;
}

/** The new state with everything that this request may not change as it was. */
export function changedObject(
  given: KubeObject,
  old: KubeObject,
  kind: KindDefinition,
  { subresource }: WriteOptions,
): KubeObject {
  if (subresource === "status") {
    const { status: _, ...others } = cloneJson(old);
    const status = given["status"];
    return { ...others, ...(status === undefined ? {} : { status }) } as KubeObject;
  }
  const metadata = { ...given.metadata };
  const fixed = ["name", "namespace", "uid", "creationTimestamp", "resourceVersion", "generation"].concat([
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generateName",
  ]);
  for (const field of fixed) {
    const value = old.metadata[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
  const object: KubeObject = { ...given, metadata };
  if (!kind.statusSubresource) return object;
  const { status: _, ...others } = object;
  return { ...others, ...(old["status"] === undefined ? {} : { status: old["status"] }) } as KubeObject;
}

/** Refuses a change that takes away a finalizer of the server's own. @throws StatusError 422 */
export function checkServerFinalizers(object: KubeObject, old: KubeObject, kind: KindDefinition): void {
  const given = stringList(object.metadata.finalizers);
  const missing = (kind.serverFinalizers ?? []).filter(
    (each) => old.metadata.finalizers?.includes(each) === true && !given.includes(each),
  );
  if (missing.length === 0) return;
  const errors = missing.map((finalizer): FieldError => {
    const why = `${finalizer} must stay: the server removes it once the ${kind.singular} is deleted and everything in it is gone`;
    return { reason: "FieldValueForbidden", field: "metadata.finalizers", message: `Forbidden: ${why}` };
  });
  throw invalid(kind, object.metadata.name ?? "", errors);
}

/** The generation counts the changes of everything but metadata and status. */
export function keepGeneration(object: KubeObject, old: KubeObject, kind: KindDefinition): void {
  if (kind.builtIn) return;
  const content = ({ metadata: _, status: __, ...rest }: KubeObject) => rest;
  const generation = old.metadata.generation ?? 1;
  object.metadata.generation = sameJson(content(object), content(old)) ? generation : generation + 1;
}

/** Who manages what after an ordinary write. @param now RFC 3339 */
export function trackedManagers(
  known: readonly Manager[],
  before: KubeObject | Record<string, never>,
  after: KubeObject,
  kind: KindDefinition,
  { fieldManager, subresource }: WriteOptions,
  now: string,
): Manager[] {
  const apiVersion = apiVersionOf(kind);
  const writer: Writer = { manager: fieldManager, operation: "Update", apiVersion, subresource };
  return trackUpdate(known, before, after, writer, schemaOf(kind), now);
}

export function setManagedFields(object: KubeObject, managers: readonly Manager[]): void {
  const entries = writeManagers(managers);
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

/** Whether something is still to be done before the object may go. A namespace keeps its own list in its spec. */
export function hasFinalizers(object: KubeObject): boolean {
  const spec = object["spec"];
  const own = object.kind === namespaceKind.kind && isJsonObject(spec) ? stringList(spec["finalizers"]) : [];
  return (object.metadata.finalizers ?? []).length > 0 || own.length > 0;
}
