import { isObject } from "../../base/documents/document-path.ts";
import { isTransition } from "../../exporter/policy/status/condition-changes.ts";
import type { Condition, PolicyStatus } from "../../exporter/policy/status/conditions.ts";

/**
 * What is known of a policy's status in its control plane. In a fleet a replica tells how a sink delivers only while it
 * runs the sink itself: what it does not tell is another one's to tell, and no change.
 */
export interface WrittenStatus {
  readonly status: PolicyStatus;
  /** Monotonic. */
  readonly writtenMs: number;
  /** How often in a row it was written because the control plane has something else, 0 once that has our word. */
  readonly inVain: number;
}

/** What a status in the control plane says, by `sink type` (the policy's own conditions have no sink). */
export type SeenStatus = ReadonlyMap<string, Pick<Condition, "status" | "reason" | "observedGeneration">>;

/** What is no transition (a checkpoint, a message) is written this often at most. */
export const refreshMs = 5 * 60_000;

/** What we wrote comes back as an event within this time; until then the control plane seems to say something else. */
const echoMs = 5_000;

/**
 * Whether a status is to be written now: at once on a transition of ours, and where the control plane says something else than
 * we do (another replica ran the sink before us, and wrote how it did then), else at most every five minutes. Who
 * writes against us all the time gets a response less and less often.
 *
 * @param seen the control plane's own, as far as events have told; undefined where none has
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

/** Whether the control plane says something else than `wanted` does. What it says of a newer generation is not ours to judge. */
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

/** Reads an object's `status`, whatever it holds. */
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
