import { identityText, isJsonObject, type Json, type JsonObject, setField } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { fieldSchema } from "../api/unknown-fields.ts";
import type { PatchOutcome } from "./patch-outcome.ts";

/** A contradictory patch; converted to an outcome at the boundary of this file. */
class MalformedPatch extends Error {}

const deletePrefix = "$deleteFromPrimitiveList/";
const orderPrefix = "$setElementOrder/";
const retainKeys = "$retainKeys";

/**
 * Kubernetes' strategic merge patch: a merge patch that also merges lists marked `merge` in the schema, by
 * their merge key or, for scalar items, as sets. Directives: `$patch: replace|delete|merge`,
 * `$deleteFromPrimitiveList/<field>`, `$setElementOrder/<field>` and `$retainKeys`. Neither argument is
 * modified; the result shares structure with both. Runs in time proportional to both.
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
  const result: JsonObject = { ...target };
  keepOnly(result, patch[retainKeys]);
  for (const [name, value] of Object.entries(patch)) {
    if (name === "$patch" || name === retainKeys || name.startsWith(orderPrefix)) continue;
    if (name.startsWith(deletePrefix)) {
      const field = name.slice(deletePrefix.length);
      const removed = new Set(listOf(value, name).map(identityText));
      const list = listOf(ownField(result, field) ?? [], field);
      setField(
        result,
        field,
        list.filter((item) => !removed.has(identityText(item))),
      );
    } else if (value === null) {
      delete result[name];
    } else {
      setField(result, name, mergeField(ownField(result, name), value, fieldSchema(schema, name), name));
    }
  }
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(orderPrefix)) continue;
    const field = name.slice(orderPrefix.length);
    const list = ownField(result, field);
    if (Array.isArray(list)) {
      setField(result, field, reorder(list, listOf(order, name), fieldSchema(schema, field)));
    }
  }
  return result;
}

function ownField(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
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
  const present = new Set(target.map(identityText));
  return [...target, ...patch.filter((item) => !present.has(identityText(item)))];
}

function mergeByKey(
  target: readonly Json[],
  patch: readonly Json[],
  key: string,
  items: Schema | undefined,
): Json[] {
  // An item with only "$patch: replace" replaces the whole list with the rest of the patch.
  if (patch.some((item) => isJsonObject(item) && item["$patch"] === "replace" && item[key] === undefined)) {
    return patch
      .filter((item) => !(isJsonObject(item) && item["$patch"] === "replace"))
      .map(withoutDirectivesIn);
  }
  /** A deleted item leaves a gap, so that the others keep their indexes. */
  const result: (Json | undefined)[] = [...target];
  const indexes = indexByKey(target, key);
  for (const item of patch) {
    if (!isJsonObject(item) || item[key] === undefined) {
      throw new MalformedPatch(`an item of a merged list has no merge key ${key}`);
    }
    const identity = identityText(item[key]);
    const index = indexes.get(identity);
    const found = index === undefined ? undefined : result[index];
    if (item["$patch"] === "delete") {
      if (index !== undefined) result[index] = undefined;
      indexes.delete(identity);
    } else if (index !== undefined && isJsonObject(found)) {
      result[index] = mergeObject(found, item, items);
    } else {
      indexes.set(identity, result.push(mergeObject({}, item, items)) - 1);
    }
  }
  return result.filter((item) => item !== undefined);
}

/** Index of the first item with each key. */
function indexByKey(list: readonly Json[], key: string): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item) || item[key] === undefined) continue;
    const identity = identityText(item[key]);
    if (!indexes.has(identity)) indexes.set(identity, index);
  }
  return indexes;
}

/** Items named in the order come in that order; the others keep their positions. */
function reorder(list: readonly Json[], order: readonly Json[], schema: Schema | undefined): Json[] {
  const key = schema?.["x-kubernetes-patch-merge-key"];
  const identity = (item: Json): string =>
    identityText(key !== undefined && isJsonObject(item) ? (item[key] ?? null) : item);
  const ranks = new Map<string, number>();
  for (const [rank, item] of order.entries()) {
    const text = identity(item);
    if (!ranks.has(text)) ranks.set(text, rank);
  }
  const ranked = list.map((item) => ({ item, rank: ranks.get(identity(item)) }));
  const named = ranked
    .flatMap(({ item, rank }) => (rank === undefined ? [] : [{ item, rank }]))
    .sort((a, b) => a.rank - b.rank);
  let next = 0;
  return ranked.map(({ item, rank }) => (rank === undefined ? item : (named[next++]?.item ?? item)));
}

function keepOnly(result: JsonObject, keys: Json | undefined): void {
  if (keys === undefined) return;
  const kept = new Set(listOf(keys, retainKeys));
  for (const name of Object.keys(result)) if (!kept.has(name)) delete result[name];
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
