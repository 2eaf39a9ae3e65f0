import type { ReasonOf } from "./condition-reasons.ts";
import type { Condition } from "./conditions.ts";

/**
 * The states that a sink, and hence its policy, can be in, from worst to best: reasons of `Accepted` and
 * `Delivering`, and `Invalid` of a policy of which nothing runs.
 */
export const deliveryReasons = [
  "Invalid",
  "InvalidAuthentication",
  "InvalidSource",
  "InvalidTarget",
  "Suspended",
  "Rejecting",
  "Retrying",
  "SourceUnavailable",
  "Paused",
  "Starting",
  "CatchingUp",
  "Idle",
  "UpToDate",
] as const satisfies readonly (ReasonOf<"Ready"> | ReasonOf<"Accepted"> | ReasonOf<"Delivering">)[];

type State = Pick<Condition, "status" | "reason">;
export type FullState = State & Pick<Condition, "message" | "observedGeneration" | "lastTransitionTime">;

export interface NamedState {
  readonly name: string;
  readonly state: FullState;
}

const statusRanks: readonly Condition["status"][] = ["False", "Unknown", "True"];
const reasonRanks: ReadonlyMap<string, number> = new Map(
  deliveryReasons.map((reason, rank) => [reason, rank]),
);

/**
 * Orders states from worst to best, by status and then by reason. A reason of another version of telemetryd
 * comes after the known ones of its status.
 */
export function compareStates(a: State, b: State): number {
  const rank = ({ reason }: State) => reasonRanks.get(reason) ?? deliveryReasons.length;
  return statusRanks.indexOf(a.status) - statusRanks.indexOf(b.status) || rank(a) - rank(b);
}

/** The worst of some states; undefined if there are none. */
export function worstState<T extends State>(states: Iterable<T>): T | undefined {
  let worst: T | undefined;
  for (const state of states) if (worst === undefined || compareStates(state, worst) < 0) worst = state;
  return worst;
}

/** A sink's state: why it is not accepted, else how it delivers. Undefined until it has been reported. */
export function stateOfSink<T extends State>(
  accepted: T | undefined,
  delivering: T | undefined,
): T | undefined {
  return accepted?.status === "False" ? accepted : delivering;
}

/**
 * Status and reason of a policy's condition `Delivering`: those of its worst sink. A policy that is invalid
 * as a whole is `Invalid`. A generation is observed once all of its sinks have observed it.
 *
 * @param ready the policy's condition Ready
 */
export function policyDeliveringState(ready: ObservedState, sinks: readonly ObservedState[]): ObservedState {
  const isInvalid = ready.status === invalid.status && ready.reason === invalid.reason;
  const { status, reason } = (isInvalid ? undefined : worstState(sinks)) ?? invalid;
  const observed = isInvalid ? [] : sinks.map(({ observedGeneration }) => observedGeneration);
  return { status, reason, observedGeneration: Math.min(ready.observedGeneration, ...observed) };
}

export type ObservedState = State & Pick<Condition, "observedGeneration">;

/**
 * The condition `Delivering` of a policy, with the names of its worst sinks.
 *
 * @param ready the policy's condition Ready
 * @param sinks in the order of the spec
 * @param previous the same condition before, which keeps its transition time while its status is the same
 */
export function policyDelivering(
  ready: Condition,
  sinks: readonly NamedState[],
  previous: { readonly status?: unknown; readonly lastTransitionTime?: unknown } | undefined,
): Condition {
  const { status, reason, observedGeneration } = policyDeliveringState(
    ready,
    sinks.map(({ state }) => state),
  );
  const since = previous?.status === status ? previous.lastTransitionTime : undefined;
  const worst = sinks.filter(({ state }) => state.status === status && state.reason === reason);
  return {
    type: "Delivering",
    status,
    reason,
    message: reason === invalid.reason ? ready.message : messageOf(worst),
    observedGeneration,
    lastTransitionTime: typeof since === "string" ? since : latestChange(ready, sinks, status),
  };
}

/** RFC 3339: the oldest of some checkpoints; undefined if there are none. */
export function oldestTime(times: readonly string[]): string | undefined {
  return times.reduce<string | undefined>(
    (oldest, time) => (oldest === undefined || Date.parse(time) < Date.parse(oldest) ? time : oldest),
    undefined,
  );
}

/** The state of a sink before its first cycle. */
export const startingState = {
  status: "Unknown",
  reason: "Starting",
  message: "The first cycle has not run yet.",
} as const satisfies Omit<FullState, "observedGeneration" | "lastTransitionTime">;

/** Bounds of a policy's message. */
const maxNames = 3;
const maxNameLength = 63;
const maxMessagesLength = 768;

const invalid = { status: "False", reason: "Invalid" satisfies ReasonOf<"Ready"> } as const;

/** The policy took on its status when the last of the sinks with this status did. */
function latestChange(ready: Condition, sinks: readonly NamedState[], status: Condition["status"]): string {
  const times = sinks.flatMap(({ state }) => (state.status === status ? state.lastTransitionTime : []));
  const latest = Math.max(...times.map((time) => Date.parse(time)));
  return times.find((time) => Date.parse(time) === latest) ?? ready.lastTransitionTime;
}

/** `a, b: HTTP 503; c: HTTP 500; and 2 more`. Sinks with the same message share it. */
function messageOf(sinks: readonly NamedState[]): string {
  const namesByMessage = new Map<string, string[]>();
  for (const { name, state } of sinks.slice(0, maxNames)) {
    const names = namesByMessage.get(state.message) ?? [];
    namesByMessage.set(state.message, [...names, cut(name, maxNameLength)]);
  }
  // Each message gets its share, so that a long one hides no name.
  const share = Math.floor(maxMessagesLength / Math.max(1, namesByMessage.size));
  const parts = [...namesByMessage].map(([message, names]) => `${names.join(", ")}: ${cut(message, share)}`);
  if (sinks.length > maxNames) parts.push(`and ${sinks.length - maxNames} more`);
  return parts.join("; ");
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
