import { type Json, type JsonObject, type KubeObject, sameJson } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  pathsOf,
  setOf,
  sizeOf,
  union,
  unionOf,
} from "./field-set.ts";
import { lastAppliedFields } from "./last-applied.ts";
import { capUpdateManagers, isSameWriter, type Manager, type Writer } from "./managers.ts";
import { mergeApplied } from "./merge-applied.ts";
import { compareFields, fieldsOf, removeFields, withNamedFields } from "./typed-value.ts";

/** Fields set by the server and identity fields: they have no manager. */
const unmanaged = setOf([
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
  ].map((name) => ["f:metadata", `f:${name}`]),
]);

/** A field that an apply would change although another manager owns it. */
export interface ApplyConflict {
  readonly manager: Writer;
  /** In the format of pathsOf. */
  readonly field: string;
}

export type ApplyOutcome =
  | { readonly ok: true; readonly object: KubeObject; readonly managers: readonly Manager[] }
  | {
      readonly ok: false;
      /** The first conflicts, up to a limit. */
      readonly conflicts: readonly ApplyConflict[];
      readonly count: number;
    };

/** Maximum number of conflicts in a Status. */
const maxConflicts = 100;

/**
 * Managers of an object after an ordinary write (create, update, patch): the writer becomes the sole owner of
 * changed fields; removed fields lose their owners.
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
  const { changed, removed } = managedChanges(before, after, schema);
  if (isEmptySet(changed) && isEmptySet(removed)) return [...managers];
  const gone = union(changed, removed);
  const others = managers
    .filter((each) => !isSameWriter(each, writer))
    .map((each) => ({ ...each, fields: difference(each.fields, gone) }));
  const own = managers.find((each) => isSameWriter(each, writer))?.fields ?? emptySet;
  const fields = union(difference(own, removed), changed);
  return capUpdateManagers([...others, { ...writer, time: now, fields }]);
}

function managedChanges(before: Json, after: Json, schema: Schema): { changed: FieldSet; removed: FieldSet } {
  const { changed, removed } = compareFields(before, after, schema);
  return { changed: difference(changed, unmanaged), removed: difference(removed, unmanaged) };
}

/**
 * Server-side apply as in structured-merge-diff: merges a configuration into an object, removes fields that
 * this manager applied before but no longer does (unless another manager owns them too), and reports
 * conflicts.
 *
 * @param live the current object; {} with the configuration's identity if it is being created
 * @param force take over conflicting fields
 * @param now RFC 3339
 */
export function applyConfiguration(...parameters: Parameters<typeof applySteps>): ApplyOutcome {
  const steps = applySteps(...parameters);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** {@link applyConfiguration} in short steps, so that other work can run in between. */
export function* applySteps(
  live: KubeObject,
  configuration: KubeObject,
  managers: readonly Manager[],
  writer: Writer,
  force: boolean,
  schema: Schema,
  now: string,
): Generator<void, ApplyOutcome> {
  const known = managers.length > 0 ? managers : beforeFirstApply(live, writer, schema, now);
  const previous = known.find((each) => isSameWriter(each, writer));
  const others = known.filter((each) => !isSameWriter(each, writer));
  const applied = fieldsOf(configuration, schema);

  yield;
  const merged = mergeApplied(live, configuration, schema) as KubeObject;
  yield;
  const held = [applied, ...others.map(({ fields }) => fields)];
  const object = (yield* prune(merged, previous?.fields ?? emptySet, held, schema)) as KubeObject;

  yield;
  const { changed, removed } = managedChanges(live, object, schema);
  yield;
  const conflicting = others.map((manager) => ({ manager, fields: intersection(manager.fields, changed) }));
  if (!force) {
    const allowed = lastAppliedFields(live, writer, schema);
    const unsolved = conflicting.map(({ manager, fields }) => ({
      manager,
      fields: difference(fields, allowed),
    }));
    const count = unsolved.reduce((sum, { fields }) => sum + sizeOf(fields), 0);
    if (count > 0) return { ok: false, conflicts: firstConflicts(unsolved), count };
  }

  yield;
  const isUnchanged = isEmptySet(changed) && isEmptySet(removed);
  const remaining = others.map((each) => {
    return { ...each, fields: difference(difference(each.fields, changed), removed) };
  });
  yield;
  const fields = difference(applied, unmanaged);
  // Kubernetes notes no time for who applies nothing new: a new applier of it has none.
  const time = isUnchanged && sameJson(live, object) ? (previous?.time ?? "") : now;
  return { ok: true, object, managers: [...remaining, { ...writer, time, fields }] };
}

function firstConflicts(sets: readonly { manager: Writer; fields: FieldSet }[]): ApplyConflict[] {
  const conflicts: ApplyConflict[] = [];
  for (const { manager, fields } of sets) {
    for (const field of pathsOf(fields, maxConflicts - conflicts.length)) conflicts.push({ manager, field });
  }
  return conflicts;
}

/**
 * Removes what the manager applied last and does not apply now: fields along with the parents that the schema
 * names, and whole list items, defaults included. Fields still owned by a manager stay, and so do fields that
 * this manager never applied.
 *
 * @param last the manager's previous configuration
 * @param held the current fields of all managers, including this apply
 */
function* prune(
  merged: Json,
  last: FieldSet,
  held: readonly FieldSet[],
  schema: Schema,
): Generator<void, Json> {
  const [applied = emptySet] = held;
  // Common case: nothing is dropped, so nothing to remove.
  if (isEmptySet(difference(last, applied))) return merged;
  const lastNamed = withNamedFields(last, schema);
  const present = withNamedFields(fieldsOf(merged, schema), schema);
  const fieldsLeft = (value: Json) => withNamedFields(fieldsOf(value, schema), schema);
  yield;
  const withoutLast = removeFields(merged, lastNamed, schema);
  const heldNamed = withNamedFields(unionOf(held), schema);
  yield;
  const kept = union(fieldsLeft(withoutLast), heldNamed);
  yield;
  const withHeld = removeFields(merged, difference(present, kept), schema);
  yield;
  const dropped = intersection(difference(present, fieldsLeft(withHeld)), lastNamed);
  return removeFields(merged, dropped, schema);
}

/**
 * An object without managers gets the manager before-first-apply, so that a first apply can conflict with it.
 */
function beforeFirstApply(live: KubeObject, writer: Writer, schema: Schema, now: string): Manager[] {
  const first: Writer = { ...writer, manager: "before-first-apply", operation: "Update" };
  return trackUpdate([], {}, live, first, schema, now).filter(({ fields }) => !isEmptySet(fields));
}
