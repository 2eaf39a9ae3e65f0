import { findCondition } from "../../../kube-server/api/conditions.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { quotaExceeded } from "../../../kube-server/controllers/quota.ts";

/** Why something does not run, for the condition of what it was made for. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** Reasons of what is on its way, or of what its owner finds by itself. */
const ordinary = new Set<unknown>([
  ...["Pending", "InstanceIsProvisioning", "InstanceIsStaging", "InstanceIsStopping", quotaExceeded],
  ...["NoLocations", "NoCandidateLocations", "LocationAssigned", "ProvisioningNetwork"],
  ...["ProvisioningInstances", "ProgrammingInProgress", "NotProgrammed"],
]);
const maxMessage = 1_024;

/**
 * Why a condition is not True; undefined if it is, or is on its way.
 *
 * @param type of the condition; an Instance and a WorkloadDeployment are `Available`
 */
export function troubleOf(object: KubeObject, type = "Available"): Trouble | undefined {
  const condition = findCondition(object, type);
  if (condition === undefined || condition["status"] === "True" || ordinary.has(condition["reason"])) return;
  return { reason: String(condition["reason"]), message: String(condition["message"]).slice(0, maxMessage) };
}

/** The trouble of the first object, by name, that has one. @param what the kind, for people */
export function firstTrouble(
  what: string,
  objects: readonly KubeObject[],
  type = "Available",
): Trouble | undefined {
  const named = objects.map((object) => [object.metadata.name ?? "", troubleOf(object, type)] as const);
  for (const [name, trouble] of named.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (trouble === undefined) continue;
    return { reason: trouble.reason, message: `${what} ${name}: ${trouble.message}` };
  }
  return undefined;
}
