import type { JsonObject } from "../api/object.ts";

/**
 * A set of fields in the format of `managedFields` (FieldsV1): a tree with the keys `f:<name>` for a field,
 * `k:<key fields as JSON>` for an item of a keyed list and `v:<value as JSON>` for an item of a set. A `.` in
 * a node means that the node itself is a member; an empty node means that only the node itself is.
 *
 * Sets are immutable. Every function here runs in time proportional to the sets that it documents as walked.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const emptySet: FieldSet = {};
export const self = ".";

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a node is itself a member of the set. */
export function holdsSelf(node: FieldSet): boolean {
  return Object.hasOwn(node, self) || isEmptySet(node);
}

/** Builds a node from its own membership and its children. @returns undefined if neither is present */
export function nodeOf(isMember: boolean, parts: FieldSet): FieldSet | undefined {
  if (isEmptySet(parts)) return isMember ? emptySet : undefined;
  return isMember ? { [self]: emptySet, ...parts } : parts;
}

/** Union of the sets. Walks all of them. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const filled = sets.filter((set) => !isEmptySet(set));
  if (filled.length <= 1) return filled[0] ?? emptySet;
  const nodes = new Map<string, FieldSet[]>();
  for (const set of filled) {
    for (const [element, node] of Object.entries(set)) {
      const known = nodes.get(element);
      if (known === undefined) nodes.set(element, [node]);
      else known.push(node);
    }
  }
  const result: Record<string, FieldSet> = {};
  for (const [element, same] of nodes) {
    const [first = emptySet] = same;
    result[element] = same.length === 1 || same.every(isEmptySet) ? first : unionOfNodes(same);
  }
  return result;
}

function unionOfNodes(nodes: readonly FieldSet[]): FieldSet {
  const { [self]: _, ...parts } = unionOf(nodes);
  return nodeOf(nodes.some(holdsSelf), parts) ?? emptySet;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  return unionOf([left, right]);
}

/**
 * The fields of `left` that are not in `right`; a field stays if only its parent is in `right`. Walks `left`.
 */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  return filter(left, right, (isInRight) => !isInRight, true);
}

/** Intersection of both sets. Walks `left`. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return emptySet;
  return filter(left, right, (isInRight) => isInRight, false);
}

/** @param keepsStrange whether to keep parts that are unknown to `right` */
function filter(
  left: FieldSet,
  right: FieldSet,
  keeps: (isInRight: boolean) => boolean,
  keepsStrange: boolean,
): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [element, node] of Object.entries(left)) {
    if (element === self) continue;
    const other = Object.hasOwn(right, element) ? right[element] : undefined;
    if (other === undefined) {
      if (keepsStrange) result[element] = node;
    } else if (isEmptySet(node)) {
      if (keeps(holdsSelf(other))) result[element] = node;
    } else {
      const parts = filter(node, other, keeps, keepsStrange);
      const kept = nodeOf(holdsSelf(node) && keeps(holdsSelf(other)), parts);
      if (kept !== undefined) result[element] = kept;
    }
  }
  return result;
}

/** The set of exactly these fields; each path is a list of elements. */
export function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const chains = paths.map((path) =>
    path.toReversed().reduce<FieldSet>((node, element) => ({ [element]: node }), emptySet),
  );
  return unionOf(chains);
}

/** Number of fields in a set. */
export function sizeOf(set: FieldSet): number {
  let size = 0;
  for (const [element, node] of Object.entries(set)) {
    if (element === self) continue;
    size += sizeOf(node) + (holdsSelf(node) ? 1 : 0);
  }
  return size;
}

/** Paths of the first fields of a set, as shown in conflicts: `.spec.sinks[name="a"].target`. */
export function pathsOf(set: FieldSet, limit = Number.POSITIVE_INFINITY): string[] {
  const paths: string[] = [];
  collectPaths(set, "", limit, paths);
  return paths;
}

function collectPaths(set: FieldSet, prefix: string, limit: number, paths: string[]): void {
  for (const [element, node] of Object.entries(set)) {
    if (element === self) continue;
    if (paths.length >= limit) return;
    const path = prefix + pathElement(element);
    if (holdsSelf(node)) paths.push(path);
    collectPaths(node, path, limit, paths);
  }
}

/** Longer names are truncated: many fields below one name would each repeat it in their path. */
const maxNameLength = 256;

/** A path element in readable form. */
export function pathElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith("f:")) return `.${text.slice(0, maxNameLength)}`;
  if (element.startsWith("v:")) return `[=${text.slice(0, maxNameLength)}]`;
  const keys = Object.entries(JSON.parse(text) as JsonObject);
  const texts = keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${texts.join(",").slice(0, maxNameLength)}]`;
}
