import { type PolicyPlan, planPolicy } from "./plan.ts";
import type { CheckedPolicy } from "./spec/check-policy.ts";
import type { Secret, SinkPlan } from "./spec/types.ts";
import type { PolicyStore } from "./store.ts";

export interface PlannedPolicy {
  readonly checked: CheckedPolicy;
  readonly plan: PolicyPlan;
}

/** A plan, and what the store had of the Secrets that it was made with. */
interface Kept {
  readonly planned: PlannedPolicy;
  readonly secrets: readonly Used[];
}

interface Used {
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly secret: Secret | undefined;
}

/** Of the policies without a Secret, for all of them: there may be ten thousand. */
const noSecrets: readonly Used[] = [];

/**
 * What the policies of a store come to. A plan is made once, and again when its policy or a Secret that it was made with has
 * changed: where policies change all the time, what others come to costs a look, and is the same object as before.
 */
export class PolicyPlans {
  readonly #store: PolicyStore;
  readonly #kept = new WeakMap<CheckedPolicy, Kept>();

  constructor(store: PolicyStore) {
    this.#store = store;
  }

  /** Those that the store has when it is asked, but for what it loses or changes meanwhile. */
  *all(): Generator<PlannedPolicy> {
    for (const checked of this.#store.policies()) {
      if (this.#store.policy(checked.ref) === checked) yield this.#planned(checked);
    }
  }

  /** What should run. */
  sinks(): SinkPlan[] {
    const sinks: SinkPlan[] = [];
    for (const checked of this.#store.policies()) {
      for (const sink of this.#planned(checked).plan.sinks) sinks.push(sink);
    }
    return sinks;
  }

  #planned(checked: CheckedPolicy): PlannedPolicy {
    const before = this.#kept.get(checked);
    if (before?.secrets.every((used) => this.#secretOf(used) === used.secret)) return before.planned;
    const used: Used[] = [];
    const plan = planPolicy(checked, (plane, namespace, name) => {
      const secret = this.#store.secret(plane, namespace, name);
      used.push({ plane, namespace, name, secret });
      return secret;
    });
    const planned = { checked, plan };
    this.#kept.set(checked, { planned, secrets: used.length === 0 ? noSecrets : used });
    return planned;
  }

  #secretOf({ plane, namespace, name }: Used): Secret | undefined {
    return this.#store.secret(plane, namespace, name);
  }
}
