import type { ReasonOf } from "./condition-reasons.ts";
import type { Condition } from "./conditions.ts";

/** The current state of a condition, without its bookkeeping. */
export interface ConditionState {
  readonly type: Condition["type"];
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
  /** The generation that it is of; by default the policy's. */
  readonly observedGeneration?: number;
  /** When the status began (Unix ms), if that is known; otherwise it counts from when it is first seen. */
  readonly sinceMs?: number;
}

/**
 * Derives the next conditions from `previous` and the states at `nowMs`: `lastTransitionTime` changes only
 * when a status does (meta/v1 Condition). Types without a state are removed.
 *
 * @returns `previous` itself when nothing differs: most policies do not change, and new objects kept each
 *   time would lengthen every garbage collection
 */
export function nextConditions(
  previous: readonly Condition[],
  states: readonly ConditionState[],
  generation: number,
  nowMs: number,
): readonly Condition[] {
  let isSame = previous.length === states.length;
  const next = states.map((state, index) => {
    const { type, status, reason, observedGeneration = generation } = state;
    // A condition is one line, whatever a receiver or a library has said.
    const message = state.message.replace(/\s*[\r\n]\s*/g, " ").trim();
    const before = previous.find((condition) => condition.type === type);
    const seen = before?.status === status ? before.lastTransitionTime : conditionTime(nowMs);
    const lastTransitionTime = state.sinceMs === undefined ? seen : conditionTime(state.sinceMs);
    const isKept =
      before !== undefined &&
      before.status === status &&
      before.reason === reason &&
      before.message === message &&
      before.lastTransitionTime === lastTransitionTime &&
      before.observedGeneration === observedGeneration;
    if (!isKept || before !== previous[index]) isSame = false;
    if (isKept) return before;
    return { type, status, reason, message, observedGeneration, lastTransitionTime };
  });
  return isSame ? previous : next;
}

/**
 * Whether the change must be written back at once: a status, a reason, a generation or the set of types
 * differs. So must a different fault of a Secret, which a user has just changed.
 */
export function isTransition(previous: readonly Condition[], next: readonly Condition[]): boolean {
  if (previous === next) return false;
  return (
    previous.length !== next.length ||
    next.some((condition) => {
      const before = previous.find((each) => each.type === condition.type);
      return (
        before?.status !== condition.status ||
        before.reason !== condition.reason ||
        before.observedGeneration !== condition.observedGeneration ||
        (isAboutSecret(condition) && before.message !== condition.message)
      );
    })
  );
}

function isAboutSecret({ reason }: Condition): boolean {
  return reason === ("InvalidAuthentication" satisfies ReasonOf<"Accepted">);
}

/** RFC 3339 in whole seconds, Kubernetes' format of times. */
export function conditionTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, "Z");
}
