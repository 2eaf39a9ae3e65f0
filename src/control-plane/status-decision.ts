import { isTransition } from "../policy/condition-changes.ts";
import type { Condition, PolicyStatus } from "../policy/conditions.ts";

/**
 * What is known of a policy's status in its control plane. In a fleet a replica tells how a sink delivers only while it
 * runs the sink itself: what it does not tell is another one's to tell, and no change.
 */
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
    return known === undefined || isTransition(ofTypes(known.conditions, sink.conditions), sink.conditions);
  });
  if (sinkChanged) return true;
  if (nowMs - written.writtenMs < refreshMs) return false;
  return JSON.stringify(before) !== JSON.stringify(wanted);
}

/** What is known once `wanted` is written: of what it does not tell, what was known before. */
export function knownStatus(before: PolicyStatus | undefined, wanted: PolicyStatus): PolicyStatus {
  const sinks = wanted.sinks.map((sink) => {
    const known = before?.sinks.find(({ name }) => name === sink.name)?.conditions ?? [];
    const told = new Set(sink.conditions.map(({ type }) => type));
    return { ...sink, conditions: [...sink.conditions, ...known.filter(({ type }) => !told.has(type))] };
  });
  return { ...wanted, sinks };
}

function ofTypes(conditions: readonly Condition[], like: readonly Condition[]): readonly Condition[] {
  return conditions.filter(({ type }) => like.some((each) => each.type === type));
}

type JsonStatus = Readonly<Record<string, unknown>> | undefined;

/**
 * The status to write over the one in the control plane. What is not told here (conditions of other types, the
 * checkpoint of a sink that another replica runs) stays; a condition whose
 * status is the same keeps its time, which we do not know after a restart.
 */
export function mergedStatus(present: JsonStatus, wanted: PolicyStatus): Record<string, unknown> {
  const presentSinks = objects(present?.["sinks"]);
  return {
    conditions: mergedConditions(objects(present?.["conditions"]), wanted.conditions),
    sinks: wanted.sinks.map((sink) => {
      const known = presentSinks.find((each) => each["name"] === sink.name);
      const checkpoint = known?.["checkpoint"];
      const kept = typeof checkpoint === "string" ? { checkpoint } : {};
      return {
        ...kept,
        ...sink,
        conditions: mergedConditions(objects(known?.["conditions"]), sink.conditions),
      };
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
