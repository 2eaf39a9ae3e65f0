import { defined } from "../../base/core/defined.ts";
import { identityText, isJsonObject, type Json, type JsonObject } from "../api/object.ts";
import { type FieldSet, isEmptySet, unionOf } from "./field-set.ts";

/**
 * Writer, operation and subresource: any difference makes another manager, except that an applier keeps its
 * identity across API versions.
 */
export interface Writer {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** One entry of `metadata.managedFields`. */
export interface Manager extends Writer {
  /** RFC 3339; time of the last change to the fields. */
  readonly time: string;
  readonly fields: FieldSet;
}

export function isSameWriter(left: Writer, right: Writer): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    (left.operation === "Apply" || left.apiVersion === right.apiVersion) &&
    left.subresource === right.subresource
  );
}

/** Reads `metadata.managedFields`. @returns undefined if it is not a list of entries */
export function readManagers(entries: Json | undefined): Manager[] | undefined {
  const steps = readManagersInSteps(entries);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** {@link readManagers}, entry by entry, so that other work can run in between. */
export function* readManagersInSteps(entries: Json | undefined): Generator<void, Manager[] | undefined> {
  if (entries === undefined || entries === null) return [];
  if (!Array.isArray(entries)) return undefined;
  const managers: Manager[] = [];
  for (const entry of entries) {
    if (!isJsonObject(entry)) return undefined;
    // A list with one empty entry is a client's request to reset all managers.
    if (Object.keys(entry).length === 0) continue;
    const manager = readManager(entry);
    if (manager === undefined) return undefined;
    managers.push(manager);
    yield;
  }
  return managers;
}

function readManager(entry: JsonObject): Manager | undefined {
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  const fields = readFieldSet(fieldsV1 ?? {});
  if (fieldsType !== "FieldsV1" || fields === undefined) return undefined;
  return {
    manager: typeof manager === "string" ? manager : "",
    operation,
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    subresource: typeof subresource === "string" ? subresource : "",
    time: typeof time === "string" ? time : "",
    fields,
  };
}

/**
 * Normalizes a set for comparison by sorting the keys of items. Returns a normalized value unchanged.
 *
 * @returns undefined if it is not a set
 */
function readFieldSet(value: Json): FieldSet | undefined {
  if (!isJsonObject(value)) return undefined;
  let isCanonical = true;
  const parts: [string, FieldSet][] = [];
  for (const [given, child] of Object.entries(value)) {
    const [element, node] = [readElement(given), readFieldSet(child)];
    if (element === undefined || node === undefined) return undefined;
    isCanonical &&= element === given && (node as unknown) === child;
    parts.push([element, node]);
  }
  return isCanonical ? (value as unknown as FieldSet) : Object.fromEntries(parts);
}

function readElement(element: string): string | undefined {
  if (element === "." || element.startsWith("f:")) return element;
  if (!element.startsWith("k:") && !element.startsWith("v:")) return undefined;
  try {
    const value = JSON.parse(element.slice(2)) as Json;
    if (element.startsWith("v:")) return `v:${JSON.stringify(value)}`;
    return isJsonObject(value) ? `k:${identityText(value)}` : undefined;
  } catch {
    return undefined;
  }
}

/** Kubernetes' limit on the entries of ordinary writes. */
const maxUpdateManagers = 10;
const oldChanges = "ancient-changes";

/** Merges the oldest entries of ordinary writes down to at most ten. */
export function capUpdateManagers(managers: readonly Manager[]): Manager[] {
  const updaters = managers.filter(({ operation, fields }) => operation === "Update" && !isEmptySet(fields));
  const excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return [...managers];
  const byAge = updaters.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const last = byAge[excess];
  if (last === undefined) return [...managers];
  const isBucket = ({ manager, subresource }: Writer) => manager === oldChanges && subresource === "";
  const merged = new Set([...byAge.slice(0, excess + 1), ...byAge.filter(isBucket)]);
  const bucket: Manager = {
    manager: oldChanges,
    operation: "Update",
    apiVersion: last.apiVersion,
    subresource: "",
    time: last.time,
    fields: unionOf([...merged].map(({ fields }) => fields)),
  };
  return [...managers.filter((each) => !merged.has(each)), bucket];
}

function rank({ operation, time, manager, apiVersion, subresource }: Manager): string {
  return `${operation} ${time} ${manager} ${apiVersion} ${subresource}`;
}

/**
 * Writes `metadata.managedFields`: appliers first, then by time and name; entries without fields are omitted.
 */
export function writeManagers(managers: readonly Manager[]): JsonObject[] {
  return managers
    .filter(({ fields }) => !isEmptySet(fields))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map(({ manager, operation, apiVersion, time, fields, subresource }) =>
      defined({
        manager,
        operation,
        apiVersion,
        time: time || undefined,
        fieldsType: "FieldsV1",
        fieldsV1: fields as unknown as JsonObject,
        subresource: subresource || undefined,
      }),
    );
}
