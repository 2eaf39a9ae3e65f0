import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { isJsonObject, type Json, type JsonObject } from "../api/object.ts";
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
 * Counts an object's values before any costly work on it, such as copying it.
 *
 * @param object as decoded: nothing of it has been checked
 * @throws StatusError 413 for too many, 400 for values nested too deeply
 */
export function countValues(object: Json): number {
  return count(object, 0, 0, false, 1);
}

/**
 * Checks the size of a merge patch before it is applied. A patch may remove all values of one object and add
 * those of another, so twice an object's limits apply.
 *
 * @throws StatusError 413 for too many values, 400 for values nested too deeply
 */
export function checkPatchSize(patch: Json): void {
  count(patch, 0, 0, false, 2);
}

/**
 * @param counted values counted so far
 * @param depth of `value`
 * @param isMetadata whether it is the object's metadata, of which the managed fields do not count
 * @param factor multiplies the limits
 */
function count(value: Json, counted: number, depth: number, isMetadata: boolean, factor: number): number {
  if (typeof value !== "object" || value === null) return counted + 1;
  const names = isJsonObject(value) ? Object.keys(value) : undefined;
  const length = names === undefined ? (value as readonly Json[]).length : names.length;
  if (length > maxMembers * factor) {
    const what = names === undefined ? "items of one list" : "fields of one object";
    const how = "spread the rest over more objects";
    throw tooLarge(
      `Request entity too large: at most ${maxMembers * factor} ${what} are allowed, not ${length}; ${how}`,
    );
  }
  if (depth >= maxDepth) throw badRequest("the object is nested too deeply");
  let total = counted + 1;
  if (names === undefined) {
    for (const item of value as readonly Json[]) total = count(item, total, depth + 1, false, factor);
  } else {
    for (const name of names) {
      const member = (value as JsonObject)[name] ?? null;
      if (isMetadata && name === "managedFields") {
        countManagers(member, factor);
        continue;
      }
      total = count(member, total, depth + 1, depth === 0 && name === "metadata", factor);
    }
  }
  if (total > maxValues * factor) {
    throw tooLarge(
      `Request entity too large: an object holds at most ${maxValues * factor} values; use several`,
    );
  }
  return total;
}

/**
 * Checks the entries of managed fields, each apart: a manager's fields are some of the object's, in a tree
 * that has a node more for each object in it, and is a little deeper.
 */
function countManagers(entries: Json, factor: number): void {
  if (!Array.isArray(entries)) return;
  for (const entry of entries) count(entry, 0, -8, false, 2 * factor);
}

/** Number of values in something already within the limits. */
export function valuesIn(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  let total = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) total += valuesIn(member);
  return total;
}

/** Below this, decoding a body is too short to delay other requests. */
const smallBytes = 16 * 1024;

/** Before and after a body is decoded: lets other requests run if it is large. */
export async function yieldIfLong(body: Buffer): Promise<void> {
  if (body.length > smallBytes) await yieldToEventLoop();
}

/** Between two steps of work on an object: lets other requests run if it is large. */
export async function yieldIfLarge(values: number): Promise<void> {
  if (values > smallValues) await yieldToEventLoop();
}

/** Runs a work in its steps, and lets other requests run between them if it is large. @returns its result */
export async function inSteps<T>(work: Generator<void, T>, values: number): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await yieldIfLarge(values);
  }
}
