import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { isJsonObject, type Json, type KubeObject } from "../api/object.ts";
import { badRequest, tooLarge } from "../api/status.ts";
import { maxDepth } from "../encoding/body.ts";

/**
 * Size limits of one object, apart from its managed fields. Bytes alone bound neither time nor memory: many
 * small values take far longer than one text of the same size, and block other requests. The costliest
 * request is a server-side apply that removes all values (bench/requests.ts).
 */
const maxValues = 8_000;
/** Fields of one object, or items of one list. */
const maxMembers = 2_500;
/** Below this, processing an object is too short to delay other requests. */
const smallValues = 1_000;

/**
 * Counts an object's values before any costly work on it.
 *
 * @throws StatusError 413 for too many, 400 for values nested too deeply
 */
export function countValues(object: KubeObject): number {
  const { managedFields: _, ...metadata } = object.metadata;
  return count({ ...object, metadata }, 0, 0);
}

/** @param counted values counted so far @param depth of `value` */
function count(value: Json, counted: number, depth: number): number {
  if (typeof value !== "object" || value === null) return counted + 1;
  const members = Array.isArray(value) ? value : Object.values(value);
  if (members.length > maxMembers) {
    const what = isJsonObject(value) ? "fields of one object" : "items of one list";
    const how = "spread the rest over more objects";
    throw tooLarge(
      `Request entity too large: at most ${maxMembers} ${what} are allowed, not ${members.length}; ${how}`,
    );
  }
  if (depth >= maxDepth) throw badRequest("the object is nested too deeply");
  let total = counted + 1;
  for (const member of members) total = count(member, total, depth + 1);
  if (total > maxValues) {
    throw tooLarge(`Request entity too large: an object holds at most ${maxValues} values; use several`);
  }
  return total;
}

/** Number of values in something already within the limits. */
export function valuesIn(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  let total = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) total += valuesIn(member);
  return total;
}

/** Between two steps of work on an object: lets other requests run if it is large. */
export async function yieldIfLarge(values: number): Promise<void> {
  if (values > smallValues) await yieldToEventLoop();
}
