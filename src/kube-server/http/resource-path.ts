import type { KindDefinition } from "../api/kind.ts";

/** A path below a plane to a collection, an object or a subresource. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Undefined for cluster-scoped objects and for a collection across all namespaces. */
  readonly namespace?: string;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * Parses `/api/v1/...` and `/apis/<group>/<version>/...`:
 * `[namespaces/<ns>/]<plural>[/<name>[/<subresource>]]`. A namespace itself is `namespaces/<name>`, with the
 * subresources `status` and `finalize` only, as in Kubernetes.
 *
 * @returns undefined for any other path
 */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  if (parts.some((part) => part === "")) return undefined;
  const isCore = parts[0] === "api";
  if (!isCore && parts[0] !== "apis") return undefined;
  const head = isCore ? { group: "", version: parts[1] } : { group: parts[1] ?? "", version: parts[2] };
  const rest = parts.slice(isCore ? 2 : 3);
  if (head.version === undefined || rest.length === 0) return undefined;
  const place = { group: head.group, version: head.version };
  const [first = "", second, third, ...more] = rest;
  const inNamespace = first === "namespaces" && third !== undefined && !isNamespaceSubresource(rest);
  if (inNamespace && second !== undefined) {
    return named({ ...place, namespace: second, plural: third }, more);
  }
  return named({ ...place, plural: first }, rest.slice(1));
}

function isNamespaceSubresource(parts: readonly string[]): boolean {
  return parts.length === 3 && (parts[2] === "status" || parts[2] === "finalize");
}

function named(base: ResourcePath, rest: readonly string[]): ResourcePath | undefined {
  const [name, subresource, ...more] = rest;
  if (more.length > 0) return undefined;
  return { ...base, name, subresource };
}

/** The kind behind a path, among those that the plane serves; undefined means 404. */
export function kindOfPath(path: ResourcePath, kinds: readonly KindDefinition[]): KindDefinition | undefined {
  const kind = kinds.find(
    ({ group, version, plural }) =>
      group === path.group && version === path.version && plural === path.plural,
  );
  if (kind === undefined) return undefined;
  if (!kind.namespaced && path.namespace !== undefined) return undefined;
  if (kind.namespaced && path.name !== undefined && path.namespace === undefined) return undefined;
  return kind;
}
