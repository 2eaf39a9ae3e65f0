import type { KindDefinition } from "../kinds/kind.ts";
import type { KubeObject } from "../object.ts";

/** Resources counted for each control plane, and for all of an organization's control planes together. */
export const countedResources = ["objects", "bytes", "projects", "policies", "sinks"] as const;

export type CountedResource = (typeof countedResources)[number];
export type Usage = Readonly<Record<CountedResource, number>>;

/** Maximum amounts; absent means unlimited. `bytes` are those of the objects as JSON. */
export type Quota = Partial<Usage>;

/** `organization` limits all of its control planes together, `project` each project's. */
export interface Quotas {
  readonly organization: Quota;
  readonly project: Quota;
}

export const defaultQuotas: Quotas = {
  organization: { objects: 50_000, bytes: 512 * 2 ** 20, projects: 1_000, policies: 10_000, sinks: 20_000 },
  project: { objects: 10_000, bytes: 128 * 2 ** 20, policies: 1_000, sinks: 2_000 },
};

/** A resource whose quota a write would exceed. */
export interface ExceededQuota {
  readonly quota: keyof Quotas;
  readonly resource: CountedResource;
  readonly requested: number;
  readonly used: number;
  readonly limited: number;
}

/** Same wording as Kubernetes' ResourceQuota admission. All resources are of one quota. */
export function exceededMessage(exceeded: readonly ExceededQuota[]): string {
  const list = (field: "requested" | "used" | "limited") =>
    exceeded.map((each) => `${each.resource}=${each[field]}`).join(",");
  const name = exceeded[0]?.quota ?? "";
  return `exceeded quota: ${name}, requested: ${list("requested")}, used: ${list("used")}, limited: ${list("limited")}`;
}

/** How a change alters its kind's counts, apart from objects and bytes. */
export function countsOf(
  kind: KindDefinition,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Quota {
  const [old, next] = [before && kind.counts?.(before), after && kind.counts?.(after)];
  const change = (resource: "projects" | "policies" | "sinks") =>
    (next?.[resource] ?? 0) - (old?.[resource] ?? 0);
  return { projects: change("projects"), policies: change("policies"), sinks: change("sinks") };
}

export function addUsage(left: Usage, right: Quota): Usage {
  const sums = countedResources.map((resource) => [resource, left[resource] + (right[resource] ?? 0)]);
  return Object.fromEntries(sums) as Usage;
}

export const noUsage: Usage = { objects: 0, bytes: 0, projects: 0, policies: 0, sinks: 0 };
