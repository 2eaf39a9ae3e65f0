import type { Change, ChangeType } from "./change.ts";
import type { EarlierState, StoredItem } from "./rewind.ts";
import type { ExceededQuota, Quotas, Usage } from "./usage.ts";

/** Decodes replies of the store's scripts. */

/** `key, value, key, value, …` */
export function pairs(flat: readonly string[]): (StoredItem & EarlierState)[] {
  const items: StoredItem[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) items.push({ key: flat[i] ?? "", json: flat[i + 1] ?? "" });
  return items;
}

export function readCounts(resources: readonly string[], counts: readonly (string | null)[]): Usage {
  return Object.fromEntries(resources.map((resource, index) => [resource, Number(counts[index] ?? 0)]));
}

export function readExceeded([quota, ...values]: readonly string[]): ExceededQuota[] {
  const exceeded: ExceededQuota[] = [];
  for (let index = 0; index < values.length; index += 4) {
    const [requested = 0, used = 0, limited = 0] = values.slice(index + 1, index + 4).map(Number);
    const resource = values[index] ?? "";
    exceeded.push({ quota: quota as keyof Quotas, resource, requested, used, limited });
  }
  return exceeded;
}

export function readChange(entry: readonly string[]): Change {
  const [resourceVersion = "", type = "", key = "", json = "", previous = ""] = entry;
  return { resourceVersion, type: type as ChangeType, key, json, previous };
}
