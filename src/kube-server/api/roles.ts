import type { KindDefinition } from "./kind.ts";

/** What a member may do in a control plane, from the least to the most; a provider beside them. */
export const roles = ["viewer", "editor", "admin", "provider"] as const;

/**
 * - `viewer`: reads all but confidential kinds.
 * - `editor`: reads and writes everything but statuses.
 * - `admin`: also writes the statuses of what members' own controllers report.
 * - `provider`: also writes the statuses and finalizers of what it provides.
 */
export type Role = (typeof roles)[number];

const readVerbs = ["get", "list", "watch"];
const statusWriteVerbs = ["patch", "update"];

/** Whether a role permits a verb on a kind that has it, or on its `/status`. */
export function permits(
  role: Role,
  kind: Pick<KindDefinition, "confidential" | "statusSubresource" | "statusWriters">,
  verb: string,
  subresource: "status" | "" = "",
): boolean {
  if (role === "viewer") return readVerbs.includes(verb) && kind.confidential !== true;
  return subresource === "" || !statusWriteVerbs.includes(verb) || mayWriteStatus(kind, role);
}

/** Whether a caller may write `/status` of the objects of a kind. */
export function mayWriteStatus(
  { statusSubresource, statusWriters }: Pick<KindDefinition, "statusSubresource" | "statusWriters">,
  role: Role,
): boolean {
  if (!statusSubresource || statusWriters === undefined) return false;
  return role === "provider" || (statusWriters === "members" && role === "admin");
}

/** Who writes `/status` of the objects of a kind. */
export function statusWritersOf({ statusWriters }: Pick<KindDefinition, "statusWriters">): string {
  if (statusWriters === undefined) return "only the server writes it";
  return statusWriters === "providers" ? "only providers write it" : "only admins and providers write it";
}
