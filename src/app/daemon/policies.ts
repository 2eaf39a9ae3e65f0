import { directoryPlane } from "../../exporter/policy/plane.ts";
import { PolicyPlans } from "../../exporter/policy/policy-plans.ts";
import { PolicyStore } from "../../exporter/policy/store.ts";
import type { ProjectTenants } from "../../exporter/policy/tenants/project-tenants.ts";
import type { Config } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";
import { PolicyStatuses, type SinkReports } from "./policy-statuses.ts";
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
  return { store, tenants, plans: new PolicyPlans(store, tenants) };
}

/** The statuses of all policies, which are noted while there is an exporter. */
export function openPolicyStatuses(
  { clock, log }: PartContext,
  { plans }: Policies,
  exporter: SinkReports | undefined,
): Part & { readonly statuses: PolicyStatuses } {
  const statuses = new PolicyStatuses(plans, exporter?.snapshotOf, clock, exporter?.reports, log);
  return {
    statuses,
    stage: "sources and servers",
    services: exporter === undefined ? [] : [statuses],
    problems: exporter === undefined ? {} : { policies: () => statuses.problem() },
  };
}

/** `policies.directory` */
export async function openPolicyDirectory(
  { config, clock, log }: PartContext,
  { store }: Policies,
): Promise<Part | undefined> {
  if (config.policies === undefined) return undefined;
  const { DirectoryWatcher } = await import("../../exporter/policy/directory/directory-watcher.ts");
  const { createPolicyFileRegistry } = await import("../ops/health-metrics.ts");
  const watcher = new DirectoryWatcher({ directory: config.policies.directory, store, clock, log });
  return {
    stage: "sources and servers",
    services: [watcher],
    registries: [createPolicyFileRegistry(() => watcher.errorCount())],
    problems: { policies: () => watcher.problems() },
    notReady: () =>
      store.hasPlane(directoryPlane) ? undefined : "the policy directory has not been read yet",
  };
}
