import type { KubeObject } from "../object.ts";
import type { ChangeType } from "../store/change.ts";
import type { FeedChange } from "./feed.ts";

/** What a watch wants to see. */
export interface WatchFilter {
  /** What the keys of the collection start with. */
  readonly prefix: string;
  /** Undefined: every object of the collection. */
  readonly matches?: (object: KubeObject) => boolean;
}

export interface WatchEvent {
  readonly type: ChangeType;
  readonly change: FeedChange;
  /** The object to show. For one that left the selection it is the state before, at the version of the change. */
  readonly object: () => KubeObject;
}

/**
 * What a change means to one watch: an object that comes to match is added to what the watch sees, and one that does not
 * match any more is deleted from it.
 *
 * @returns undefined when the watch does not see the object before or after
 */
export function watchStep(change: FeedChange, filter: WatchFilter): WatchEvent | undefined {
  if (!change.key.startsWith(filter.prefix)) return undefined;
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
