import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { isTransition } from "../../../exporter/policy/status/condition-changes.ts";
import type { Condition, PolicyStatus } from "../../../exporter/policy/status/conditions.ts";
import {
  type FullState,
  type ObservedState,
  oldestTime,
  policyDelivering,
  policyDeliveringState,
  startingState,
  stateOfSink,
} from "../../../exporter/policy/status/policy-delivery.ts";

/**
 * The last known status of a policy in its control plane. In a fleet, a replica reports delivery only for the
 * sinks that it runs: anything it does not report belongs to another replica and is not a change.
 */
export interface WrittenStatus {
  readonly status: PolicyStatus;
  /** The part of it that this daemon wrote last. */
  readonly reported: PolicyStatus;
  /** Monotonic time, in ms. */
  readonly writtenMs: number;
  /** Consecutive writes made because the control plane differs; 0 once it matches. */
  readonly rewrites: number;
}

/**
 * The conditions of a status in the control plane, by `sink type` (the policy's own conditions have no sink).
 */
export type SeenStatus = ReadonlyMap<string, Pick<Condition, "status" | "reason" | "observedGeneration">>;

/** Minimum interval between two writes of a policy's status: what flaps costs no more. */
export const minIntervalMs = 10_000;

/** Minimum interval between writes that are not transitions (checkpoints, messages). */
export const refreshMs = 5 * 60_000;

/**
 * When a status is due to be written (monotonic ms). A transition is written as soon as the last write is
 * 10 s old, and so is a status that differs from the control plane's (another replica ran the sink before and
 * wrote its state); anything else at most every five minutes. Against a writer that keeps overwriting the
 * status, the interval grows.
 *
 * @param seen the control plane's status according to events; undefined if none has arrived
 * @param othersMs when another writer was last seen to have changed one of the wanted sinks' conditions
 */
export function writeDueMs(
  written: WrittenStatus | undefined,
  wanted: PolicyStatus,
  seen: SeenStatus | undefined,
  nowMs: number,
  othersMs = Number.NEGATIVE_INFINITY,
): number {
  if (written === undefined) return nowMs;
  const { writtenMs } = written;
  const refreshAtMs = writtenMs + refreshMs;
  // Writers that never pause must not keep this one from writing.
  const earliestMs = Math.min(Math.max(writtenMs, othersMs) + minIntervalMs, refreshAtMs);
  if (hasTransition(written.status, wanted)) return earliestMs;
  if (contradicts(seen, wanted)) {
    const pauseMs = Math.min(minIntervalMs * 2 ** written.rewrites, refreshMs);
    return Math.max(earliestMs, writtenMs + pauseMs);
  }
  if (nowMs < refreshAtMs) return refreshAtMs;
  return JSON.stringify(written.status) === JSON.stringify(wanted) ? Number.POSITIVE_INFINITY : refreshAtMs;
}

/** Whether a condition of the policy or of a sink has a transition, or the sinks are others. */
export function hasTransition(before: PolicyStatus, wanted: PolicyStatus): boolean {
  if (isTransition(before.conditions, wanted.conditions)) return true;
  if (before.sinks.length !== wanted.sinks.length) return true;
  return wanted.sinks.some((sink) => {
    const known = before.sinks.find((each) => each.name === sink.name);
    return known === undefined || isTransition(ofTypes(known.conditions, sink.conditions), sink.conditions);
  });
}

/** Whether the control plane's status differs from `wanted`. Conditions of a newer generation are ignored. */
export function contradicts(seen: SeenStatus | undefined, wanted: PolicyStatus): boolean {
  if (seen === undefined) return false;
  const differs = (sink: string, { type, status, reason, observedGeneration }: SeenCondition): boolean => {
    const present = seen.get(`${sink} ${type}`);
    if (present !== undefined && isStarting({ type, reason })) return false;
    if (present !== undefined && present.observedGeneration > observedGeneration) return false;
    return present?.status !== status || present.reason !== reason;
  };
  return (
    wanted.conditions.some((condition) => differs("", condition)) ||
    wanted.sinks.some(({ name, conditions }) => conditions.some((condition) => differs(name, condition))) ||
    delivers(seen, wanted).some((condition) => differs("", condition))
  );
}

/** The policy's condition Delivering, from `wanted` and what other replicas have written; none without Ready. */
function delivers(seen: SeenStatus, wanted: PolicyStatus): SeenCondition[] {
  const ready = wanted.conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return [];
  const { observedGeneration } = ready;
  const states = wanted.sinks.map(({ name, conditions }) => {
    const find = (type: Condition["type"]) => {
      const [own, present] = [conditions.find((each) => each.type === type), seen.get(`${name} ${type}`)];
      return own === undefined || isStarting(own) ? (present ?? own) : own;
    };
    const state = stateOfSink<ObservedState>(find("Accepted"), find("Delivering"));
    return state ?? { ...startingState, observedGeneration };
  });
  return [{ type: "Delivering", ...policyDeliveringState(ready, states) }];
}

/**
 * A sink that starts here has a past: until its first cycle, what the control plane has is the best that is
 * known. An outage would otherwise seem over, and begin once more, at each restart and change of replica.
 */
function isStarting({ type, reason }: Pick<Condition, "type" | "reason">): boolean {
  return type === "Delivering" && reason === startingState.reason;
}

type SinkState = Pick<Condition, "status" | "reason">;
type SeenCondition = SinkState & Pick<Condition, "type" | "observedGeneration">;

/** A write comes back as an event within this time: later, others may have written the same. */
const echoMs = 5_000;

/** Conditions, by `sink type`, that another writer has changed between two events. */
export function changedByOthers(
  before: SeenStatus,
  seen: SeenStatus,
  { reported, writtenMs }: WrittenStatus,
  nowMs: number,
): string[] {
  const own = nowMs - writtenMs < echoMs ? seenStatus(reported) : new Map();
  const isAsIn = (other: SeenStatus, [key, state]: [string, SinkState]): boolean =>
    other.get(key)?.status === state.status && other.get(key)?.reason === state.reason;
  return [...seen].flatMap((entry) => (isAsIn(before, entry) || isAsIn(own, entry) ? [] : [entry[0]]));
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

/** A write whose response was lost. */
export interface DoubtfulWrite {
  /** The status that it was to replace. */
  readonly before: SeenStatus;
  readonly reported: PolicyStatus;
}

/** The status as it was before a write whose response was lost, if that write was carried out. */
export function beforeDoubt(present: SeenStatus, doubt: DoubtfulWrite | undefined): SeenStatus {
  if (doubt === undefined) return present;
  const reported = seenStatus(doubt.reported);
  return new Map(
    [...present].flatMap(([key, state]) => {
      const ours = reported.get(key);
      const isOurs = ours?.status === state.status && ours.reason === state.reason;
      const before = isOurs ? doubt.before.get(key) : state;
      return before === undefined ? [] : [[key, before]];
    }),
  );
}

/** The known status after `wanted` is written: parts missing from `wanted` keep their previous value. */
export function knownStatus(before: PolicyStatus | undefined, wanted: PolicyStatus): PolicyStatus {
  const sinks = wanted.sinks.map((sink) => {
    const known = before?.sinks.find(({ name }) => name === sink.name)?.conditions ?? [];
    const reported = new Set(sink.conditions.map(({ type }) => type));
    return { ...sink, conditions: [...sink.conditions, ...known.filter(({ type }) => !reported.has(type))] };
  });
  return { ...wanted, sinks };
}

function ofTypes(conditions: readonly Condition[], like: readonly Condition[]): readonly Condition[] {
  return conditions.filter(({ type }) => like.some((each) => each.type === type));
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Merges `wanted` into the status in the control plane. Parts missing from `wanted` (conditions of other
 * types, checkpoints of sinks that another replica runs) stay, and so does the delivery of sinks that start.
 * A condition with unchanged status keeps its transition time, which is unknown after a restart.
 *
 * What sums up the sinks is derived from the merged ones, so replicas that run different sinks agree on it:
 * the policy's condition Delivering, and `lastDeliveredTime`, the oldest checkpoint (null if there is none).
 */
export function mergedStatus(present: JsonObject | undefined, wanted: PolicyStatus): Record<string, unknown> {
  const presentConditions = objects(present?.["conditions"]);
  const presentSinks = objects(present?.["sinks"]);
  const sinks = wanted.sinks.map((sink) => {
    const known = presentSinks.find((each) => each["name"] === sink.name);
    const checkpoint = known?.["checkpoint"];
    const kept = typeof checkpoint === "string" ? { checkpoint } : {};
    const conditions = mergedConditions(objects(known?.["conditions"]), sink.conditions);
    return { ...kept, ...sink, conditions: conditions.filter((each) => !isStale(each, conditions)) };
  });
  const ready = wanted.conditions.find(({ type }) => type === "Ready");
  const delivering =
    ready === undefined
      ? []
      : [
          policyDelivering(
            ready,
            sinks.map(({ name, conditions }) => ({ name, state: fullState(conditions, ready) })),
            presentConditions.find(({ type }) => type === "Delivering"),
          ),
        ];
  return {
    conditions: mergedConditions(presentConditions, [...wanted.conditions, ...delivering]),
    lastDeliveredTime: oldestTime(sinks.flatMap(({ checkpoint }) => checkpoint ?? [])) ?? null,
    sinks,
  };
}

/** Whether this is how a sink delivered before it was not accepted. Suspended is true of a blocked address, too. */
function isStale({ type, reason }: JsonObject, conditions: readonly JsonObject[]): boolean {
  const accepted = conditions.find((condition) => condition["type"] === "Accepted");
  return type === "Delivering" && accepted?.["status"] === "False" && reason !== "Suspended";
}

/** A sink's state from its merged conditions, which another replica may have written. */
function fullState(conditions: readonly Record<string, unknown>[], ready: Condition): FullState {
  const read = (type: Condition["type"]): FullState | undefined => {
    const found = conditions.find((condition) => condition["type"] === type);
    return (
      found && {
        status: found["status"] as Condition["status"],
        reason: String(found["reason"]),
        message: String(found["message"]),
        observedGeneration: Number(found["observedGeneration"] ?? 0),
        lastTransitionTime: String(found["lastTransitionTime"]),
      }
    );
  };
  const state = stateOfSink(read("Accepted"), read("Delivering"));
  const { observedGeneration, lastTransitionTime } = ready;
  return state ?? { ...startingState, observedGeneration, lastTransitionTime };
}

function mergedConditions(
  present: readonly Record<string, unknown>[],
  wanted: readonly Condition[],
): Record<string, unknown>[] {
  const ours = new Set(wanted.map(({ type }) => type as string));
  const others = present.filter((condition) => !ours.has(String(condition["type"])));
  const own = wanted.map((condition) => {
    const known = present.find((each) => each["type"] === condition.type);
    if (known !== undefined && isStarting(condition)) return known;
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
