import { keyPrefix } from "../../../base/redis/connection.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { qualifiedPlural } from "../status.ts";

/** The Redis keys of one plane. */
export interface PlaneKeys {
  /**
   * Hash: `rv` the newest resource version, `compacted` the oldest that a watch may still resume from, `logged` the version
   * up to which the log is in its present form, `logBytes` what the superseded states take, `counted` the version up to
   * which what is in the plane has been counted, and the counts: `objects`, `bytes`, `projects`, `policies`, `sinks`.
   */
  readonly plane: string;
  /** Hash: object key to JSON. */
  readonly objects: string;
  /** Sorted set of object keys, all of score 0, hence in the order of their bytes. */
  readonly index: string;
  /** Stream: one entry a change, its id `<resource version>-0`: `t` its type, `k` the object, `r` the version it replaced. */
  readonly log: string;
  /** Sorted set of `<owner's uid> <object key>`, all of score 0. */
  readonly dependents: string;
  /** Sorted set of work for the controllers, by the time it is due (ms). */
  readonly work: string;
  /** Hash: resource version to the JSON of a state that was replaced, while the change that replaced it is in the log. */
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

/** Hash: what all planes of an organization hold together, the sum of the planes' counts and `logBytes`. */
export function usageKey(organization: string): string {
  return `${keyPrefix}:platform:usage:${organization}`;
}

/** The channel on which every change is announced; the message is the plane's key `plane`. */
export const changesChannel = `${keyPrefix}:platform:changes`;

/** The key of an object within its plane: `secrets/<namespace>/<name>`, the namespace empty for cluster scope. */
export function objectKey(kind: KindDefinition, namespace: string, name: string): string {
  return `${collectionPrefix(kind, namespace)}${name}`;
}

/** What the keys of a collection start with; of all namespaces where `namespace` is undefined. */
export function collectionPrefix(kind: KindDefinition, namespace: string | undefined): string {
  const prefix = `${qualifiedPlural(kind)}/`;
  return namespace === undefined ? prefix : `${prefix}${namespace}/`;
}

/** The parts of an object key. */
export function parseObjectKey(key: string): { resource: string; namespace: string; name: string } {
  const [resource = "", namespace = "", name = ""] = key.split("/");
  return { resource, namespace, name };
}
