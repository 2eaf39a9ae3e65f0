import type { Clock } from "../../../../base/core/clock.ts";
import type { FairSemaphore } from "../../../../base/core/fair-semaphore.ts";
import { pause } from "../../../../base/core/signals.ts";
import { apiVersionOf, type KindDefinition } from "../../kinds/kind.ts";
import type { JsonObject, KubeObject } from "../../object.ts";
import { type Plane, planeKey } from "../../plane.ts";
import { list, type Selection, selectionPrefix } from "../../resources/list.ts";
import { expired, PlaneGoneError, type Status } from "../../status.ts";
import type { ChangesOutcome, ObjectStore } from "../../store/object-store.ts";
import { columnDefinitions, tableHead, tableRow } from "../../table.ts";
import { type ChangeFeed, type FeedChange, feedChange } from "../../watch/feed.ts";
import { type WatchEvent, watchStep } from "../../watch/step.ts";
import { type Form, objectBody } from "../response/api-response.ts";
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
  /**
   * Limits concurrent store reads of watches, fairly by plane: a read occupies memory until it is written.
   */
  readonly semaphore: FairSemaphore;
  readonly clock: Clock;
  readonly bookmarkMs: number;
}

/**
 * Serves one watch until the signal aborts or the watch times out.
 *
 * States: *catching up* reads the change log from the watch's version, one part at a time, when its reader
 * has room and the semaphore admits it. Once it reaches the feed's version it is *live* and receives changes
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
  const { store, clock } = context;
  const { kind, matches } = selection;
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
  /** Sends the next part of the change log, and does not retain it. */
  const catchUp = async (): Promise<ChangesOutcome> => {
    const outcome = await store.changes(selection.plane, position);
    if (outcome.outcome !== "changes") return outcome;
    for (const change of outcome.changes) send(feedChange(change));
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
    const outcome = await inTurn(context, selection.plane, catchUp, signal);
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
    done.abort();
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
  done.abort();
  return { end, version };
}

/** Sends all existing objects as added. @returns the version of that state */
async function sendExisting(
  context: WatchContext,
  selection: Selection,
  encode: (event: WatchEvent) => string | Buffer,
  sink: EventSink,
  signal: AbortSignal,
): Promise<string> {
  const options = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };
  const parts = list(context.store, selection, options);
  let resourceVersion = "";
  const sendPart = async (): Promise<boolean> => {
    const { done, value: part } = await parts.next();
    if (done === true) return false;
    resourceVersion = part.resourceVersion;
    for (const { json, object } of part.objects) {
      const change = feedChange({ resourceVersion, type: "ADDED", key: "", json, previous: "" });
      sink.write(encode({ type: "ADDED", change, object }));
    }
    return true;
  };
  do await sink.ready(signal);
  while (await inTurn(context, selection.plane, sendPart, signal));
  if (resourceVersion === "") throw new PlaneGoneError();
  return resourceVersion;
}

async function inTurn<T>(
  { semaphore }: WatchContext,
  plane: Plane,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const owner = planeKey(plane);
  await semaphore.acquire(owner, signal);
  try {
    return await work();
  } finally {
    semaphore.release(owner);
  }
}

/** Encodes events in the client's form; only the first one contains a table's columns. */
function eventEncoder(
  kind: KindDefinition,
  form: Form,
  clock: Clock,
): (event: WatchEvent) => string | Buffer {
  let columns: JsonObject[] | null = columnDefinitions(kind);
  return ({ type, change, object }) => {
    if (form.representation === "object") {
      if (type === change.type && object === change.object) return change.line();
      return eventLine(type, object());
    }
    if (form.representation === "metadata") return eventLine(type, objectBody(object(), kind, form, 0));
    const { resourceVersion = "" } = object().metadata;
    const rows = [tableRow(kind, object(), form, clock.nowMs())];
    const table = { ...tableHead(columns, { resourceVersion }, form.metaVersion), rows };
    columns = null;
    return eventLine(type, table);
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
