import { type PolicyPlan, planPolicy } from "./plan.ts";
import type { CheckedPolicy } from "./spec/check-policy.ts";
import type { ReadTenant, Secret, SinkPlan } from "./spec/types.ts";
import type { PolicyStore } from "./store.ts";

export interface PlannedPolicy {
  readonly checked: CheckedPolicy;
  readonly plan: PolicyPlan;
}

/** A plan, and the store's state of the Secrets, and the tenant, it was made with. */
interface Kept {
  readonly planned: PlannedPolicy;
  readonly last: CheckedPolicy | undefined;
  readonly tenant: ReadTenant | undefined;
  readonly secrets: readonly Used[];
}

interface Used {
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly secret: Secret | undefined;
}

/** The metrics store's tenants, where it has tenants of its own. */
export interface TenantsOfPlanes {
  /** The same object until it changes. */
  of(plane: string): ReadTenant;
  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void;
}

/** Shared by all policies without a Secret, since they may be many. */
const noSecrets: readonly Used[] = [];

/**
 * Plans the policies of a store. A plan is remade only when its policy, one of its Secrets or its tenant has
 * changed; otherwise the same object is returned, so that frequent changes of some policies cost the others
 * only a lookup.
 */
export class PolicyPlans {
  readonly #store: PolicyStore;
  readonly #tenants: TenantsOfPlanes | undefined;
  readonly #kept = new WeakMap<CheckedPolicy, Kept>();

  /** @param tenants absent where the metrics store has no tenants of its own */
  constructor(store: PolicyStore, tenants?: TenantsOfPlanes) {
    this.#store = store;
    this.#tenants = tenants;
  }

  /** Calls the listener soon after plans may have changed. @returns ends the subscription */
  subscribe(listener: () => void): () => void {
    const ends = [this.#store.subscribe(listener), this.#tenants?.subscribe(listener)];
    return () => {
      for (const end of ends) end?.();
    };
  }

  /** Plans of the policies in the store at the call, except those removed or changed during the iteration. */
  *all(): Generator<PlannedPolicy> {
    for (const checked of this.#store.policies()) {
      if (this.#store.policy(checked.ref) === checked) yield this.#planned(checked);
    }
  }

  /** The sinks that should run. */
  sinks(): SinkPlan[] {
    const sinks: SinkPlan[] = [];
    for (const checked of this.#store.policies()) {
      for (const sink of this.#planned(checked).plan.sinks) sinks.push(sink);
    }
    return sinks;
  }

  #planned(checked: CheckedPolicy): PlannedPolicy {
    const before = this.#kept.get(checked);
    const tenant = this.#tenants?.of(checked.ref.plane);
    const last = this.#store.lastWhole(checked.ref);
    const isCurrent = before?.tenant === tenant && before?.last === last;
    if (isCurrent && before?.secrets.every((used) => this.#secretOf(used) === used.secret)) {
      return before.planned;
    }
    const used: Used[] = [];
    const secretOf = (plane: string, namespace: string, name: string) => {
      const secret = this.#store.secret(plane, namespace, name);
      used.push({ plane, namespace, name, secret });
      return secret;
    };
    const plan = planPolicy(checked, secretOf, tenant, last);
    const planned = { checked, plan };
    this.#kept.set(checked, { planned, last, tenant, secrets: used.length === 0 ? noSecrets : used });
    return planned;
  }

  #secretOf({ plane, namespace, name }: Used): Secret | undefined {
    return this.#store.secret(plane, namespace, name);
  }
}
