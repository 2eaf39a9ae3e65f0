import type { KindDefinition } from "../../../kube-server/api/kind.ts";

/** The locations of the networking group, under the compute group. */
export function computeLocationKind(stored: KindDefinition): KindDefinition {
  return { ...stored, group: stored.group.replace("networking.", "compute."), storedAs: stored };
}
