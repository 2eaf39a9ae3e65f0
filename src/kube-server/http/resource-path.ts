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
  const parts = path.split("/");
  let count = parts.length;
  if (parts[count - 1] === "") count--;
  for (let at = 1; at < count; at++) if (parts[at] === "") return undefined;
  const isCore = parts[1] === "api";
  if (!isCore && parts[1] !== "apis") return undefined;
  const first = isCore ? 3 : 4;
  const version = parts[first - 1];
  if (version === undefined || count <= first) return undefined;
  const group = isCore ? "" : (parts[2] ?? "");
  const isNamespace =
    count - first === 3 && (parts[first + 2] === "status" || parts[first + 2] === "finalize");
  const inNamespace = parts[first] === "namespaces" && count - first > 2 && !isNamespace;
  const at = inNamespace ? first + 2 : first;
  if (count - at > 3) return undefined;
  const [plural = "", name, subresource] = [parts[at], textAt(at + 1), textAt(at + 2)];
  const place = { group, version, plural, name, subresource };
  return inNamespace ? { ...place, namespace: parts[first + 1] ?? "" } : place;

  function textAt(index: number): string | undefined {
    return index < count ? parts[index] : undefined;
  }
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
