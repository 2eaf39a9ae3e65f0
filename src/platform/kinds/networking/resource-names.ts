import { alphaNames } from "../declared-in-projects.ts";

/** Names of kinds that others refer to; apart from their definitions, because some refer to each other. */
export const locationNames = (groupDomain: string) =>
  alphaNames(`networking.${groupDomain}`, "Location", "locations");
export const networkNames = (groupDomain: string) =>
  alphaNames(`networking.${groupDomain}`, "Network", "networks");
export const networkContextNames = (groupDomain: string) =>
  alphaNames(`networking.${groupDomain}`, "NetworkContext", "networkcontexts");
