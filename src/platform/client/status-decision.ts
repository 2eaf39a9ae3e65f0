import { isObject } from "../../base/documents/document-path.ts";
import { isTransition } from "../../exporter/policy/status/condition-changes.ts";
import type { Condition, PolicyStatus } from "../../exporter/policy/status/conditions.ts";

/**
 * The last known status of a policy in its control plane. In a fleet, a replica reports delivery only for the
 * sinks that it runs: anything it does not report belongs to another replica and is not a change.
 */
export interface WrittenStatus {
  readonly status: PolicyStatus;
  /** Monotonic time, in ms. */
  readonly writtenMs: number;
  /** Consecutive writes made because the control plane differs; 0 once it matches. */
  readonly inVain: number;
}

/**
 * The conditions of a status in the control plane, by `sink type` (the policy's own conditions have no sink).
 */
export type SeenStatus = ReadonlyMap<string, Pick<Condition, "status" | "reason" | "observedGeneration">>;

/** Minimum interval between writes that are not transitions (checkpoints, messages). */
export const refreshMs = 5 * 60_000;

/** A write comes back as an event within this time; until then the control plane seems to differ. */
const echoMs = 5_000;

/**
 * Whether to write a status now. A transition is written at once, and so is a status that differs from the
 * control plane's (another replica ran the sink before and wrote its state); anything else at most every five
 * minutes. Against a writer that keeps overwriting the status, the interval grows.
 *
 * @param seen the control plane's status according to events; undefined if none has arrived
 */
export function isWriteDue(
  written: WrittenStatus | undefined,
  wanted: PolicyStatus,
  seen: SeenStatus | undefined,
  nowMs: number,
): boolean {
  if (written === undefined) return true;
  const pauseMs = Math.min(echoMs * 2 ** written.inVain, refreshMs);
  if (contradicts(seen, wanted) && nowMs - written.writtenMs >= pauseMs) return true;
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

/** Whether the control plane's status differs from `wanted`. Conditions of a newer generation are ignored. */
export function contradicts(seen: SeenStatus | undefined, wanted: PolicyStatus): boolean {
  if (seen === undefined) return false;
  const differs = (sink: string, { type, status, reason, observedGeneration }: Condition): boolean => {
    const present = seen.get(`${sink} ${type}`);
    if (present !== undefined && present.observedGeneration > observedGeneration) return false;
    return present?.status !== status || present.reason !== reason;
  };
  return (
    wanted.conditions.some((condition) => differs("", condition)) ||
    wanted.sinks.some(({ name, conditions }) => conditions.some((condition) => differs(name, condition)))
  );
}

/** Reads an object's `status`, whatever its shape. */
export function seenStatus(status: unknown): SeenStatus {
  const seen = new Map<string, Pick<Condition, "status" | "reason" | "observedGeneration">>();
  const read = (sink: string, conditions: unknown): void => {
    for (const { type, status, reason, observedGeneration } of objects(conditions)) {
      seen.set(`${sink} ${String(type)}`, {
        status: status as Condition["status"],
        reason: String(reason),
        observedGeneration: Number(observedGeneration ?? 0),
      });
    }
  };
  if (!isObject(status)) return seen;
  read("", status["conditions"]);
  for (const sink of objects(status["sinks"])) read(String(sink["name"]), sink["conditions"]);
  return seen;
}

/** The known status after `wanted` is written: parts missing from `wanted` keep their previous value. */
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
 * Merges `wanted` into the status in the control plane. Parts missing from `wanted` (conditions of other
 * types, checkpoints of sinks that another replica runs) stay. A condition with unchanged status keeps its
 * transition time, which is unknown after a restart.
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
    return isSame ? { ...condition, lastTransitionTime: known["lastTransitionTime"] } : { ...condition };
  });
  return [...own, ...others];
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null)
    : [];
}
