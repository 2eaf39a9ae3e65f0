import { isDeepStrictEqual } from "node:util";
import { type SinkPlan, sinkKey } from "../policy/types.ts";

export interface PlanChanges {
  readonly started: readonly SinkPlan[];
  readonly changed: readonly SinkPlan[];
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
  const kept = new Set<string>();
  for (const plan of desired) {
    const key = sinkKey(plan.policy, plan.name);
    kept.add(key);
    const present = running.get(key);
    if (present === undefined) started.push(plan);
    else if (!isDeepStrictEqual({ ...present, generation: 0 }, { ...plan, generation: 0 }))
      changed.push(plan);
  }
  return { started, changed, removed: [...running.keys()].filter((key) => !kept.has(key)) };
}
