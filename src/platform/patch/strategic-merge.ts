import { cloneJson, isJsonObject, type Json, type JsonObject, sameJson } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import { fieldSchema } from "../schema/unknown-fields.ts";
import type { PatchOutcome } from "./patch-outcome.ts";

/** A patch that contradicts itself; becomes an outcome at the boundary of this file. */
class MalformedPatch extends Error {}

const deletePrefix = "$deleteFromPrimitiveList/";
const orderPrefix = "$setElementOrder/";
const retainKeys = "$retainKeys";

/**
 * Kubernetes' strategic merge patch: a merge patch in which lists marked `merge` in the schema are merged too, by their
 * merge key or, where their items are scalars, as sets. Directives: `$patch: replace|delete|merge`,
 * `$deleteFromPrimitiveList/<field>`, `$setElementOrder/<field>` and `$retainKeys`. Neither argument is changed.
 */
export function applyStrategicMergePatch(target: Json, patch: Json, schema: Schema): PatchOutcome {
  if (!isJsonObject(patch)) return { ok: false, fault: "malformed", message: "the patch is not an object" };
  try {
    return { ok: true, value: mergeObject(isJsonObject(target) ? target : {}, patch, schema) };
  } catch (error) {
    if (!(error instanceof MalformedPatch)) throw error;
    return { ok: false, fault: "malformed", message: error.message };
  }
}

function mergeObject(target: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = patch["$patch"];
  if (directive === "replace") return withoutDirectives(patch);
  if (directive === "delete") return {};
  if (directive !== undefined && directive !== "merge") {
    throw new MalformedPatch(`unknown patch directive ${JSON.stringify(directive)}`);
  }
  const result = cloneJson(target);
  keepOnly(result, patch[retainKeys]);
  for (const [name, value] of Object.entries(patch)) {
    if (name === "$patch" || name === retainKeys || name.startsWith(orderPrefix)) continue;
    if (name.startsWith(deletePrefix)) {
      const field = name.slice(deletePrefix.length);
      const removed = listOf(value, name);
      result[field] = listOf(result[field] ?? [], field).filter((item) => !containsJson(removed, item));
    } else if (value === null) {
      delete result[name];
    } else {
      result[name] = mergeField(result[name], value, fieldSchema(schema, name), name);
    }
  }
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(orderPrefix)) continue;
    const field = name.slice(orderPrefix.length);
    const list = result[field];
    if (Array.isArray(list)) result[field] = reorder(list, listOf(order, name), fieldSchema(schema, field));
  }
  return result;
}

function mergeField(target: Json | undefined, patch: Json, schema: Schema | undefined, name: string): Json {
  if (isJsonObject(patch)) return mergeObject(isJsonObject(target) ? target : {}, patch, schema);
  if (!Array.isArray(patch)) return patch;
  if (schema?.["x-kubernetes-patch-strategy"] !== "merge") return patch.map(withoutDirectivesIn);
  const current = listOf(target ?? [], name);
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? mergeScalars(current, patch) : mergeByKey(current, patch, key, schema.items);
}

function mergeScalars(target: readonly Json[], patch: readonly Json[]): Json[] {
  return [...target, ...patch.filter((item) => !containsJson(target, item))];
}

function mergeByKey(
  target: readonly Json[],
  patch: readonly Json[],
  key: string,
  items: Schema | undefined,
): Json[] {
  // One item that says only "$patch: replace" turns the whole list into the rest of the patch.
  if (patch.some((item) => isJsonObject(item) && item["$patch"] === "replace" && item[key] === undefined)) {
    return patch
      .filter((item) => !(isJsonObject(item) && item["$patch"] === "replace"))
      .map(withoutDirectivesIn);
  }
  const result = target.map((item) => cloneJson(item));
  for (const item of patch) {
    if (!isJsonObject(item) || item[key] === undefined) {
      throw new MalformedPatch(`an item of a merged list has no merge key ${key}`);
    }
    const index = result.findIndex((each) => isJsonObject(each) && sameJson(each[key], item[key]));
    const found = result[index];
    if (item["$patch"] === "delete") {
      if (index >= 0) result.splice(index, 1);
    } else if (isJsonObject(found)) {
      result[index] = mergeObject(found, item, items);
    } else {
      result.push(mergeObject({}, item, items));
    }
  }
  return result;
}

/** Items that the order names come in that order; the others keep their places relative to what was before them. */
function reorder(list: readonly Json[], order: readonly Json[], schema: Schema | undefined): Json[] {
  const key = schema?.["x-kubernetes-patch-merge-key"];
  const identity = (item: Json): Json =>
    key !== undefined && isJsonObject(item) ? (item[key] ?? null) : item;
  const rank = (item: Json) => order.findIndex((each) => sameJson(identity(each), identity(item)));
  const named = list.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  const result: Json[] = [];
  let next = 0;
  for (const item of list) {
    if (rank(item) < 0) result.push(item);
    else result.push(named[next++] ?? item);
  }
  return result;
}

function keepOnly(result: JsonObject, keys: Json | undefined): void {
  if (keys === undefined) return;
  const kept = listOf(keys, retainKeys);
  for (const name of Object.keys(result)) if (!kept.includes(name)) delete result[name];
}

function withoutDirectives(patch: JsonObject): JsonObject {
  const entries = Object.entries(patch).filter(([name]) => !name.startsWith("$"));
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutDirectivesIn(value)]));
}

function withoutDirectivesIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDirectivesIn);
  return isJsonObject(value) ? withoutDirectives(value) : value;
}

function listOf(value: Json, name: string): Json[] {
  if (!Array.isArray(value)) throw new MalformedPatch(`${name} is not a list`);
  return value;
}

function containsJson(list: readonly Json[], value: Json): boolean {
  return list.some((item) => sameJson(item, value));
}
