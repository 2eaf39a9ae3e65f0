import { type KindDefinition, kindResources } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";

/** Resources counted for each control plane, and for all of an organization's control planes together. */
export const countedResources = ["objects", "bytes", ...kindResources] as const;

/**
 * Field of a plane with the version up to which its counts are valid. It has another name since another
 * resource is counted: planes that an older version has written are counted again.
 */
export const countedField = "counted2";

export type CountedResource = (typeof countedResources)[number];
export type Usage = Readonly<Record<CountedResource, number>>;

/**
 * Maximum amounts; absent means unlimited. `bytes` are those of the objects as JSON; `cpu`, `memoryBytes` and
 * `diskBytes` are of all Instances.
 */
export type Quota = Partial<Usage>;

/** `organization` limits all of its control planes together, `project` each project's. */
export interface Quotas {
  readonly organization: Quota;
  readonly project: Quota;
}

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
    exceeded.map(({ resource, ...each }) => amount(resource, each[field])).join(",");
  const name = exceeded[0]?.quota ?? "";
  return `exceeded quota: ${name}, requested: ${list("requested")}, used: ${list("used")}, limited: ${list("limited")}`;
}

/** `cpu=4`, `memory=8Gi`. */
function amount(resource: CountedResource, count: number): string {
  const isWhole = count % 2 ** 30 === 0 && count > 0;
  if (resource === "memoryBytes" || resource === "diskBytes") {
    return `${resource.slice(0, -"Bytes".length)}=${isWhole ? `${count / 2 ** 30}Gi` : count}`;
  }
  return `${resource}=${count}`;
}

/** How a change alters its kind's counts, apart from objects and bytes. */
export function countsOf(
  kind: KindDefinition,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Quota {
  const [old, next] = [before && kind.counts?.(before), after && kind.counts?.(after)];
  const changes = kindResources.map((resource) => [
    resource,
    (next?.[resource] ?? 0) - (old?.[resource] ?? 0),
  ]);
  return Object.fromEntries(changes) as Quota;
}

export function addUsage(left: Usage, right: Quota): Usage {
  const sums = countedResources.map((resource) => [resource, left[resource] + (right[resource] ?? 0)]);
  return Object.fromEntries(sums) as Usage;
}

export const noUsage = Object.fromEntries(countedResources.map((resource) => [resource, 0])) as Usage;
