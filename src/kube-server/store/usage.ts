import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";

/** What a control plane holds, by resource: `objects`, their `bytes` as JSON, and what its kinds count. */
export type Usage = Readonly<Record<string, number>>;

/** Maximum amounts; absent means unlimited. */
export type Quota = Usage;

/** `organization` limits all of its control planes together, `project` each project's. */
export interface Quotas {
  readonly organization: Quota;
  readonly project: Quota;
}

/** A resource whose quota a write would exceed. */
export interface ExceededQuota {
  readonly quota: keyof Quotas;
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly limited: number;
}

/**
 * Field of a plane with the version up to which its counts are valid. Its name contains the resources: planes
 * that were written when others were counted are counted again.
 */
export function countedField(resources: readonly string[]): string {
  return `counted:${resources.join(",")}`;
}

/**
 * Same wording and order as Kubernetes' ResourceQuota admission: `cpu=4,memory=8Gi`. A resource whose name
 * ends in `Bytes` is shown without that. All resources are of one quota.
 */
export function exceededMessage(exceeded: readonly ExceededQuota[]): string {
  const sorted = exceeded.toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
  const list = (field: "requested" | "used" | "limited") =>
    sorted.map(({ resource, ...each }) => amount(resource, each[field])).join(",");
  const name = exceeded[0]?.quota ?? "";
  return `exceeded quota: ${name}, requested: ${list("requested")}, used: ${list("used")}, limited: ${list("limited")}`;
}

function amount(resource: string, count: number): string {
  if (!resource.endsWith("Bytes")) return `${resource}=${count}`;
  const isWhole = count % 2 ** 30 === 0 && count > 0;
  return `${resource.slice(0, -"Bytes".length)}=${isWhole ? `${count / 2 ** 30}Gi` : count}`;
}

/** How a change alters its kind's counts, apart from objects and bytes. */
export function countsOf(
  kind: KindDefinition,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Usage {
  const [old, next] = [(before && kind.counts?.(before)) ?? {}, (after && kind.counts?.(after)) ?? {}];
  const changes = Object.keys({ ...old, ...next }).map((resource) => [
    resource,
    (next[resource] ?? 0) - (old[resource] ?? 0),
  ]);
  return Object.fromEntries(changes) as Usage;
}
