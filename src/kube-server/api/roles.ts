import type { KindDefinition } from "./kind.ts";

/** What a member may do in a control plane, from the least to the most; then a provider, beside them. */
export const roles = ["viewer", "editor", "admin", "provider"] as const;

/**
 * - `viewer`: reads all but confidential kinds.
 * - `editor`: reads and writes everything but statuses.
 * - `admin`: also writes the statuses of what members' own controllers report.
 * - `provider`: reads everything, and writes what it provides and all statuses that are not the server's.
 */
export type Role = (typeof roles)[number];

const readVerbs = ["get", "list", "watch"];
const updateVerbs = ["patch", "update"];

/** Whether a role permits a verb on a kind that has it, or on its `/status` or its `/log`. */
export function permits(
  role: Role,
  kind: Pick<KindDefinition, "confidential" | "providerVerbs" | "statusSubresource" | "statusWriters">,
  verb: string,
  subresource: "status" | "log" | "" = "",
): boolean {
  if (readVerbs.includes(verb)) return role !== "viewer" || kind.confidential !== true;
  if (role === "viewer") return false;
  if (subresource === "log") return role === "provider";
  if (subresource !== "") return !updateVerbs.includes(verb) || mayWriteStatus(kind, role);
  return role !== "provider" || providerVerbsOf(kind).includes(verb);
}

/** What a provider may do with objects besides reading them. */
function providerVerbsOf({
  providerVerbs,
  statusWriters,
}: Pick<KindDefinition, "providerVerbs" | "statusWriters">): readonly string[] {
  return providerVerbs ?? (statusWriters === "providers" ? updateVerbs : []);
}

/** The role of a member whose token permits no more than another one: what both of them may do. */
export function leastRole(member: Role, most: Role | undefined): Role | undefined {
  if (most === undefined || most === member) return member;
  if (most === "provider") return undefined;
  if (member === "provider") return "viewer";
  return roles.indexOf(most) < roles.indexOf(member) ? most : member;
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
