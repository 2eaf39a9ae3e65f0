/** An object of a collection, as stored. */
export interface StoredItem {
  readonly key: string;
  readonly json: string;
}

/** State of an object at an earlier version: its JSON, or "" if it did not exist. */
export interface EarlierState {
  readonly key: string;
  readonly json: string;
}

/**
 * Part of a collection at an earlier version: the current part with later changes reverted. It lets a chunked
 * list show one version throughout.
 *
 * @param items everything that is now in the part, in key order
 * @param earlier the state at that version of everything in the part that has changed since
 */
export function rewind(
  items: readonly StoredItem[],
  earlier: readonly EarlierState[],
): readonly StoredItem[] {
  if (earlier.length === 0) return items;
  const changed = new Set(earlier.map(({ key }) => key));
  const unchanged = items.filter(({ key }) => !changed.has(key));
  const existing = earlier.filter(({ json }) => json !== "");
  return [...unchanged, ...existing].sort((a, b) => (a.key < b.key ? -1 : 1));
}
