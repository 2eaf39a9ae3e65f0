import type { KindDefinition } from "../../../kube-server/api/kind.ts";

/** How a kind is named in paths, discovery and objects. */
export type ResourceNames = Pick<KindDefinition, "group" | "version" | "kind" | "plural" | "singular">;

function names(groupDomain: string, kind: string, plural: string): ResourceNames {
  const singular = kind.toLowerCase();
  return { group: `networking.${groupDomain}`, version: "v1alpha", kind, plural, singular };
}

/** Names of kinds that others refer to; apart from their definitions, because some refer to each other. */
export const locationNames = (groupDomain: string) => names(groupDomain, "Location", "locations");
export const networkNames = (groupDomain: string) => names(groupDomain, "Network", "networks");
export const networkContextNames = (groupDomain: string) =>
  names(groupDomain, "NetworkContext", "networkcontexts");
