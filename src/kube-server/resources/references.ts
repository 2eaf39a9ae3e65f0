import type { KindDefinition } from "../api/kind.ts";
import { ownerUids } from "../api/metadata.ts";
import type { KubeObject } from "../api/object.ts";
import { useReference } from "../store/keys.ts";

/** What the store finds an object by: the uids of its owners, and its kind's references. */
export function referencesOf(kind: KindDefinition | undefined, object: KubeObject | undefined): string[] {
  if (object === undefined) return [];
  const uses = kind?.uses?.(object).map(useReference) ?? [];
  const own = [...(kind?.references?.(object) ?? []), ...uses].filter((reference) => !/\s/.test(reference));
  return [...new Set([...ownerUids(object), ...own])];
}
