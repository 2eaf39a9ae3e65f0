import type { Clock } from "../../core/clock.ts";
import { pause } from "../../core/signals.ts";
import { apiVersionOf, type KindDefinition } from "../kinds/kind.ts";
import type { JsonObject, KubeObject } from "../object.ts";
import { list, type Selection, selectionPrefix } from "../resources/list.ts";
import { badRequest, expired, invalid, PlaneGoneError, type Status } from "../status.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { columnDefinitions, tableHead, tableRow } from "../table.ts";
import { type ChangeFeed, type FeedChange, feedChange } from "../watch/feed.ts";
import { type WatchEvent, watchStep } from "../watch/step.ts";
import { type Form, objectBody } from "./answer.ts";
import { isTrue } from "./request.ts";

/** Where the events of a watch go: a response, one line an event. */
export interface EventSink {
  /** @returns false when the reader is behind: nothing more until {@link drained} */
  write(line: string | Buffer): boolean;
  drained(signal: AbortSignal): Promise<void>;
}

export interface WatchOptions {
  /** "" or "0": everything there is first, then the changes. */
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  /** A bookmark says when everything there was has been sent (`sendInitialEvents`). */
  readonly initialEvents: boolean;
  readonly timeoutMs: number;
}

/**
 * Reads the parameters of a watch.
 *
 * @param random in [0, 1): a watch without a limit ends after 30 to 60 minutes, not all at the same time
 * @throws StatusError 400, 422
 */
export function readWatchOptions(query: URLSearchParams, kind: KindDefinition, random: number): WatchOptions {
  const resourceVersion = query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(resourceVersion)) {
    throw badRequest(`Invalid value: "${resourceVersion}": resourceVersion must be a number`);
  }
  const seconds = Number(query.get("timeoutSeconds") ?? "0");
  if (!Number.isFinite(seconds) || seconds < 0) throw badRequest("timeoutSeconds must be a number");
  const initialEvents = isTrue(query, "sendInitialEvents");
  if (initialEvents && query.get("resourceVersionMatch") !== "NotOlderThan") {
    const message = "Forbidden: resourceVersionMatch is required to be NotOlderThan with sendInitialEvents";
    throw invalid(kind, "", [{ reason: "FieldValueForbidden", field: "resourceVersionMatch", message }]);
  }
  return {
    resourceVersion: initialEvents ? "" : resourceVersion,
    bookmarks: isTrue(query, "allowWatchBookmarks"),
    initialEvents,
    timeoutMs: (seconds > 0 ? seconds : 1800 * (1 + random)) * 1000,
  };
}

export interface WatchContext {
  readonly store: ObjectStore;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly bookmarkMs: number;
}

const changesAtOnce = 500;

/**
 * Serves one watch until the signal aborts or its time is over.
 *
 * States: *catching up* reads the change log from the watch's version on; once it has reached what the feed has sent last,
 * it is *live* and gets the feed's changes; a reader that falls behind makes it leave the feed, wait, and catch up again.
 * So nothing is buffered for slow readers, and nothing is left out or sent twice, since the version decides alone.
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
  const filter = {
    prefix: selectionPrefix(selection),
    ...(selection.matches === undefined ? {} : { matches: selection.matches }),
  };
  const encode = eventEncoder(selection.kind, form, clock);
  const deadlineMs = clock.monotonicMs() + options.timeoutMs;
  let nextBookmarkMs = clock.monotonicMs() + context.bookmarkMs;
  let position = options.resourceVersion;

  const send = (change: FeedChange): boolean => {
    if (Number(change.resourceVersion) <= Number(position)) return true;
    position = change.resourceVersion;
    const event = watchStep(change, filter);
    return event === undefined || sink.write(encode(event));
  };

  if (position === "" || position === "0") {
    position = await sendExisting(context, selection, encode, sink, signal);
    if (options.initialEvents) sink.write(bookmark(selection.kind, form, position, true));
  }
  while (!signal.aborted && clock.monotonicMs() < deadlineMs) {
    const outcome = await store.changes(selection.plane, position, changesAtOnce);
    if (outcome.outcome === "gone") return;
    if (outcome.outcome !== "changes") {
      sink.write(errorEvent(expired(`too old resource version: ${position} (${outcome.newest})`).status));
      return;
    }
    for (const change of outcome.changes.map(feedChange)) {
      if (!send(change)) await sink.drained(signal);
    }
    if (outcome.changes.length === changesAtOnce) continue;
    const live = await listenLive(context, selection, position, send, deadlineMs, nextBookmarkMs, signal);
    position = Number(live.version) > Number(position) ? live.version : position;
    if (live.end === "gone") return;
    if (live.end === "behind") await sink.drained(signal);
    if (clock.monotonicMs() >= nextBookmarkMs || clock.monotonicMs() >= deadlineMs) {
      nextBookmarkMs = clock.monotonicMs() + context.bookmarkMs;
      if (options.bookmarks && !signal.aborted) sink.write(bookmark(selection.kind, form, position, false));
    }
  }
}

interface LiveEnd {
  readonly end: "behind" | "lost" | "gone" | "time";
  /** Everything up to here has been seen by the watch. */
  readonly version: string;
}

/** Takes changes from the feed until the reader is behind, the feed has lost them, or it is time for something else. */
async function listenLive(
  { feed, clock }: WatchContext,
  selection: Selection,
  position: string,
  send: (change: FeedChange) => boolean,
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
        const keepsUp = send(change);
        version = change.resourceVersion;
        if (!keepsUp) return finish("behind");
      }
      version = newest;
    },
    onLost: (why) => finish(why === "gone" ? "gone" : "lost"),
  });
  // The feed has gone further meanwhile: the log has what is missing.
  if (stop === undefined) return { end: "lost", version };
  const waitMs = Math.max(0, Math.min(deadlineMs, bookmarkMs) - clock.monotonicMs());
  await pause(clock, waitMs, [signal, done.signal]);
  stop();
  done.abort();
  return { end, version };
}

/** Sends everything there is as added. @returns the version that this shows */
async function sendExisting(
  { store }: WatchContext,
  selection: Selection,
  encode: (event: WatchEvent) => string | Buffer,
  sink: EventSink,
  signal: AbortSignal,
): Promise<string> {
  const options = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };
  let resourceVersion = "";
  for await (const part of list(store, selection, options)) {
    resourceVersion = part.resourceVersion;
    for (const { json, object } of part.objects) {
      const change = feedChange({ resourceVersion, type: "ADDED", key: "", json, previous: "" });
      if (!sink.write(encode({ type: "ADDED", change, object }))) await sink.drained(signal);
    }
  }
  if (resourceVersion === "") throw new PlaneGoneError();
  return resourceVersion;
}

/** Writes events in the client's form; the columns of a table come with the first only. */
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
    const rows = [tableRow(kind, object(), form.include, clock.nowMs())];
    const table = { ...tableHead(columns, { resourceVersion }), rows };
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
  const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
  if (form.representation === "metadata") return eventLine("BOOKMARK", partial);
  const row = { cells: [], object: partial };
  return eventLine("BOOKMARK", { ...tableHead(null, { resourceVersion }), rows: [row] });
}

function errorEvent(status: Status): string {
  return eventLine("ERROR", status as unknown as KubeObject);
}
