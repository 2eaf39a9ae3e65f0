import type { PlaneType } from "./kind.ts";

/** An existing control plane. The uid distinguishes it from an earlier plane of the same name. */
export interface Plane {
  readonly type: PlaneType;
  readonly name: string;
  readonly uid: string;
  /** The organization whose members have access; for an organization's plane, its own name. */
  readonly organization: string;
}

/** Name of a plane in the store: `project/web/<uid>`. */
export function planeKey(plane: Plane): string {
  return `${plane.type}/${plane.name}/${plane.uid}`;
}

/** Base path of a plane, without a trailing slash. */
export function planeBase(type: PlaneType, name: string, groupDomain: string): string {
  return `/apis/resourcemanager.${groupDomain}/v1alpha/${type}s/${name}/control-plane`;
}

/** A request path, split after the plane's prefix. */
export interface PlanePath {
  readonly type: PlaneType;
  readonly name: string;
  /** The path within the plane; always starts with a slash. */
  readonly path: string;
}

/** @returns undefined if the path is not below a control plane */
export function parsePlanePath(path: string, groupDomain: string): PlanePath | undefined {
  const prefix = `/apis/resourcemanager.${groupDomain}/v1alpha/`;
  if (!path.startsWith(prefix)) return undefined;
  const match = /^(organizations|projects)\/([^/]+)\/control-plane(\/.*)?$/.exec(path.slice(prefix.length));
  if (match === null) return undefined;
  const type = match[1] === "organizations" ? "organization" : "project";
  return { type, name: match[2] ?? "", path: match[3] ?? "/" };
}
