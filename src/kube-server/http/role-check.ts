import type { KindDefinition } from "../api/kind.ts";
import { permits, statusWritersOf } from "../api/roles.ts";
import { accessForbidden } from "../api/status.ts";
import type { ResourceRequest } from "./request.ts";

/**
 * Refuses what the caller's role does not permit.
 *
 * @param verb see `resourceVerb`
 * @throws StatusError 403
 */
export function checkRole({ kind, path, caller, role }: ResourceRequest, verb: string): void {
  const subresource = subresourceOf(path.subresource, kind);
  if (permits(role, kind, verb, subresource)) return;
  const { name = "", namespace } = path;
  const attempt = { user: caller.user, verb, namespace, subresource: subresource || undefined };
  const remedy = kind.statusWriters === undefined ? "; change the spec instead" : "";
  const isOfRole = role === "viewer" || subresource !== "status";
  const why = isOfRole ? `the role ${role} does not permit it` : `${statusWritersOf(kind)}${remedy}`;
  throw accessForbidden(kind, name, attempt, why);
}

function subresourceOf(name: string | undefined, kind: KindDefinition): "status" | "log" | "" {
  if (name === "log" && kind.logs !== undefined) return name;
  return name === "status" && kind.statusSubresource ? name : "";
}
