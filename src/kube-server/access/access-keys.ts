import { keyPrefix } from "../../base/redis/connection.ts";
import { formerProjectsKey, projectsKey } from "../store/keys.ts";

const prefix = `${keyPrefix}:platform-access`;

/** Hash: an organization's name to its record. */
export const organizationsKey = `${prefix}:organizations`;
/** Hash: a token's id to its record. */
export const tokensKey = `${prefix}:tokens`;
/** Hash: a token's id to the time of its last use. */
export const usesKey = `${prefix}:token-uses`;
/** Hash: id of a signing key of bearer tokens to the key. */
export const signingKeysKey = `${prefix}:signing-keys`;
/** Number that differs after each change of members, roles and tokens. */
export const revisionKey = `${prefix}:revision`;
/** Set of users. */
export const membersKey = (organization: string): string => `${prefix}:members:${organization}`;
/** The members with the role `provider`, as earlier versions stored it. */
export const providersKey = (organization: string): string => `${prefix}:providers:${organization}`;
/** Hash: `<user>` to the role in the organization, `<project's uid>/<user>` to the role in the project. */
export const rolesKey = (organization: string): string => `${prefix}:roles:${organization}`;

/** All keys with access data of these organizations that outlive a restart, by type. */
export function accessKeys(organizations: readonly string[]) {
  const fixed = [organizationsKey, projectsKey, formerProjectsKey, tokensKey, usesKey, signingKeysKey];
  return {
    hashes: [...fixed, ...organizations.map(rolesKey)],
    sets: [...organizations.map(membersKey), ...organizations.map(providersKey)],
  };
}
