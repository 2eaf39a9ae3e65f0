import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import type { ChangeType } from "../store/change.ts";
import type { FeedChange } from "./feed.ts";

/** Selection of a watch. */
export interface WatchFilter {
  /** Key prefix of the collection. */
  readonly prefix: string;
  /** The kind as which the watch sees the collection. */
  readonly kind: KindDefinition;
  /** Undefined: every object of the collection. */
  readonly matches?: ((object: KubeObject) => boolean) | undefined;
}

export interface WatchEvent {
  readonly type: ChangeType;
  readonly change: FeedChange;
  /** The object to show. If it has left the selection, the previous state with the version of the change. */
  readonly object: () => KubeObject;
}

/**
 * A change as one watch sees it: an object that begins to match is ADDED, one that stops matching is DELETED.
 *
 * @returns undefined if the object does not match before or after
 */
export function watchStep(stored: FeedChange, filter: WatchFilter): WatchEvent | undefined {
  if (!stored.key.startsWith(filter.prefix)) return undefined;
  const change = stored.servedAs(filter.kind);
  const { matches } = filter;
  if (matches === undefined) return { type: change.type, change, object: change.object };
  const previous = change.previousObject();
  const wasSeen = previous !== undefined && matches(previous);
  const isSeen = change.type !== "DELETED" && matches(change.object());
  if (isSeen) return { type: wasSeen ? "MODIFIED" : "ADDED", change, object: change.object };
  if (!wasSeen || previous === undefined) return undefined;
  if (change.type === "DELETED") return { type: "DELETED", change, object: change.object };
  const resourceVersion = change.resourceVersion;
  return {
    type: "DELETED",
    change,
    object: () => ({ ...previous, metadata: { ...previous.metadata, resourceVersion } }),
  };
}
