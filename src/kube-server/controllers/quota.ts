import { findCondition } from "../api/conditions.ts";
import type { KubeObject } from "../api/object.ts";
import { QuotaExceededError } from "../api/status.ts";

/** Reason of the condition of an object whose controller a quota keeps from making others. */
export const quotaExceeded = "QuotaExceeded";

/** Until it is tried again: a deletion that makes room for it is no change of the object itself. */
export const quotaRetryMs = 30_000;

/** @returns why a quota refused what the work writes, with the remedy; undefined if none did */
export async function quotaRefusal(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof QuotaExceededError)) throw error;
    return `${error.message}; delete what is not needed, or ask the operator for a larger quota`;
  }
}

/** The message of a condition whose reason is {@link quotaExceeded}; undefined for another reason. */
export function quotaMessage(object: KubeObject | undefined, type: string): string | undefined {
  const condition = object && findCondition(object, type);
  return condition?.["reason"] === quotaExceeded ? String(condition["message"]) : undefined;
}
