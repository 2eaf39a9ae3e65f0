import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { type Selector, selects, type Traits, traitsOf } from "../api/traits.ts";
import { collectionPrefix } from "./keys.ts";
import { type PageSelection, type RunOnPlane, readPage } from "./page.ts";
import { changedObjectsScript } from "./read-scripts.ts";
import { parseServed } from "./stored-object.ts";

export interface TraitsIndexOptions {
  /** Estimated bytes of the collections of all organizations, and of one. */
  readonly maxBytes: number;
  readonly maxOrganizationBytes: number;
}

/** Keys that match at {@link version}, or at a newer one up to the newest. */
export interface SelectedKeys {
  readonly version: string;
  /** In order; one more than the limit if there are more. */
  readonly keys: readonly string[];
}

export interface KeyRange {
  readonly prefix: string;
  readonly afterKey: string;
  readonly limit: number;
}

/**
 * Labels and selectable fields of the collections that were listed with a selector, in this process: such
 * a list reads only the objects that match. Before each list, what has changed since the last one is read
 * from the change log, so that a list sees every write that preceded it. Collections that do not fit are
 * not indexed, and of the others those used least recently are dropped.
 */
export class TraitsIndex {
  readonly #options: TraitsIndexOptions;
  /** In order of use. */
  readonly #collections = new Map<string, IndexedCollection>();

  constructor(options: TraitsIndexOptions) {
    this.#options = options;
  }

  /** @returns undefined if the collection cannot be indexed: it must be read whole */
  async select(
    plane: Plane,
    { kind, selector }: PageSelection,
    range: KeyRange,
    run: RunOnPlane,
  ): Promise<SelectedKeys | undefined> {
    const { organization } = plane;
    const name = `${planeKey(plane)} ${apiVersionOf(kind)} ${kind.plural}`;
    const { maxOrganizationBytes } = this.#options;
    const collection =
      this.#collections.get(name) ?? new IndexedCollection(kind, organization, maxOrganizationBytes);
    this.#collections.delete(name);
    this.#collections.set(name, collection);
    const isCurrent = await collection.refresh(run);
    this.#evict(collection);
    if (!isCurrent) return undefined;
    return { version: collection.version, keys: await collection.keysOf(selector, range) };
  }

  #evict(latest: IndexedCollection): void {
    let [all, own] = [0, 0];
    for (const { bytes, organization } of this.#collections.values()) {
      all += bytes;
      if (organization === latest.organization) own += bytes;
    }
    const { maxBytes, maxOrganizationBytes } = this.#options;
    for (const [name, collection] of this.#collections) {
      const isOwn = collection.organization === latest.organization;
      const isOver = all > maxBytes || this.#collections.size > maxCollections;
      if (!isOver && own <= maxOrganizationBytes) return;
      if (collection === latest || !(isOver || isOwn)) continue;
      this.#collections.delete(name);
      all -= collection.bytes;
      if (isOwn) own -= collection.bytes;
    }
  }
}

/** Empty collections have hardly any bytes. */
const maxCollections = 1_000;
const objectsAtOnce = 500;
const changesAtOnce = 500;
const bytesAtOnce = 1024 * 1024;
/** Matched without a pause. */
const entriesAtOnce = 2_000;
/** A plane that is written to faster than it is read is not followed. */
const maxReads = 100;
/** Lists until a collection that was too large is tried again. */
const listsUntilRetry = 100;

class IndexedCollection {
  readonly organization: string;
  readonly #kind: KindDefinition;
  readonly #prefix: string;
  readonly #maxBytes: number;
  readonly #traits = new Map<string, IndexedTraits>();
  /** Of {@link #traits}, sorted. */
  #keys: string[] = [];
  /** What the entries show; "" if they are not complete. */
  version = "";
  bytes = 0;
  /** Lists to come that read it whole, because it is too large. */
  #skips = 0;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  constructor(kind: KindDefinition, organization: string, maxBytes: number) {
    this.organization = organization;
    this.#kind = kind;
    this.#prefix = collectionPrefix(kind, undefined);
    this.#maxBytes = maxBytes;
  }

  /**
   * Reads what has changed. Concurrent calls share one reading, but never one that has begun before the call:
   * the caller may have written since.
   *
   * @returns false if the entries are not complete
   */
  refresh(run: RunOnPlane): Promise<boolean> {
    if (this.#running === undefined) return this.#start(run);
    this.#next ??= this.#running.catch(() => false).then(() => this.#start(run));
    return this.#next;
  }

  #start(run: RunOnPlane): Promise<boolean> {
    this.#next = undefined;
    const running = this.#read(run).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #read(run: RunOnPlane): Promise<boolean> {
    if (this.#skips > 0 && --this.#skips > 0) return false;
    for (let reads = 0; reads < maxReads; reads++) {
      if (this.version === "" && !(await this.#readAll(run))) return false;
      const args = [this.version, this.#prefix, changesAtOnce, bytesAtOnce];
      const reply = await run(changedObjectsScript, args);
      const [outcome, version, isEnd, flat] = reply as [string, string, number, string[]];
      if (outcome !== "ok") {
        this.#clear();
        if (outcome === "gone") return false;
        continue;
      }
      for (let index = 0; index + 1 < flat.length; index += 2)
        this.#set(flat[index] ?? "", flat[index + 1] ?? "");
      if (this.#isTooLarge()) return false;
      this.version = version;
      if (isEnd === 1) return true;
    }
    return false;
  }

  /** @returns false if there is no such plane, or the collection is too large */
  async #readAll(run: RunOnPlane): Promise<boolean> {
    let version = "";
    for (let afterKey = ""; ; ) {
      const request = { prefix: this.#prefix, afterKey, limit: objectsAtOnce, resourceVersion: "" };
      const page = await readPage(run, request);
      if (page.outcome !== "page") return false;
      for (const { key, json } of page.items) this.#set(key, json);
      if (this.#isTooLarge()) return false;
      // What is written while the parts are read is read again, from the log.
      version ||= page.resourceVersion;
      if (page.cursor === undefined) break;
      afterKey = page.cursor;
    }
    this.version = version;
    return true;
  }

  #isTooLarge(): boolean {
    if (this.bytes <= this.#maxBytes) return false;
    this.#clear();
    this.#skips = listsUntilRetry;
    return true;
  }

  #clear(): void {
    this.#traits.clear();
    this.#keys = [];
    this.bytes = 0;
    this.version = "";
  }

  /** @param json "" if the object does not exist */
  #set(key: string, json: string): void {
    const before = this.#traits.get(key);
    this.bytes -= before?.bytes ?? 0;
    if (json === "") {
      if (this.#traits.delete(key)) this.#keys.splice(positionAfter(this.#keys, key) - 1, 1);
      return;
    }
    const traits = new IndexedTraits(key, traitsOf(parseServed(json, this.#kind), this.#kind), this.#kind);
    this.bytes += traits.bytes;
    this.#traits.set(key, traits);
    if (before === undefined) this.#keys.splice(positionAfter(this.#keys, key), 0, key);
  }

  async keysOf(selector: Selector, { prefix, afterKey, limit }: KeyRange): Promise<string[]> {
    const found: string[] = [];
    let last = afterKey === "" ? prefix : afterKey;
    for (;;) {
      // Keys may be added and removed during a pause.
      const start = positionAfter(this.#keys, last);
      const some = this.#keys.slice(start, start + entriesAtOnce);
      for (const key of some) {
        if (!key.startsWith(prefix)) return found;
        const traits = this.#traits.get(key);
        if (traits === undefined || !selects(selector, traits)) continue;
        if (found.push(key) > limit) return found;
      }
      if (some.length < entriesAtOnce) return found;
      last = some.at(-1) ?? last;
      await yieldToEventLoop();
    }
  }
}

/** Approximate bytes of an entry, and of each of its labels and fields, besides their text. */
const entryBytes = 250;
const textBytes = 50;

/** Copies of an object's labels and selectable fields. */
class IndexedTraits implements Traits {
  readonly labels: Readonly<Record<string, string>>;
  readonly #fields: Readonly<Record<string, string>>;
  readonly bytes: number;

  constructor(key: string, { labels, field }: Traits, kind: KindDefinition) {
    const names = ["metadata.name", "metadata.namespace", ...Object.keys(kind.selectableFields)];
    this.labels = labels;
    this.#fields = Object.fromEntries(names.map((name) => [name, field(name)]));
    this.bytes = 2 * key.length + entryBytes;
    for (const [name, value] of Object.entries(labels)) this.bytes += name.length + value.length + textBytes;
    for (const value of Object.values(this.#fields)) this.bytes += value.length + textBytes;
  }

  field(name: string): string {
    return this.#fields[name] ?? "";
  }
}

/** Number of keys up to and including this one. */
function positionAfter(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
