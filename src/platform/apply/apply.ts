import { cloneJson, isJsonObject, type Json, type JsonObject, type KubeObject, sameJson } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import { fieldSchema } from "../schema/unknown-fields.ts";
import {
  compareFields,
  difference,
  emptySet,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmptySet,
  pathsOf,
  removeFields,
  union,
  withoutPaths,
} from "./field-set.ts";
import { isSameWriter, type Manager, type Writer } from "./managers.ts";

/** Fields that the server sets or that name the object: nobody manages them. */
const unmanaged = [
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.generateName",
  "metadata.selfLink",
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.creationTimestamp",
  "metadata.deletionTimestamp",
  "metadata.deletionGracePeriodSeconds",
  "metadata.managedFields",
];

/** The part of a set that somebody can manage; `metadata` itself is everybody's. */
function managed(set: FieldSet): FieldSet {
  const { "f:metadata": metadata, ...others } = withoutPaths(set, unmanaged);
  if (metadata === undefined) return others;
  const { ".": _, ...inner } = metadata;
  return isEmptySet(inner) ? others : { "f:metadata": inner, ...others };
}

/** A field that an apply would change though another manager holds it. */
export interface ApplyConflict {
  readonly manager: Writer;
  /** As pathsOf writes it. */
  readonly field: string;
}

export type ApplyOutcome =
  | { readonly ok: true; readonly object: KubeObject; readonly managers: readonly Manager[] }
  | { readonly ok: false; readonly conflicts: readonly ApplyConflict[] };

/**
 * The managers of an object after an ordinary write (create, update, patch): what was changed is the writer's now and
 * nobody else's, what was removed is nobody's.
 *
 * @param now RFC 3339
 */
export function trackUpdate(
  managers: readonly Manager[],
  before: JsonObject,
  after: JsonObject,
  writer: Writer,
  schema: Schema,
  now: string,
): Manager[] {
  const comparison = compareFields(before, after, schema);
  const changed = managed(comparison.changed);
  const removed = managed(comparison.removed);
  if (isEmptySet(changed) && isEmptySet(removed)) return [...managers];
  const others = managers
    .filter((each) => !isSameWriter(each, writer))
    .map((each) => withFields(each, difference(difference(each.fields, changed), removed), each.time));
  const own = managers.find((each) => isSameWriter(each, writer))?.fields ?? emptySet;
  const fields = difference(union(own, changed), removed);
  return [...others, { ...writer, time: now, fields }];
}

function withFields(manager: Manager, fields: FieldSet, time: string): Manager {
  return { ...manager, fields, time };
}

/**
 * Server-side apply: merges a configuration into an object, removes what this manager applied before and applies no
 * more (unless another manager holds it too), and finds the conflicts.
 *
 * @param live the object as it is; {} with the configuration's identity for one that is created
 * @param force take conflicting fields from their managers
 * @param now RFC 3339
 */
export function applyConfiguration(
  live: KubeObject,
  configuration: KubeObject,
  managers: readonly Manager[],
  writer: Writer,
  force: boolean,
  schema: Schema,
  now: string,
): ApplyOutcome {
  const known = managers.length > 0 ? managers : beforeFirstApply(live, writer, schema, now);
  const last = known.find((each) => isSameWriter(each, writer))?.fields ?? emptySet;
  const others = known.filter((each) => !isSameWriter(each, writer));
  const wanted = managed(fieldsOf(configuration, schema));

  const merged = mergeApplied(live, configuration, schema);
  const heldByOthers = others.reduce((all, each) => union(all, each.fields), emptySet);
  const dropped = difference(difference(last, wanted), heldByOthers);
  const object = removeFields(merged, dropped, schema) as KubeObject;

  const comparison = compareFields(live, object, schema);
  const changed = managed(comparison.changed);
  const removed = managed(comparison.removed);
  const touched = intersection(changed, wanted);
  const conflicts = others.flatMap((manager) =>
    pathsOf(intersection(touched, manager.fields)).map((field) => ({ manager, field })),
  );
  if (conflicts.length > 0 && !force) return { ok: false, conflicts };

  const remaining = others.map((each) =>
    withFields(each, difference(difference(each.fields, touched), removed), each.time),
  );
  const previous = known.find((each) => isSameWriter(each, writer));
  const time =
    previous !== undefined && sameSet(previous.fields, wanted) && isEmptySet(changed) && isEmptySet(removed)
      ? previous.time
      : now;
  return { ok: true, object, managers: [...remaining, { ...writer, time, fields: wanted }] };
}

function sameSet(left: FieldSet, right: FieldSet): boolean {
  return sameJson(left as unknown as Json, right as unknown as Json);
}

/** An object that nobody has tracked yet belongs to a manager of that name, so that a first apply can conflict with it. */
function beforeFirstApply(live: KubeObject, writer: Writer, schema: Schema, now: string): Manager[] {
  const fields = managed(compareFields({}, live, schema).changed);
  if (isEmptySet(fields)) return [];
  return [
    {
      manager: "before-first-apply",
      operation: "Update",
      apiVersion: writer.apiVersion,
      subresource: "",
      time: now,
      fields,
    },
  ];
}

/** Like a merge patch, with the items of keyed lists merged and sets joined; what the schema calls atomic is replaced. */
function mergeApplied(live: Json | undefined, applied: Json, schema: Schema | undefined): Json {
  if (isJsonObject(applied)) {
    if (!isJsonObject(live) || schema?.["x-kubernetes-map-type"] === "atomic") return cloneJson(applied);
    const result: JsonObject = { ...live };
    for (const [name, value] of Object.entries(applied)) {
      result[name] = mergeApplied(live[name], value, fieldSchema(schema, name));
    }
    return result;
  }
  if (!Array.isArray(applied) || !Array.isArray(live)) return cloneJson(applied);
  switch (schema?.["x-kubernetes-list-type"]) {
    case "set":
      return [...live, ...applied.filter((item) => !live.some((each) => sameJson(each, item)))];
    case "map":
      return mergeKeyedList(live, applied, schema);
    default:
      return cloneJson(applied);
  }
}

function mergeKeyedList(live: readonly Json[], applied: readonly Json[], schema: Schema): Json[] {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const isSameItem = (a: Json, b: Json) =>
    isJsonObject(a) && isJsonObject(b) && keys.every((key) => sameJson(a[key], b[key]));
  const result = live.map((item) => {
    const match = applied.find((each) => isSameItem(each, item));
    return match === undefined ? item : mergeApplied(item, match, schema.items);
  });
  return [...result, ...applied.filter((item) => !live.some((each) => isSameItem(each, item)))];
}
