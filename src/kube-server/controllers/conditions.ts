import { findCondition } from "../api/conditions.ts";
import { childObject, isJsonObject, type JsonObject, type KubeObject, sameJson } from "../api/object.ts";

/** A condition as a controller sees it. */
export interface NewCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of a list with one set (meta/v1 Condition): `lastTransitionTime` changes only with the
 * status.
 *
 * @param now RFC 3339
 */
export function withCondition(
  conditions: readonly JsonObject[],
  condition: NewCondition,
  observedGeneration: number,
  now: string,
): JsonObject[] {
  const known = conditions.find(({ type }) => type === condition.type);
  const isNew = known?.["status"] !== condition.status;
  const since = isNew ? now : (known?.["lastTransitionTime"] ?? now);
  const { type, status, reason, message } = condition;
  const next = { type, status, observedGeneration, lastTransitionTime: since, reason, message };
  if (known === undefined) return [...conditions, next];
  return conditions.map((each) => (each === known ? next : each));
}

export function conditionsOf(object: KubeObject): JsonObject[] {
  const conditions = childObject(object, "status")?.["conditions"];
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
}

/** The object with some conditions and fields of its status set; the same object if nothing changes. */
export function withStatus(
  object: KubeObject,
  conditions: readonly NewCondition[],
  fields: JsonObject,
  now: string,
): KubeObject {
  const generation = object.metadata.generation ?? 1;
  let list = conditionsOf(object);
  for (const condition of conditions) list = withCondition(list, condition, generation, now);
  const status = { ...childObject(object, "status"), ...fields, conditions: list };
  return sameJson(status, object["status"]) ? object : { ...object, status };
}

export function isTrue(object: KubeObject | undefined, type: string): boolean {
  return object !== undefined && findCondition(object, type)?.["status"] === "True";
}

/** RFC 3339, in whole seconds, as in conditions. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
