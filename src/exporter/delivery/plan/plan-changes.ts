import { isDeepStrictEqual } from "node:util";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";

export interface PlanChanges {
  readonly started: readonly SinkPlan[];
  readonly changed: readonly SinkPlan[];
  /** Plans made anew that come to the same. */
  readonly renewed: readonly SinkPlan[];
  /** Keys of sinks. */
  readonly removed: readonly string[];
}

/** What has to happen so that exactly `desired` runs. A plan that differs in nothing but its generation is the same. */
export function planChanges(
  running: ReadonlyMap<string, SinkPlan>,
  desired: readonly SinkPlan[],
): PlanChanges {
  const started: SinkPlan[] = [];
  const changed: SinkPlan[] = [];
  const renewed: SinkPlan[] = [];
  const kept = new Set<string>();
  // Nearly all plans of many are the very objects of before: those are told by that alone, without their keys.
  const present = new Set(running.values());
  const wanted = new Set(desired);
  for (const plan of desired) {
    if (present.has(plan)) continue;
    const key = sinkKey(plan.policy, plan.name);
    kept.add(key);
    const before = running.get(key);
    if (before === undefined) started.push(plan);
    else if (!isDeepStrictEqual({ ...before, generation: 0 }, { ...plan, generation: 0 })) changed.push(plan);
    else renewed.push(plan);
  }
  const removed: string[] = [];
  for (const [key, plan] of running) if (!wanted.has(plan) && !kept.has(key)) removed.push(key);
  return { started, changed, renewed, removed };
}
