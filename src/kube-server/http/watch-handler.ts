import type { Clock } from "../../base/core/clock.ts";
import { pause } from "../../base/core/signals.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import type { JsonObject, KubeObject } from "../api/object.ts";
import { expired, type Status } from "../api/status.ts";
import { columnDefinitions, tableHead, tableRow } from "../api/table.ts";
import { selectsObject } from "../api/traits.ts";
import { type Selection, selectionPrefix } from "../resources/list.ts";
import type { ObjectStore } from "../store/object-store.ts";
import type { ChangeFeed, FeedChange } from "../watch/feed.ts";
import { type WatchEvent, watchStep } from "../watch/step.ts";
import type { InitialPosition, SharedChanges, WatchReads } from "../watch/watch-reads.ts";
import { type Form, objectBody } from "./api-response.ts";
import type { WatchOptions } from "./watch-options.ts";

/** Destination of a watch's events: a response, with one line per event. */
export interface EventSink {
  /** False while the reader is behind: write nothing until {@link ready} resolves. */
  isReady(): boolean;
  ready(signal: AbortSignal): Promise<void>;
  write(line: string | Buffer): void;
}

export interface WatchContext {
  readonly store: ObjectStore;
  readonly feed: ChangeFeed;
  readonly reads: WatchReads;
  readonly clock: Clock;
  readonly bookmarkMs: number;
}

/**
 * Serves one watch until the signal aborts or the watch times out.
 *
 * States: *catching up* reads the change log from the watch's version, one part at a time, when its reader
 * has room. Once it reaches the feed's version it is *live* and receives changes
 * from the feed. If its reader falls behind, it leaves the feed, waits, and catches up again. So nothing is
 * buffered for slow readers, and because only the version decides, no event is lost or sent twice.
 */
export async function serveWatch(
  context: WatchContext,
  selection: Selection,
  options: WatchOptions,
  form: Form,
  sink: EventSink,
  signal: AbortSignal,
): Promise<void> {
  const { store, reads, clock } = context;
  const { kind } = selection;
  const matches = matcherOf(selection);
  const filter = { prefix: selectionPrefix(selection), kind, matches };
  const encode = eventEncoder(selection.kind, form, clock);
  const deadlineMs = clock.monotonicMs() + options.timeoutMs;
  let nextBookmarkMs = clock.monotonicMs() + context.bookmarkMs;
  let position = options.start;

  const send = (change: FeedChange): void => {
    if (Number(change.resourceVersion) <= Number(position)) return;
    position = change.resourceVersion;
    const event = watchStep(change, filter);
    if (event !== undefined) sink.write(encode(event));
  };
  /** Sends the next part of the change log, if there is room, and does not retain it. */
  const catchUp = async (): Promise<SharedChanges | undefined> => {
    const outcome = await reads.changes(selection.plane, position, { isReady: sink.isReady, signal });
    if (outcome?.outcome !== "changes") return outcome;
    if (!sink.isReady()) return undefined;
    for (const change of outcome.changes) send(change);
    return { ...outcome, changes: [] };
  };

  if (position === "now") {
    const newest = await store.newestVersion(selection.plane);
    if (newest === undefined) return;
    position = newest;
  }
  if (position === "" || position === "0") {
    position = await sendExisting(context, selection, encode, sink, signal);
    if (options.initialEvents && options.bookmarks)
      sink.write(bookmark(selection.kind, form, position, true));
  }
  while (!signal.aborted && clock.monotonicMs() < deadlineMs) {
    await sink.ready(signal);
    const outcome = await catchUp();
    if (outcome === undefined) continue;
    if (outcome.outcome === "gone") return;
    if (outcome.outcome !== "changes") {
      sink.write(errorEvent(expired(`too old resource version: ${position} (${outcome.newest})`).status));
      return;
    }
    if (Number(position) < Number(outcome.newest)) continue;
    const live = await listenLive(
      context,
      selection,
      position,
      sink,
      send,
      deadlineMs,
      nextBookmarkMs,
      signal,
    );
    position = Number(live.version) > Number(position) ? live.version : position;
    if (live.end === "gone") return;
    if (clock.monotonicMs() >= nextBookmarkMs || clock.monotonicMs() >= deadlineMs) {
      nextBookmarkMs = clock.monotonicMs() + context.bookmarkMs;
      if (options.bookmarks && !signal.aborted) sink.write(bookmark(selection.kind, form, position, false));
    }
  }
}

function matcherOf({ kind, selector }: Selection): ((object: KubeObject) => boolean) | undefined {
  return selector && ((object) => selectsObject(selector, object, kind));
}

/** One reason for all: thousands of watches may end at once, and each exception of its own records a stack. */
export const watchEnded = new Error("the watch has ended");

interface LiveEnd {
  readonly end: "behind" | "lost" | "gone" | "time";
  /** The watch has seen everything up to this version. */
  readonly version: string;
}

/**
 * Takes changes from the feed until the reader is behind, the feed has lost its position, or a bookmark or
 * the watch's end is due.
 */
async function listenLive(
  { feed, clock }: WatchContext,
  selection: Selection,
  position: string,
  sink: EventSink,
  send: (change: FeedChange) => void,
  deadlineMs: number,
  bookmarkMs: number,
  signal: AbortSignal,
): Promise<LiveEnd> {
  let version = position;
  let end: LiveEnd["end"] = "time";
  const done = new AbortController();
  const finish = (why: LiveEnd["end"]): void => {
    end = why;
    done.abort(watchEnded);
  };
  const stop = feed.listen(selection.plane, position, {
    onChanges(changes, newest) {
      if (done.signal.aborted) return;
      for (const change of changes) {
        if (!sink.isReady()) return finish("behind");
        send(change);
        version = change.resourceVersion;
      }
      version = newest;
    },
    onLost: (why) => finish(why === "gone" ? "gone" : "lost"),
  });
  // The feed has advanced meanwhile: read the missing changes from the log.
  if (stop === undefined) return { end: "lost", version };
  const waitMs = Math.max(0, Math.min(deadlineMs, bookmarkMs) - clock.monotonicMs());
  await pause(clock, waitMs, [signal, done.signal]);
  stop();
  done.abort(watchEnded);
  return { end, version };
}

/** Sends all existing objects as added. @returns the version of that state */
async function sendExisting(
  { reads }: WatchContext,
  selection: Selection,
  encode: (event: WatchEvent) => string | Buffer,
  sink: EventSink,
  signal: AbortSignal,
): Promise<string> {
  const { plane, kind } = selection;
  const matches = matcherOf(selection);
  const collection = { kind, prefix: selectionPrefix(selection) };
  let position: InitialPosition = { resourceVersion: "", afterKey: "" };
  while (position.afterKey !== undefined) {
    await sink.ready(signal);
    const part = await reads.initialPart(plane, collection, position, { isReady: sink.isReady, signal });
    if (part === undefined || !sink.isReady()) continue;
    for (const change of part.added) {
      if (matches === undefined || matches(change.object()))
        sink.write(encode({ type: "ADDED", change, object: change.object }));
    }
    position = part;
  }
  return position.resourceVersion;
}

/**
 * Encodes events in the client's form; only the first one contains a table's columns. Watches of the same
 * form share the result.
 */
function eventEncoder(
  kind: KindDefinition,
  form: Form,
  clock: Clock,
): (event: WatchEvent) => string | Buffer {
  const { representation, metaVersion, include } = form;
  let columns: JsonObject[] | null = columnDefinitions(kind);
  const text = ({ type, object }: WatchEvent): string => {
    if (representation === "object") return eventLine(type, object());
    if (representation === "metadata") return eventLine(type, objectBody(object(), kind, form, 0));
    const { resourceVersion = "" } = object().metadata;
    const rows = [tableRow(kind, object(), form, clock.nowMs())];
    return eventLine(type, { ...tableHead(columns, { resourceVersion }, metaVersion), rows });
  };
  return (event) => {
    const { type, change, object } = event;
    const isUnmodified = type === change.type && object === change.object;
    const key = [representation, metaVersion, include, columns === null].join(" ");
    let line: string | Buffer;
    if (!isUnmodified) line = text(event);
    else if (representation === "object") line = change.line();
    else line = change.encoded(key, () => text(event));
    columns = null;
    return line;
  };
}

function eventLine(type: string, object: JsonObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function bookmark(kind: KindDefinition, form: Form, resourceVersion: string, endsInitial: boolean): string {
  const annotations = endsInitial ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const metadata = { resourceVersion, creationTimestamp: null, ...annotations };
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata };
  if (form.representation === "object") return eventLine("BOOKMARK", object);
  const partial = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${form.metaVersion}`, metadata };
  if (form.representation === "metadata") return eventLine("BOOKMARK", partial);
  const row = { cells: [], object: partial };
  return eventLine("BOOKMARK", { ...tableHead(null, { resourceVersion }, form.metaVersion), rows: [row] });
}

function errorEvent(status: Status): string {
  return eventLine("ERROR", status as unknown as KubeObject);
}
