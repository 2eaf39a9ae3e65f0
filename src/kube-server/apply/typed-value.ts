import { isJsonObject, type Json, type JsonObject, sameJson, setField } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { fieldSchema } from "../api/unknown-fields.ts";
import { emptySet, type FieldSet, holdsSelf, isEmptySet, nodeOf, self } from "./field-set.ts";

/**
 * How a value divides into fields with their own managers. Without a schema, the division is the one
 * Kubernetes deduces: objects by field, lists as a whole.
 */
export type Shape = "fields" | "items" | "leaf";

export function shapeOf(value: Json, schema: Schema | undefined): Shape {
  if (isJsonObject(value)) return schema?.["x-kubernetes-map-type"] === "atomic" ? "leaf" : "fields";
  const listType = schema?.["x-kubernetes-list-type"];
  return Array.isArray(value) && (listType === "map" || listType === "set") ? "items" : "leaf";
}

/** Whether the schema declares the field by name, rather than allowing any. */
function isNamed(schema: Schema | undefined, name: string): boolean {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, name);
}

/** The schema of the child that a field-set element leads to. */
function partSchema(schema: Schema | undefined, element: string): Schema | undefined {
  return element.startsWith("f:") ? fieldSchema(schema, element.slice(2)) : schema?.items;
}

/**
 * Field-set element of a list item: `v:` and its value in a set, else `k:` and its keys, defaults included.
 */
export function itemElement(item: Json, schema: Schema | undefined): string {
  if (schema?.["x-kubernetes-list-type"] === "set" || !isJsonObject(item)) return `v:${JSON.stringify(item)}`;
  const keys: JsonObject = {};
  for (const key of [...(schema?.["x-kubernetes-list-map-keys"] ?? [])].sort()) {
    const value = item[key] ?? fieldSchema(schema?.items, key)?.default;
    if (value !== undefined) keys[key] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

/** Items of a list by element; several per element if the list has duplicates. */
export function itemsByElement(list: Json | undefined, schema: Schema | undefined): Map<string, Json[]> {
  const items = new Map<string, Json[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const element = itemElement(item, schema);
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}

/** All fields in a value: leaves, empty objects, keys that the schema does not name, and items. */
export function fieldsOf(value: Json, schema: Schema | undefined): FieldSet {
  const result: Record<string, FieldSet> = {};
  const shape = shapeOf(value, schema);
  if (shape === "fields" && isJsonObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      if (typeof child !== "object") {
        result[`f:${name}`] = emptySet;
        continue;
      }
      const childSchema = fieldSchema(schema, name);
      const parts = fieldsOf(child, childSchema);
      const isLeaf = shapeOf(child, childSchema) === "leaf" || isEmptyObject(child);
      const node = nodeOf(isLeaf || !isNamed(schema, name), parts);
      if (node !== undefined) result[`f:${name}`] = node;
    }
  } else if (shape === "items") {
    for (const [element, [item = null, ...more]] of itemsByElement(value, schema)) {
      const parts = more.length > 0 ? emptySet : fieldsOf(item, schema?.items);
      result[element] = nodeOf(true, parts) ?? emptySet;
    }
  }
  return result;
}

function isEmptyObject(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function isEmptyContainer(value: Json): boolean {
  return value === null || (Array.isArray(value) ? value.length === 0 : isEmptyObject(value));
}

/**
 * Adds the ancestors that the schema names. So removing `a.b.c` also removes `a` and `a.b` once they are
 * empty, but no other keys of a map.
 */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [element, node] of Object.entries(set)) {
    if (element === self) continue;
    if (isEmptySet(node)) {
      result[element] = node;
      continue;
    }
    const isMember = (element.startsWith("f:") && isNamed(schema, element.slice(2))) || holdsSelf(node);
    const parts = withNamedFields(node, partSchema(schema, element));
    const kept = nodeOf(isMember, parts);
    if (kept !== undefined) result[element] = kept;
  }
  return result;
}

/**
 * A copy of a value without the fields of a set and everything below them. A container left empty becomes
 * null, which only a schema that allows null keeps.
 */
export function removeFields(value: Json, set: FieldSet, schema: Schema | undefined): Json {
  const shape = shapeOf(value, schema);
  if (shape === "fields" && isJsonObject(value)) {
    const rest: JsonObject = {};
    let count = 0;
    for (const [name, child] of Object.entries(value)) {
      const kept = removePart(child, `f:${name}`, set, fieldSchema(schema, name));
      if (kept === undefined) continue;
      setField(rest, name, kept);
      count++;
    }
    return count === 0 ? null : rest;
  }
  if (shape !== "items" || !Array.isArray(value)) return value;
  const rest = value.flatMap((item) => {
    const kept = removePart(item, itemElement(item, schema), set, schema?.items);
    return kept === undefined ? [] : [kept];
  });
  return rest.length === 0 ? null : rest;
}

function removePart(
  part: Json,
  element: string,
  set: FieldSet,
  schema: Schema | undefined,
): Json | undefined {
  const node = Object.hasOwn(set, element) ? set[element] : undefined;
  if (node === undefined) return part;
  return holdsSelf(node) ? undefined : removeFields(part, node, schema);
}

/** Difference between two states of an object. */
export interface Comparison {
  /** New fields, and fields with another value. */
  readonly changed: FieldSet;
  /** Removed fields. */
  readonly removed: FieldSet;
}

/** Compares two states field by field. A container itself changes only when it appears or disappears. */
export function compareFields(before: Json, after: Json, schema: Schema | undefined): Comparison {
  const changed: Record<string, FieldSet> = {};
  const removed: Record<string, FieldSet> = {};
  const note = (element: string, part: PartComparison): void => {
    if (part.changed !== undefined) changed[element] = part.changed;
    if (part.removed !== undefined) removed[element] = part.removed;
  };
  const [isBefore, isAfter] = [shapeOf(before, schema), shapeOf(after, schema)];
  if (before === after) return { changed, removed };
  if (isBefore === "fields" || isAfter === "fields") {
    const old = isBefore === "fields" && isJsonObject(before) ? before : {};
    const next = isAfter === "fields" && isJsonObject(after) ? after : {};
    for (const [name, value] of Object.entries(next)) {
      const earlier = Object.hasOwn(old, name) ? old[name] : undefined;
      if (earlier !== value) note(`f:${name}`, comparePart(earlier, value, fieldSchema(schema, name)));
    }
    for (const [name, value] of Object.entries(old)) {
      if (Object.hasOwn(next, name)) continue;
      note(`f:${name}`, { removed: wholeOf(value, fieldSchema(schema, name)) });
    }
  } else if (isBefore === "items" || isAfter === "items") {
    const old = itemsByElement(isBefore === "items" ? before : undefined, schema);
    const next = itemsByElement(isAfter === "items" ? after : undefined, schema);
    for (const [element, items] of next) {
      note(element, compareItems(old.get(element) ?? [], items, schema?.items));
    }
    for (const [element, items] of old) {
      if (!next.has(element)) note(element, { removed: wholeOfItems(items, schema?.items) });
    }
  }
  return { changed, removed };
}

interface PartComparison {
  readonly changed?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

function comparePart(before: Json | undefined, after: Json, schema: Schema | undefined): PartComparison {
  if (before === undefined) return { changed: wholeOf(after, schema) };
  const [old, next] = [shapeOf(before, schema), shapeOf(after, schema)];
  const areEmpty = isEmptyContainer(before) && isEmptyContainer(after);
  if (areEmpty || (old === "leaf" && next === "leaf")) {
    return sameJson(before, after) ? {} : { changed: emptySet };
  }
  const { changed, removed } = compareFields(before, after, schema);
  // Null counts as an empty object or list.
  const isOther = old !== next && before !== null && after !== null;
  return { changed: nodeOf(isOther, changed), removed: nodeOf(false, removed) };
}

/** Compares items by element: duplicates count as one value. */
function compareItems(
  before: readonly Json[],
  after: readonly Json[],
  schema: Schema | undefined,
): PartComparison {
  const [first = null] = after;
  if (before.length <= 1 && after.length <= 1) return comparePart(before[0], first, schema);
  if (before.length > 1 && after.length > 1) {
    return sameJson([...before], [...after]) ? {} : { changed: emptySet };
  }
  return { changed: wholeOfItems(after, schema), removed: wholeOfItems(before, schema) };
}

function wholeOfItems(items: readonly Json[], schema: Schema | undefined): FieldSet {
  const [first = null] = items;
  return items.length > 1 ? emptySet : wholeOf(first, schema);
}

/** The field set of a value and everything in it. */
function wholeOf(value: Json, schema: Schema | undefined): FieldSet {
  if (typeof value !== "object") return emptySet;
  const parts: Record<string, FieldSet> = {};
  const shape = shapeOf(value, schema);
  if (shape === "fields" && isJsonObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      parts[`f:${name}`] = wholeOf(child, fieldSchema(schema, name));
    }
  } else if (shape === "items") {
    for (const [element, items] of itemsByElement(value, schema)) {
      parts[element] = wholeOfItems(items, schema?.items);
    }
  }
  return nodeOf(true, parts) ?? emptySet;
}
