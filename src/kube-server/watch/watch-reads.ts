import type { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { expired, PlaneGoneError } from "../api/status.ts";
import { fixedObjects } from "../resources/fixed-objects.ts";
import type { ChangesOutcome, ObjectStore } from "../store/object-store.ts";
import { servedJson } from "../store/stored-object.ts";
import { type FeedChange, feedChange } from "./feed.ts";

/** Where a watch is in the initial state of its collection. */
export interface InitialPosition {
  /** Version of the state; "" before its first part. */
  readonly resourceVersion: string;
  /** The next part starts after this key; undefined after the last part. */
  readonly afterKey: string | undefined;
}

/** A part of a collection's state, each object as added. */
export interface InitialPart extends InitialPosition {
  readonly added: readonly FeedChange[];
}

export type SharedChanges =
  | { readonly outcome: "changes"; readonly newest: string; readonly changes: readonly FeedChange[] }
  | Exclude<ChangesOutcome, { outcome: "changes" }>;

/** Whether there is room for what a watch is going to send, and the end of the watch. */
export interface ReadTerms {
  readonly isReady: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * What watches read from the store. Watches that read the same at about the same time share one reply, with
 * its parsed objects and its encoded events: the memory and time of thousands of watches of one large object
 * are those of one. A read whose watch has no room for it is not made: undefined, and the watch waits for
 * room. It looks at the room again before it writes: thousands may have waited for one reply.
 */
export interface WatchReads {
  /** @throws PlaneGoneError, StatusError 410 if the state has been compacted meanwhile */
  initialPart(
    plane: Plane,
    collection: { readonly kind: KindDefinition; readonly prefix: string },
    from: InitialPosition,
    terms: ReadTerms,
  ): Promise<InitialPart | undefined>;
  /** The next changes after a version; see `ObjectStore.changes`. */
  changes(plane: Plane, afterVersion: string, terms: ReadTerms): Promise<SharedChanges | undefined>;
}

export interface WatchReadsOptions {
  readonly store: Pick<ObjectStore, "get" | "page" | "changes" | "newestVersion">;
  /** Limits concurrent reads, fairly by plane. */
  readonly semaphore: FairSemaphore;
  /** Bytes of replies and encoded events that are kept for other watches. */
  readonly maxSharedBytes?: number;
}

const defaultSharedBytes = 16 * 2 ** 20;
const objectsAtOnce = 500;

interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

export function createWatchReads(options: WatchReadsOptions): WatchReads {
  const { store, semaphore } = options;
  const recent = new RecentReads(options.maxSharedBytes ?? defaultSharedBytes);

  const share = async <T>(
    plane: Plane,
    what: string,
    { isReady, signal }: ReadTerms,
    load: () => Promise<Sized<T>>,
  ): Promise<T | undefined> => {
    const owner = planeKey(plane);
    const key = `${owner} ${what}`;
    const known = recent.get<T>(key);
    if (known !== undefined) {
      // The failure is that of the watch that reads; this one reads by itself then.
      return await known.catch(() => undefined);
    }
    await semaphore.acquire(owner, signal);
    try {
      // Others may have taken the room, or read the same, while this watch waited for its turn.
      if (!isReady() || recent.get(key) !== undefined) return undefined;
      return await recent.add(key, load());
    } finally {
      semaphore.release(owner);
    }
  };

  return {
    async initialPart(plane, { kind, prefix }, { resourceVersion: given, afterKey = "" }, terms) {
      const resourceVersion = given === "" ? await store.newestVersion(plane) : given;
      if (resourceVersion === undefined) throw new PlaneGoneError();
      const fixed = await fixedObjects(store, plane, kind);
      if (fixed !== undefined) {
        const added = fixed.map((object) => addedChange(resourceVersion, JSON.stringify(object)));
        return { resourceVersion, afterKey: undefined, added };
      }
      const what = `part ${apiVersionOf(kind)} ${prefix} ${resourceVersion} ${afterKey}`;
      const request = { prefix, afterKey, limit: objectsAtOnce, resourceVersion };
      return await share<InitialPart | undefined>(plane, what, terms, async () => {
        const page = await store.page(plane, request);
        if (page.outcome === "gone") throw new PlaneGoneError();
        if (page.outcome !== "page") {
          // The newest version has been compacted within a moment: the watch begins with a newer one.
          if (given === "") return { value: undefined, bytes: 0 };
          throw expired(`too old resource version: ${resourceVersion}`);
        }
        const added = page.items.map(({ json }) => addedChange(resourceVersion, servedJson(json, kind)));
        return { value: { resourceVersion, afterKey: page.cursor, added }, bytes: bytesOf(added) };
      });
    },
    async changes(plane, afterVersion, terms) {
      const newest = await store.newestVersion(plane);
      if (newest === undefined) return { outcome: "gone" };
      if (newest === afterVersion) return { outcome: "changes", newest, changes: [] };
      const what = `changes ${afterVersion} ${newest}`;
      return await share<SharedChanges>(plane, what, terms, async () => {
        const outcome: ChangesOutcome = await store.changes(plane, afterVersion);
        if (outcome.outcome !== "changes") return { value: outcome, bytes: 0 };
        const changes = outcome.changes.map(feedChange);
        return { value: { ...outcome, changes }, bytes: bytesOf(changes) };
      });
    },
  };
}

function addedChange(resourceVersion: string, json: string): FeedChange {
  return feedChange({ resourceVersion, type: "ADDED", key: "", json, previous: "" });
}

/** With each event's encoded form. */
function bytesOf(changes: readonly FeedChange[]): number {
  return changes.reduce((sum, { json, previous }) => sum + 2 * json.length + previous.length, 0);
}

/** The latest reads, up to a number of bytes, and those under way. */
class RecentReads {
  readonly #maxBytes: number;
  readonly #reads = new Map<string, { readonly reading: Promise<unknown>; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get<T>(key: string): Promise<T> | undefined {
    return this.#reads.get(key)?.reading as Promise<T> | undefined;
  }

  /** @throws what the read throws, which is not kept */
  async add<T>(key: string, loading: Promise<Sized<T>>): Promise<T> {
    const entry = { reading: loading.then(({ value }) => value), bytes: 0 };
    this.#reads.set(key, entry);
    try {
      const { value, bytes } = await loading;
      entry.bytes = bytes;
      this.#bytes += bytes;
      this.#evict();
      return value;
    } catch (error) {
      this.#reads.delete(key);
      // Nobody may share it.
      entry.reading.catch(() => undefined);
      throw error;
    }
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#reads) {
      if (this.#bytes <= this.#maxBytes && this.#reads.size <= maxReads) return;
      // A read under way has no size yet; it is counted once it is done.
      this.#bytes -= bytes;
      this.#reads.delete(key);
    }
  }
}

/** Empty parts have no bytes. */
const maxReads = 1_000;
