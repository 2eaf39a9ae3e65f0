import { isJsonObject, type Json, type JsonObject } from "../object.ts";
import { emptySet, type FieldSet, isEmptySet } from "./field-set.ts";

/** Who writes, through which operation and which part of the object: managers differ when any of these does. */
export interface Writer {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** One entry of `metadata.managedFields`. */
export interface Manager extends Writer {
  /** RFC 3339; when the fields last changed. */
  readonly time: string;
  readonly fields: FieldSet;
}

export function isSameWriter(left: Writer, right: Writer): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.apiVersion === right.apiVersion &&
    left.subresource === right.subresource
  );
}

/** Reads `metadata.managedFields`. @returns undefined when it is not a list of entries */
export function readManagers(entries: Json | undefined): Manager[] | undefined {
  if (entries === undefined || entries === null) return [];
  if (!Array.isArray(entries)) return undefined;
  const managers: Manager[] = [];
  for (const entry of entries) {
    if (!isJsonObject(entry)) return undefined;
    // A list of one empty entry is how clients ask to forget all managers.
    if (Object.keys(entry).length === 0) continue;
    const manager = readManager(entry);
    if (manager === undefined) return undefined;
    managers.push(manager);
  }
  return managers;
}

function readManager(entry: JsonObject): Manager | undefined {
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (fieldsType !== "FieldsV1" || !isFieldSet(fieldsV1 ?? {})) return undefined;
  return {
    manager: typeof manager === "string" ? manager : "",
    operation,
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    subresource: typeof subresource === "string" ? subresource : "",
    time: typeof time === "string" ? time : "",
    fields: (fieldsV1 ?? emptySet) as unknown as FieldSet,
  };
}

function isFieldSet(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(([element, node]) => isElement(element) && isFieldSet(node));
}

function isElement(element: string): boolean {
  if (element === "." || element.startsWith("f:")) return true;
  if (!element.startsWith("k:") && !element.startsWith("v:")) return false;
  try {
    const value = JSON.parse(element.slice(2)) as Json;
    return element.startsWith("v:") || isJsonObject(value);
  } catch {
    return false;
  }
}

/** Writes `metadata.managedFields`: appliers first, then by time and name; those without fields are left out. */
export function writeManagers(managers: readonly Manager[]): JsonObject[] {
  const rank = (each: Manager) => `${each.operation} ${each.time} ${each.manager} ${each.subresource}`;
  return managers
    .filter(({ fields }) => !isEmptySet(fields))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === "" ? {} : { time }),
      fieldsType: "FieldsV1",
      fieldsV1: fields as unknown as JsonObject,
      ...(subresource === "" ? {} : { subresource }),
    }));
}
