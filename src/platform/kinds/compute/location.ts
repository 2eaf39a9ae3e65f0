import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import { locationKind } from "../networking/location.ts";

/** The locations of the networking group, under the compute group. */
export function computeLocationKind(groupDomain: string, cityCodes?: readonly string[]): KindDefinition {
  const stored = locationKind(groupDomain, cityCodes);
  return { ...stored, group: `compute.${groupDomain}`, storedAs: stored };
}
