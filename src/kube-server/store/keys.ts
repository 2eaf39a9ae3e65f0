import { keyPrefix } from "../../base/redis/connection.ts";
import type { KindDefinition } from "../api/kind.ts";
import { qualifiedPlural, type ResourceName } from "../api/status.ts";

/** The Redis keys of one plane. */
export interface PlaneKeys {
  /**
   * Hash: `rv`, the newest resource version; `compacted`, the oldest version from which a watch may resume;
   * `logged`, the version up to which the log has its current format; `logBytes`, the size of the superseded
   * states; the plane's counts by resource, and the version up to which they are valid (`countedField`).
   */
  readonly plane: string;
  /** Hash: object key to JSON. */
  readonly objects: string;
  /** Sorted set of object keys, all with score 0, hence in byte order. */
  readonly index: string;
  /**
   * Stream: one entry per change, with the id `<resource version>-0`: `t` the type, `k` the object key, `r`
   * the replaced version.
   */
  readonly log: string;
  /** Sorted set of `<owner's uid> <object key>`, all with score 0. */
  readonly dependents: string;
  /** Sorted set of controller work, by due time (ms). */
  readonly work: string;
  /**
   * Hash: resource version to the JSON of a replaced state, while the change that replaced it is in the log.
   */
  readonly superseded: string;
}

/** @param planeKey see `planeKey` in plane.ts */
export function planeKeys(planeKey: string): PlaneKeys {
  const prefix = `${keyPrefix}:platform:${planeKey}`;
  return {
    plane: `${prefix}:plane`,
    objects: `${prefix}:objects`,
    index: `${prefix}:index`,
    log: `${prefix}:log`,
    dependents: `${prefix}:dependents`,
    work: `${prefix}:work`,
    superseded: `${prefix}:superseded`,
  };
}

/** Hash of a plane's numbers that are held; see `NumberClaims`. */
export function claimsKey(planeKey: string): string {
  return `${keyPrefix}:platform:${planeKey}:claims`;
}

/** Hash: total usage of an organization's planes, the sum of their counts and `logBytes`. */
export function usageKey(organization: string): string {
  return `${keyPrefix}:platform:usage:${organization}`;
}

/** Hash of all projects: name to `ProjectRecord`. */
export const projectsKey = `${keyPrefix}:platform-access:projects`;

/** Hash of deleted projects' names: to `organization`, for which the name is reserved, and `untilMs`. */
export const formerProjectsKey = `${keyPrefix}:platform-access:former-projects`;

/** Channel that announces every change; the message is the plane's key `plane`. */
export const changesChannel = `${keyPrefix}:platform:changes`;

/** As much of a kind as names its objects in the store. */
export type StoredKind = ResourceName & Pick<KindDefinition, "storedAs">;

/**
 * Key of an object within its plane: `secrets/<namespace>/<name>`, with an empty namespace for cluster scope.
 * The resource is that of the kind that the objects are stored as.
 */
export function objectKey(kind: StoredKind, namespace: string, name: string): string {
  return `${collectionPrefix(kind, namespace)}${name}`;
}

/** Key prefix of a collection; of all namespaces if `namespace` is undefined. */
export function collectionPrefix(kind: StoredKind, namespace: string | undefined): string {
  const prefix = `${qualifiedPlural(kind.storedAs ?? kind)}/`;
  return namespace === undefined ? prefix : `${prefix}${namespace}/`;
}

/** By what the objects are found that use the object with this key; see `KindDefinition.uses`. */
export function useReference(key: string): string {
  return `uses:${key}`;
}

/** Splits an object key into its parts. */
export function parseObjectKey(key: string): { resource: string; namespace: string; name: string } {
  const [resource = "", namespace = "", name = ""] = key.split("/");
  return { resource, namespace, name };
}
