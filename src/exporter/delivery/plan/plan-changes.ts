import { isDeepStrictEqual } from "node:util";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";

interface PlanChanges {
  readonly started: readonly SinkPlan[];
  readonly changed: readonly SinkPlan[];
  /** New plan objects equal to their predecessors. */
  readonly renewed: readonly SinkPlan[];
  /** Keys of sinks. */
  readonly removed: readonly string[];
}

/**
 * The changes needed so that exactly `desired` runs. Plans that differ only in their generation are equal.
 */
export function planChanges(
  running: ReadonlyMap<string, SinkPlan>,
  desired: readonly SinkPlan[],
): PlanChanges {
  const started: SinkPlan[] = [];
  const changed: SinkPlan[] = [];
  const renewed: SinkPlan[] = [];
  const kept = new Set<string>();
  // Nearly all plans are the same objects as before: identity detects those without computing their keys.
  const present = new Set(running.values());
  const wanted = new Set(desired);
  for (const plan of desired) {
    if (present.has(plan)) continue;
    const key = sinkKey(plan.policy, plan.name);
    kept.add(key);
    const before = running.get(key);
    if (before === undefined) started.push(plan);
    else if (!isSamePlan(before, plan)) changed.push(plan);
    else renewed.push(plan);
  }
  const removed: string[] = [];
  for (const [key, plan] of running) if (!wanted.has(plan) && !kept.has(key)) removed.push(key);
  return { started, changed, renewed, removed };
}

/** Whether two plans ask for the same; their generations may differ. */
export function isSamePlan(a: SinkPlan, b: SinkPlan): boolean {
  return a === b || isDeepStrictEqual({ ...a, generation: 0 }, { ...b, generation: 0 });
}
