import type { KindDefinition } from "../kinds/kind.ts";
import type { KubeObject } from "../object.ts";

/** What is counted of each control plane, and of all control planes of an organization together. */
export const countedResources = ["objects", "bytes", "projects", "policies", "sinks"] as const;

export type CountedResource = (typeof countedResources)[number];
export type Usage = Readonly<Record<CountedResource, number>>;

/** How much there may be; what is absent is not limited. `bytes` are those of the objects as JSON. */
export type Quota = Partial<Usage>;

/** `organization` is for all of its control planes together, `project` for each project's. */
export interface Quotas {
  readonly organization: Quota;
  readonly project: Quota;
}

export const defaultQuotas: Quotas = {
  organization: { objects: 50_000, bytes: 512 * 2 ** 20, projects: 1_000, policies: 10_000, sinks: 20_000 },
  project: { objects: 10_000, bytes: 128 * 2 ** 20, policies: 1_000, sinks: 2_000 },
};

/** A resource that a write would take beyond its quota. */
export interface ExceededQuota {
  readonly quota: keyof Quotas;
  readonly resource: CountedResource;
  readonly requested: number;
  readonly used: number;
  readonly limited: number;
}

/** As Kubernetes' admission by ResourceQuota says it. All of one quota. */
export function exceededMessage(exceeded: readonly ExceededQuota[]): string {
  const list = (field: "requested" | "used" | "limited") =>
    exceeded.map((each) => `${each.resource}=${each[field]}`).join(",");
  const name = exceeded[0]?.quota ?? "";
  return `exceeded quota: ${name}, requested: ${list("requested")}, used: ${list("used")}, limited: ${list("limited")}`;
}

/** By how much a change alters what its kind counts, objects and bytes apart. */
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
