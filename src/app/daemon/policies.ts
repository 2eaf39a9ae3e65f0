import { directoryPlane } from "../../exporter/policy/plane.ts";
import { PolicyPlans } from "../../exporter/policy/policy-plans.ts";
import { PolicyStore } from "../../exporter/policy/store.ts";
import type { ProjectTenants } from "../../exporter/policy/tenants/project-tenants.ts";
import type { Config } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";
import { createProjectTenants } from "./tenants.ts";

/** The declared policies of all sources, and what is to be exported by them. */
export interface Policies {
  readonly store: PolicyStore;
  readonly plans: PolicyPlans;
  /** The projects' tenants in the metrics store, if it has tenants. */
  readonly tenants: ProjectTenants | undefined;
}

export function createPolicies(config: Config): Policies {
  const store = new PolicyStore();
  const tenants = createProjectTenants(config);
  return { store, tenants, plans: new PolicyPlans(store, tenants && ((plane) => tenants.of(plane))) };
}

/** `policies.directory` */
export async function openPolicyDirectory(
  { config, clock, log }: PartContext,
  { store }: Policies,
): Promise<Part | undefined> {
  if (config.policies === undefined) return undefined;
  const { DirectoryWatcher } = await import("../../exporter/policy/directory/directory-watcher.ts");
  return {
    stage: "sources and servers",
    services: [new DirectoryWatcher({ directory: config.policies.directory, store, clock, log })],
    notReady: () =>
      store.hasPlane(directoryPlane) ? undefined : "the policy directory has not been read yet",
  };
}
