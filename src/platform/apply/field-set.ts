import { isJsonObject, type Json, type JsonObject, sameJson } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import { fieldSchema } from "../schema/unknown-fields.ts";

/**
 * A set of fields, in the form in which `managedFields` keeps it (FieldsV1): a tree whose keys are `f:<name>` for a field,
 * `k:<key fields as JSON>` for an item of a keyed list, `v:<value as JSON>` for an item of a set; `.` in a node says that
 * the node itself belongs to the set, and an empty node that it alone does.
 *
 * Sets are never changed in place.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const emptySet: FieldSet = {};
const self = ".";

export function isEmptySet(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** One step from a value to a part of it. */
interface Step {
  readonly element: string;
  readonly value: Json;
  readonly schema: Schema | undefined;
}

/** The parts of a value that are owned on their own; none for a scalar and for what is atomic. */
function steps(value: Json, schema: Schema | undefined): Step[] {
  if (isJsonObject(value)) {
    if (schema?.["x-kubernetes-map-type"] === "atomic") return [];
    return Object.entries(value).map(([name, child]) => {
      return { element: `f:${name}`, value: child, schema: fieldSchema(schema, name) };
    });
  }
  if (!Array.isArray(value)) return [];
  const listType = schema?.["x-kubernetes-list-type"];
  if (listType !== "map" && listType !== "set") return [];
  return value.map((item) => ({ element: itemElement(item, schema), value: item, schema: schema?.items }));
}

function itemElement(item: Json, schema: Schema | undefined): string {
  if (schema?.["x-kubernetes-list-type"] === "set" || !isJsonObject(item)) return `v:${JSON.stringify(item)}`;
  const keys = [...(schema?.["x-kubernetes-list-map-keys"] ?? [])].sort();
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key] ?? null])))}`;
}

function isAtomic(value: Json, schema: Schema | undefined): boolean {
  if (isJsonObject(value)) return schema?.["x-kubernetes-map-type"] === "atomic";
  const listType = schema?.["x-kubernetes-list-type"];
  return !Array.isArray(value) || (listType !== "map" && listType !== "set");
}

/** Every field that a configuration mentions: its leaves, and the items of its keyed lists. */
export function fieldsOf(value: Json, schema: Schema | undefined): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const step of steps(value, schema)) {
    const inner = fieldsOf(step.value, step.schema);
    const isItem = step.element.startsWith("k:");
    result[step.element] = isItem && !isEmptySet(inner) ? { [self]: emptySet, ...inner } : inner;
  }
  return result;
}

/** What changed between two states of an object. */
export interface Comparison {
  /** Fields that are new or have another value. */
  readonly changed: FieldSet;
  /** Fields that are not there any more. */
  readonly removed: FieldSet;
}

/** Compares two states field by field. Containers count as changed themselves only when they appear or go away. */
export function compareFields(before: Json, after: Json, schema: Schema | undefined): Comparison {
  const changed: Record<string, FieldSet> = {};
  const removed: Record<string, FieldSet> = {};
  const old = new Map(steps(before, schema).map((step) => [step.element, step]));
  for (const step of steps(after, schema)) {
    const earlier = old.get(step.element);
    old.delete(step.element);
    if (earlier === undefined) {
      changed[step.element] = wholeOf(step);
    } else if (isAtomic(step.value, step.schema) || isAtomic(earlier.value, step.schema)) {
      if (!sameJson(earlier.value, step.value)) changed[step.element] = emptySet;
    } else {
      const inner = compareFields(earlier.value, step.value, step.schema);
      if (!isEmptySet(inner.changed)) changed[step.element] = inner.changed;
      if (!isEmptySet(inner.removed)) removed[step.element] = inner.removed;
    }
  }
  for (const step of old.values()) removed[step.element] = wholeOf(step);
  return { changed, removed };
}

/** A part and everything in it. */
function wholeOf(step: Step): FieldSet {
  const inner: Record<string, FieldSet> = {};
  for (const part of steps(step.value, step.schema)) inner[part.element] = wholeOf(part);
  return isEmptySet(inner) ? emptySet : { [self]: emptySet, ...inner };
}

/** Whether the node itself is in its set. */
function holdsSelf(node: FieldSet): boolean {
  return isEmptySet(node) || Object.hasOwn(node, self);
}

function members(node: FieldSet): [string, FieldSet][] {
  return Object.entries(node).filter(([element]) => element !== self);
}

function nodeOf(own: boolean, inner: readonly [string, FieldSet][]): FieldSet | undefined {
  if (inner.length === 0) return own ? emptySet : undefined;
  return own ? { [self]: emptySet, ...Object.fromEntries(inner) } : Object.fromEntries(inner);
}

/** How two sets are combined: whether a field belongs to the result, by whether it is in either. */
function combine(
  left: FieldSet,
  right: FieldSet,
  keep: (left: boolean, right: boolean) => boolean,
): FieldSet {
  const result: [string, FieldSet][] = [];
  const elements = new Set([...members(left), ...members(right)].map(([element]) => element));
  for (const element of elements) {
    const [a, b] = [left[element], right[element]];
    const own = keep(a !== undefined && holdsSelf(a), b !== undefined && holdsSelf(b));
    const inner = combine(a ?? emptySet, b ?? emptySet, keep);
    const node = nodeOf(own, Object.entries(inner));
    if (node !== undefined) result.push([element, node]);
  }
  return Object.fromEntries(result);
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (a, b) => a || b);
}

export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (a, b) => a && !b);
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (a, b) => a && b);
}

/** The same set without the fields below the given top-level paths (`metadata.name`, `status`). */
export function withoutPaths(set: FieldSet, paths: readonly string[]): FieldSet {
  return paths.reduce((rest, path) => withoutPath(rest, path.split(".")), set);
}

function withoutPath(set: FieldSet, [first = "", ...rest]: readonly string[]): FieldSet {
  const element = `f:${first}`;
  const node = set[element];
  if (node === undefined) return set;
  const { [element]: _, ...others } = set;
  if (rest.length === 0) return others;
  const inner = withoutPath(node, rest);
  return isEmptySet(inner) && !isEmptySet(node) ? others : { ...others, [element]: inner };
}

/** The paths of all fields of a set, as conflicts name them: `.spec.sinks[name="a"].target`. */
export function pathsOf(set: FieldSet, prefix = ""): string[] {
  return members(set).flatMap(([element, node]) => {
    const path = prefix + pathElement(element);
    const inner = pathsOf(node, path);
    return holdsSelf(node) ? [path, ...inner] : inner;
  });
}

function pathElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith("f:")) return `.${text}`;
  if (element.startsWith("v:")) return `[=${text}]`;
  const keys = Object.entries(JSON.parse(text) as JsonObject);
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
}

/**
 * A copy of a value without the fields of a set. A container goes when the set holds it itself and nothing is left in it.
 */
export function removeFields(value: Json, set: FieldSet, schema: Schema | undefined): Json {
  if (isEmptySet(set)) return value;
  const kept = steps(value, schema).flatMap((step): Step[] => {
    const node = set[step.element];
    if (node === undefined) return [step];
    const inner = removeFields(step.value, node, step.schema);
    const isGone = holdsSelf(node) && (isAtomic(step.value, step.schema) || isEmptyContainer(inner, step));
    return isGone ? [] : [{ ...step, value: withKeys(inner, step) }];
  });
  if (Array.isArray(value)) return kept.map((step) => step.value);
  return Object.fromEntries(kept.map((step) => [step.element.slice(2), step.value]));
}

/** An item that stays because of fields of others keeps its keys: without them it would be no item of its list. */
function withKeys(value: Json, step: Step): Json {
  if (!step.element.startsWith("k:") || !isJsonObject(value) || !isJsonObject(step.value)) return value;
  const keys = Object.keys(JSON.parse(step.element.slice(2)) as JsonObject);
  const own = step.value;
  return Object.fromEntries(
    Object.keys(own)
      .filter((name) => keys.includes(name) || Object.hasOwn(value, name))
      .map((name) => [name, value[name] ?? own[name] ?? null]),
  );
}

/** An item of a keyed list that has nothing left but its keys counts as empty. */
function isEmptyContainer(value: Json, step: Step): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return true;
  if (!step.element.startsWith("k:")) return Object.keys(value).length === 0;
  const keys = JSON.parse(step.element.slice(2)) as JsonObject;
  return Object.keys(value).every((name) => Object.hasOwn(keys, name));
}
