import { isTransition } from "../policy/condition-changes.ts";
import type { Condition, PolicyStatus } from "../policy/conditions.ts";

/** What is known of a policy's status in its control plane. */
export interface WrittenStatus {
  readonly status: PolicyStatus;
  /** Monotonic. */
  readonly writtenMs: number;
}

/** What is no transition (a checkpoint, a message) is written this often at most. */
export const refreshMs = 5 * 60_000;

/**
 * Whether a status is to be written now: at once on a transition of ours, else at most every five minutes, and never
 * because somebody else wrote something: what is compared is what we wrote last.
 */
export function isWriteDue(written: WrittenStatus | undefined, wanted: PolicyStatus, nowMs: number): boolean {
  if (written === undefined) return true;
  const before = written.status;
  if (isTransition(before.conditions, wanted.conditions)) return true;
  if (before.sinks.length !== wanted.sinks.length) return true;
  const sinkChanged = wanted.sinks.some((sink) => {
    const known = before.sinks.find((each) => each.name === sink.name);
    return known === undefined || isTransition(known.conditions, sink.conditions);
  });
  if (sinkChanged) return true;
  if (nowMs - written.writtenMs < refreshMs) return false;
  return JSON.stringify(before) !== JSON.stringify(wanted);
}

type JsonStatus = Readonly<Record<string, unknown>> | undefined;

/**
 * The status to write over the one in the control plane. Conditions of types that are not ours stay; a condition whose
 * status is the same keeps its time, which we do not know after a restart.
 */
export function mergedStatus(present: JsonStatus, wanted: PolicyStatus): Record<string, unknown> {
  const presentSinks = objects(present?.["sinks"]);
  return {
    conditions: mergedConditions(objects(present?.["conditions"]), wanted.conditions),
    sinks: wanted.sinks.map((sink) => {
      const known = presentSinks.find((each) => each["name"] === sink.name);
      return { ...sink, conditions: mergedConditions(objects(known?.["conditions"]), sink.conditions) };
    }),
  };
}

function mergedConditions(
  present: readonly Record<string, unknown>[],
  wanted: readonly Condition[],
): Record<string, unknown>[] {
  const ours = new Set(wanted.map(({ type }) => type as string));
  const others = present.filter((condition) => !ours.has(String(condition["type"])));
  const own = wanted.map((condition) => {
    const known = present.find((each) => each["type"] === condition.type);
    const isSame = known?.["status"] === condition.status && typeof known["lastTransitionTime"] === "string";
    return { ...condition, ...(isSame ? { lastTransitionTime: known["lastTransitionTime"] } : {}) };
  });
  return [...own, ...others];
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null)
    : [];
}
