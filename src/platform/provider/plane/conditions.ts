import { numberAt, objectsAt, textAt } from "./plane-object.ts";

/** A condition to show; its times and generations follow from the object. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

const maxMessageLength = 1_024;

/** The condition of a type; undefined if the object has none. */
export function conditionOf(object: unknown, type: string): Record<string, unknown> | undefined {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}

export function isTrue(object: unknown, type: string): boolean {
  return conditionOf(object, type)?.["status"] === "True";
}

/**
 * All conditions of an object with one of them set; undefined if it says so already. `lastTransitionTime`
 * changes with the status only.
 */
export function withCondition(
  object: unknown,
  condition: Condition,
  nowMs: number,
): Record<string, unknown>[] | undefined {
  const before = objectsAt(object, "status", "conditions");
  const present = before.find(({ type }) => type === condition.type);
  const message = printable(condition.message);
  const observedGeneration = numberAt(object, "metadata", "generation") ?? 0;
  const { type, status, reason } = condition;
  const isSame =
    present?.["status"] === status &&
    present["reason"] === reason &&
    present["message"] === message &&
    present["observedGeneration"] === observedGeneration;
  if (isSame) return undefined;
  const since = present?.["status"] === status ? textAt(present, "lastTransitionTime") : undefined;
  const lastTransitionTime = since ?? `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const next = { type, status, reason, message, observedGeneration, lastTransitionTime };
  return present === undefined
    ? [...before, next]
    : before.map((other) => (other === present ? next : other));
}

/** One line of bounded length: messages may hold what a registry or an engine wrote. */
function printable(message: string): string {
  const line = message.replaceAll(/\p{Cc}+/gu, " ");
  return line.length <= maxMessageLength ? line : `${line.slice(0, maxMessageLength - 1)}…`;
}
