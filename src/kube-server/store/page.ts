import type { KindDefinition } from "../api/kind.ts";
import { type Selector, selectsObject } from "../api/traits.ts";
import { pageScript } from "./read-scripts.ts";
import { pairs } from "./replies.ts";
import { rewind, type StoredItem } from "./rewind.ts";
import { parseServed } from "./stored-object.ts";

export interface PageRequest {
  /** Key prefix of the collection; see `collectionPrefix`. */
  readonly prefix: string;
  /** Start after this key; "" for the beginning. */
  readonly afterKey: string;
  readonly limit: number;
  /** Version to show; "" for the newest. */
  readonly resourceVersion: string;
  /** Only the objects that match, as the kind is served; absent: all. */
  readonly selection?: PageSelection | undefined;
}

export interface PageSelection {
  readonly kind: KindDefinition;
  readonly selector: Selector;
}

export type PageOutcome =
  | {
      readonly outcome: "page";
      readonly resourceVersion: string;
      readonly items: readonly StoredItem[];
      /** Current number of objects of the collection after these, whether or not they match. */
      readonly remaining: number;
      /** Key to continue after; undefined at the end. */
      readonly cursor: string | undefined;
    }
  | { readonly outcome: "gone" }
  | { readonly outcome: "unknown-version"; readonly newest: string };

/** Runs one of the store's scripts on a plane. */
export type RunOnPlane = (script: string, args: readonly (string | number)[]) => Promise<unknown>;

/** Large enough to amortize a round trip, small enough that many readers fit into memory. */
const bytesAtOnce = 512 * 1024;

/**
 * Reads part of a collection, fewer objects than the limit if they are large or do not match.
 *
 * @param keys those to read, one more than the limit if there are more; by default all of the collection.
 * With a selection, these are the keys that match at a version between that of the request and the newest.
 */
export async function readPage(
  run: RunOnPlane,
  { prefix, afterKey, limit, resourceVersion, selection }: PageRequest,
  keys?: readonly string[],
): Promise<PageOutcome> {
  const from = afterKey === "" ? `[${prefix}` : `(${afterKey}`;
  // "0" is the character after "/": the upper bound of all keys with the prefix.
  const to = `(${prefix.slice(0, -1)}0`;
  const given = keys === undefined ? [] : ["keys", ...keys];
  const reply = await run(pageScript, [from, to, limit, resourceVersion, prefix, bytesAtOnce, ...given]);
  const [outcome, newest, count, flatItems, flatUndo, lastKey] = reply as [
    string,
    string,
    number,
    string[],
    string[],
    string,
  ];
  if (outcome === "gone") return { outcome };
  if (outcome === "unknown") return { outcome: "unknown-version", newest };
  const matches = ({ json }: StoredItem): boolean => {
    if (selection === undefined || json === "") return true;
    const { selector, kind } = selection;
    return selectsObject(selector, parseServed(json, kind), kind);
  };
  const current = pairs(flatItems);
  // Keys that match already do not need to be parsed: what has changed since is among the earlier states.
  const earlier = pairs(flatUndo).map((item) => (matches(item) ? item : { ...item, json: "" }));
  const all = rewind(keys === undefined ? current.filter(matches) : current, earlier);
  const items = all.slice(0, limit);
  const cursor = items.length < all.length ? items.at(-1)?.key : lastKey || undefined;
  const remaining = Math.max(0, count - items.length);
  return { outcome: "page", resourceVersion: resourceVersion || newest, items, remaining, cursor };
}
