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
 * @param items in the order of their keys, and either all of the range or at least `limit` plus the number of `earlier`
 * @param earlier the state at that version of everything in the collection that changed since
 * @param afterKey only what comes after this key belongs to the part
 * @param limit how many objects at most; 0 for all
 */
export function rewind(
  items: readonly StoredItem[],
  earlier: readonly EarlierState[],
  afterKey: string,
  limit: number,
): StoredItem[] {
  if (earlier.length === 0) return limit === 0 ? [...items] : items.slice(0, limit);
  const changed = new Map(earlier.filter(({ key }) => key > afterKey).map((state) => [state.key, state]));
  const unchanged = items.filter(({ key }) => !changed.has(key));
  const existing = [...changed.values()].filter(({ json }) => json !== "");
  const all = [...unchanged, ...existing].sort((a, b) => (a.key < b.key ? -1 : 1));
  return limit === 0 ? all : all.slice(0, limit);
}
