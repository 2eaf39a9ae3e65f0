import { defined } from "../../base/core/defined.ts";
import { apiVersionOf, hasGeneration, type KindDefinition, singularOf } from "../api/kind.ts";
import {
  cloneJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  sameJson,
  stringList,
} from "../api/object.ts";
import { badRequest, conflict, type FieldError, forbidden, invalid, modifiedMessage } from "../api/status.ts";
import { forbiddenValue, invalidValue } from "../api/validate.ts";
import { trackUpdate } from "../apply/apply.ts";
import { type Manager, readManagersInSteps, type Writer, writeManagers } from "../apply/managers.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { schemaOf } from "./admission.ts";
import { inSteps } from "./object-size.ts";
import type { Target, WriteOptions } from "./target.ts";

/** Rejects an object to be created with the version of another one. @throws StatusError 400 */
export function checkNoVersion({ metadata }: KubeObject): void {
  // What cannot be a version is none.
  if (!/^0*[1-9]\d*$/.test(metadata.resourceVersion ?? "")) return;
  throw badRequest("resourceVersion should not be set on objects to be created");
}

/** Sets the metadata that only the server may assign. */
export function newObject(object: KubeObject, target: Target, uid: string, now: string): KubeObject {
  const { kind, namespace, name } = target;
  const {
    resourceVersion: _,
    deletionTimestamp: __,
    deletionGracePeriodSeconds: ___,
    selfLink: ____,
    ...given
  } = object.metadata;
  return {
    ...object,
    metadata: defined({
      ...given,
      name,
      namespace: kind.namespaced ? namespace : given.namespace,
      uid,
      creationTimestamp: now,
      generation: hasGeneration(kind) ? 1 : given["generation"],
    }),
  };
}

/**
 * Rejects a change intended for another object or version.
 *
 * @param isWhole an update: its uid is a precondition
 * @throws StatusError 409, 422
 */
export function checkVersion(given: KubeObject, old: KubeObject, target: Target, isWhole: boolean): void {
  const { kind, name } = target;
  const { uid = "", resourceVersion = "" } = given.metadata;
  if (uid !== "" && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ""}`;
    if (isWhole) throw conflict(kind, name, why);
    throw invalid(kind, name, [invalidValue("metadata.uid", uid, "field is immutable")]);
  }
  // No version, or "0" for built-in kinds: the change applies to any version.
  if (resourceVersion === "" || (resourceVersion === "0" && kind.builtIn)) return;
  if (!/^\d+$/.test(resourceVersion)) {
    const why = "must be a number in decimal";
    throw invalid(kind, name, [invalidValue("metadata.resourceVersion", resourceVersion, why)]);
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(kind, name, modifiedMessage);
}

const deletionFields = ["deletionTimestamp", "deletionGracePeriodSeconds"];

/**
 * Checks metadata that only a deletion may set. @throws StatusError 422
 *
 * @param given as sent by the client
 */
export function checkDeletion(given: KubeObject, old: KubeObject, { kind, name }: Target): void {
  if (old.metadata.deletionTimestamp === undefined) {
    const errors = deletionFields.flatMap((field): FieldError[] => {
      const value = given.metadata[field] ?? null;
      return value === null ? [] : [invalidValue(`metadata.${field}`, value, "field is immutable")];
    });
    if (errors.length > 0) throw invalid(kind, name, errors);
    return;
  }
  const known = new Set(old.metadata.finalizers);
  const added = [...new Set(given.metadata.finalizers)].filter((each) => !known.has(each)).sort();
  if (added.length === 0) return;
  const list = `[]string{${added.map((each) => JSON.stringify(each)).join(", ")}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  throw invalid(kind, name, [forbiddenValue("metadata.finalizers", why)]);
}

/** The new state, with everything restored that this request may not change. */
export function changedObject(
  given: KubeObject,
  old: KubeObject,
  kind: KindDefinition,
  { subresource }: WriteOptions,
): KubeObject {
  // Everything else stays the old object's own, so that nobody needs to look at it again.
  if (subresource === "status") return withStatus({ ...old, metadata: { ...old.metadata } }, given["status"]);
  const metadata = { ...given.metadata };
  const fixed = ["name", "namespace", "uid", "creationTimestamp", "resourceVersion", "generation"].concat([
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
  ]);
  for (const field of fixed) {
    const value = old.metadata[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
  const object: KubeObject = { ...given, metadata };
  return kind.statusSubresource ? withStatus(object, old["status"]) : object;
}

/** The object with this status, as its last field. */
function withStatus({ status: _, ...others }: KubeObject, status: Json | undefined): KubeObject {
  return defined({ ...others, status }) as KubeObject;
}

/**
 * A deep copy of what the client sent. The parts that its object has in common with the old one stay shared
 * where only the status is written: they are known to be right.
 */
export function copyOfGiven(given: KubeObject, old: KubeObject, { subresource }: WriteOptions): KubeObject {
  if (subresource !== "status") return cloneJson(given);
  const copy: KubeObject = { ...given };
  for (const [name, part] of Object.entries(sentParts(given, old))) copy[name] = cloneJson(part);
  return copy;
}

/** The top-level fields that the object does not share with the old one. */
export function sentParts(given: KubeObject, old: KubeObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([name, part]) => part !== old[name]));
}

function missingFinalizers(object: KubeObject, old: KubeObject, kind: KindDefinition): string[] {
  const given = stringList(object.metadata.finalizers);
  const own = kind.usedBy === undefined ? [] : [kind.usedBy.finalizer];
  return [...(kind.serverFinalizers ?? []), ...own].filter(
    (each) => old.metadata.finalizers?.includes(each) === true && !given.includes(each),
  );
}

/** Keeps the server's finalizers that a whole object lacks: a manifest does not have them. */
export function keepServerFinalizers(object: KubeObject, old: KubeObject, kind: KindDefinition): void {
  const missing = missingFinalizers(object, old, kind);
  if (missing.length === 0) return;
  const others = stringList(object.metadata.finalizers);
  const isKept = (each: string) => missing.includes(each) || others.includes(each);
  // In their order, so that nothing changes where nothing else does.
  object.metadata.finalizers = [
    ...new Set([...stringList(old.metadata.finalizers).filter(isKept), ...others]),
  ];
}

/** Rejects the removal of a server finalizer. @throws StatusError 422 */
export function checkServerFinalizers(object: KubeObject, old: KubeObject, kind: KindDefinition): void {
  const missing = missingFinalizers(object, old, kind);
  if (missing.length === 0) return;
  const errors = missing.map((finalizer): FieldError => {
    const until = finalizer === kind.usedBy?.finalizer ? "nothing uses it" : "everything in it is gone";
    const why = `${finalizer} must stay: the server removes it once the ${singularOf(kind)} is deleted and ${until}`;
    return { reason: "FieldValueForbidden", field: "metadata.finalizers", message: `Forbidden: ${why}` };
  });
  throw invalid(kind, object.metadata.name ?? "", errors);
}

/**
 * Keeps the providers' finalizers of an object as they were, unless a provider writes it. Without its own,
 * the block of a Subnet would be given to another project while instances still have it. A write that lacks
 * them, such as `kubectl replace -f`, is no mistake.
 *
 * @returns warnings about what was kept
 */
export function keepProviderFinalizers(
  object: KubeObject,
  old: KubeObject | undefined,
  kind: KindDefinition,
  { role, byServer }: WriteOptions,
): string[] {
  if (role === "provider" || byServer === true) return [];
  const [given, known] = [stringList(object.metadata.finalizers), stringList(old?.metadata.finalizers)];
  const own = kind.providerFinalizers ?? [];
  const changed = own.filter((each) => given.includes(each) !== known.includes(each));
  if (changed.length === 0) return [];
  const others = given.filter((each) => !changed.includes(each));
  object.metadata.finalizers = [...others, ...changed.filter((each) => known.includes(each))];
  return changed.map((each) => `metadata.finalizers: only providers add and remove ${each}`);
}

/** Rejects a change of what the server assigns. @throws StatusError 403 */
export function checkAssigned(object: KubeObject, old: KubeObject, kind: KindDefinition): void {
  if (kind.assigned === undefined) return;
  if (sameJson(kind.assigned(object["status"]), kind.assigned(old["status"]))) return;
  const why = "addresses in its status are assigned by the server and cannot be written";
  throw forbidden(kind, object.metadata.name ?? "", why);
}

/** The generation counts changes to anything but metadata and status. */
export function keepGeneration(object: KubeObject, old: KubeObject, kind: KindDefinition): void {
  if (!hasGeneration(kind)) return;
  const content = ({ metadata: _, status: __, ...rest }: KubeObject) => rest;
  const generation = old.metadata.generation ?? 1;
  object.metadata.generation = sameJson(content(object), content(old)) ? generation : generation + 1;
}

/**
 * Managers before a write: the object's own, or those with which the request replaces them. A list of one
 * empty entry clears them; an empty list does not, because clients without support for managed fields send
 * it.
 *
 * @param values of the objects: with many, other requests run between two managers
 */
export async function knownManagers(
  given: KubeObject,
  old: KubeObject,
  { subresource }: WriteOptions,
  values: number,
): Promise<Manager[]> {
  const claimed = given.metadata.managedFields;
  const readAll = async (entries: Json | undefined) =>
    (await inSteps(readManagersInSteps(entries), values)) ?? [];
  const recorded = () => readAll(old.metadata.managedFields);
  if (subresource !== "" || !Array.isArray(claimed) || claimed.length === 0) return await recorded();
  const [first] = claimed;
  if (claimed.length === 1 && isJsonObject(first) && Object.keys(first).length === 0) return [];
  const read = await readAll(claimed);
  return read.length === 0 ? await recorded() : read;
}

/** Managers after an ordinary write. @param now RFC 3339 */
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

const maxManagerBytes = 128;

/** @throws StatusError 422 for a manager with a name that is too long, which a body may bring */
export function setManagedFields(
  object: KubeObject,
  managers: readonly Manager[],
  kind: KindDefinition,
): void {
  const entries = writeManagers(managers);
  const long = entries.findIndex(({ manager }) => Buffer.byteLength(String(manager)) > maxManagerBytes);
  if (long !== -1) {
    const field = `metadata.managedFields[${long}].manager`;
    const message = `Too long: may not be more than ${maxManagerBytes} bytes`;
    throw invalid(kind, object.metadata.name ?? "", [{ reason: "FieldValueTooLong", field, message }]);
  }
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

/** Whether finalizers still block the object's deletion. A namespace has its own list in its spec. */
export function hasFinalizers(object: KubeObject): boolean {
  const spec = object["spec"];
  const own = object.kind === namespaceKind.kind && isJsonObject(spec) ? stringList(spec["finalizers"]) : [];
  return (object.metadata.finalizers ?? []).length > 0 || own.length > 0;
}

/** Whether nothing keeps an object that is being deleted. */
export function isLastState(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasFinalizers(object);
}
