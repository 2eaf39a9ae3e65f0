/** An object of a collection, as the store holds it. */
export interface StoredItem {
  readonly key: string;
  readonly json: string;
}

/** What an object was at an earlier version: its JSON, or "" where it did not exist. */
export interface EarlierState {
  readonly key: string;
  readonly json: string;
}

/**
 * Part of a collection as it was at an earlier version: the part as it is now, with the later changes taken back. It lets
 * a chunked list show one version from its first part to its last.
 *
 * @param items all that is in the part now, in the order of their keys
 * @param earlier the state at that version of everything in the part that changed since
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
