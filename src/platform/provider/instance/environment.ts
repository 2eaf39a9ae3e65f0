import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { ConfigKind } from "../plane/named-configs.ts";
import { objectsAt, textAt } from "../plane/plane-object.ts";

/** Contents of a ConfigMap or Secret by key. */
export type ConfigData = ReadonlyMap<string, Uint8Array>;

/** The contents of a ConfigMap or Secret; undefined if there is none. */
export type ConfigReader = (kind: ConfigKind, name: string) => ConfigData | undefined;

/**
 * The environment of a container. A value may come from a ConfigMap, a Secret or a field of the Instance:
 * `metadata.name`, `metadata.namespace`, `metadata.uid`, `metadata.labels['x']`, `metadata.annotations['x']`,
 * `status.networkInterfaces[0].assignments.networkIP` (as `networkIP`). In a literal value, `$(NAME)` becomes
 * the value of a variable before it, as in Kubernetes.
 *
 * @param missing collects what is not there yet
 */
export function environment(
  instance: PlaneObject,
  container: Record<string, unknown>,
  read: ConfigReader,
  missing: Set<string>,
): Record<string, string> {
  const values = new Map<string, string>();
  let left = maxExpanded;
  for (const entry of objectsAt(container, "env")) {
    const name = textAt(entry, "name");
    if (name === undefined) continue;
    const { value, valueFrom } = entry;
    if (valueFrom === undefined) {
      const expanded = expand(typeof value === "string" ? value : "", values, left);
      left -= expanded.length;
      values.set(name, expanded);
      continue;
    }
    const found = referredValue(instance, valueFrom, read, missing);
    if (found !== undefined) values.set(name, found);
  }
  return Object.fromEntries(values);
}

/** Characters of all values: variables of variables would otherwise double with each. */
const maxExpanded = 2 ** 20;

/** `$(NAME)` with the values so far; `$$` is a dollar; a name that has no value stays as it is written. */
function expand(text: string, values: ReadonlyMap<string, string>, limit: number): string {
  let length = text.length;
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (written, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = values.get(name);
    if (value === undefined || length + value.length > limit) return written;
    length += value.length;
    return value;
  });
}

function referredValue(
  instance: PlaneObject,
  source: unknown,
  read: ConfigReader,
  missing: Set<string>,
): string | undefined {
  const fieldPath = textAt(source, "fieldRef", "fieldPath");
  if (fieldPath !== undefined) {
    const value = fieldOf(instance, fieldPath);
    if (value === undefined) missing.add(`field ${JSON.stringify(fieldPath.slice(0, 100))}`);
    return value;
  }
  const kind = textAt(source, "secretKeyRef", "name") === undefined ? "ConfigMap" : "Secret";
  const reference = valueAt(source, [kind === "Secret" ? "secretKeyRef" : "configMapKeyRef"]);
  const [name = "", key = ""] = [textAt(reference, "name"), textAt(reference, "key")];
  const data = read(kind, name);
  const value = data?.get(key);
  if (value !== undefined) return Buffer.from(value).toString();
  if (valueAt(reference, ["optional"]) === true) return undefined;
  missing.add(data === undefined ? `${kind} "${name}"` : `key "${key}" of ${kind} "${name}"`);
  return undefined;
}

/** A field of an Instance; undefined for one that cannot be referred to. Absent labels are empty. */
function fieldOf(instance: PlaneObject, path: string): string | undefined {
  switch (path) {
    case "metadata.name":
    case "metadata.namespace":
    case "metadata.uid":
      return textAt(instance, ...path.split(".")) ?? "";
    case "networkIP":
    case "status.networkInterfaces[0].assignments.networkIP":
      return textAt(instance, "status", "networkInterfaces", 0, "assignments", "networkIP");
  }
  const member = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path);
  if (member === null) return undefined;
  const [, map = "", key = ""] = member;
  return textAt(instance, "metadata", map, key) ?? "";
}
