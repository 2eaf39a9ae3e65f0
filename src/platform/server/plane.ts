import type { PlaneType } from "./kinds/kind.ts";

/** A control plane that exists. The uid keeps a plane apart from an earlier one of the same name. */
export interface Plane {
  readonly type: PlaneType;
  readonly name: string;
  readonly uid: string;
  /** The organization whose members may use it; the plane's own name where it is an organization's. */
  readonly organization: string;
}

/** The name of a plane in the store: `project/web/<uid>`. */
export function planeKey(plane: Plane): string {
  return `${plane.type}/${plane.name}/${plane.uid}`;
}

/** Where a plane is served, without a slash at the end. */
export function planeBase(type: PlaneType, name: string, groupDomain: string): string {
  return `/apis/resourcemanager.${groupDomain}/v1alpha/${type}s/${name}/control-plane`;
}

/** A request's path, taken apart at the end of the plane's prefix. */
export interface PlanePath {
  readonly type: PlaneType;
  readonly name: string;
  /** The rest, as the plane sees it; always starts with a slash. */
  readonly path: string;
}

/** @returns undefined for a path that is not under a control plane */
export function parsePlanePath(path: string, groupDomain: string): PlanePath | undefined {
  const prefix = `/apis/resourcemanager.${groupDomain}/v1alpha/`;
  if (!path.startsWith(prefix)) return undefined;
  const match = /^(organizations|projects)\/([^/]+)\/control-plane(\/.*)?$/.exec(path.slice(prefix.length));
  if (match === null) return undefined;
  const type = match[1] === "organizations" ? "organization" : "project";
  return { type, name: match[2] ?? "", path: match[3] ?? "/" };
}
