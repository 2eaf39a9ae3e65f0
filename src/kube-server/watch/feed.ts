import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { logErrors, runLoop } from "../../base/core/loop.ts";
import type { Logger } from "../../base/log/log.ts";
import type { RedisConnection } from "../../base/redis/connection.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import type { Change } from "../store/change.ts";
import { changesChannel, planeKeys } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseStored, servedJson } from "../store/stored-object.ts";

/** A change shared by many watches: common parts are computed once. */
export interface FeedChange extends Change {
  /** The object after the change, parsed on the first call. */
  object(): KubeObject;
  /** The object before the change; undefined if it was added. */
  previousObject(): KubeObject | undefined;
  /** The event as a line of JSON, for a watch of unmodified changes. */
  line(): Buffer;
  /** The event as it is written in another form, made on the first call for the form. */
  encoded(form: string, make: () => string): Buffer;
  /** The change of one of the kind's objects as the kind is served; see `KindDefinition.storedAs`. */
  servedAs(kind: KindDefinition): FeedChange;
}

export interface FeedListener {
  /** New changes in order, and the version that they lead to. */
  onChanges(changes: readonly FeedChange[], version: string): void;
  /**
   * The changes after the listener's position are lost, or the plane is gone. The listener has been removed.
   */
  onLost(why: "expired" | "gone"): void;
}

/**
 * The newest changes of all watched planes, read once per process regardless of the number of watches. Redis
 * publish/subscribe announces changes; because it loses messages when a connection breaks, every plane is
 * also polled occasionally.
 */
export interface ChangeFeed {
  /**
   * @param afterVersion the listener has everything up to this version
   * @returns a function that stops listening; undefined if the feed is already past that version and the
   * caller must read the log first
   */
  listen(plane: Plane, afterVersion: string, listener: FeedListener): (() => void) | undefined;
  /** Calls back for every change in any plane, with the plane's key `plane`; for the controllers. */
  onAnyChange(callback: (planeKeyName: string) => void): () => void;
  run(signal: AbortSignal): Promise<void>;
}

interface PlaneFeed {
  readonly plane: Plane;
  position: string;
  readonly listeners: Set<FeedListener>;
  isReading: boolean;
  isDirty: boolean;
}

export interface ChangeFeedOptions {
  readonly store: ObjectStore;
  /** A connection for subscriptions only. */
  readonly subscriber: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  /** Polling interval, independent of announcements. */
  readonly pollMs: number;
}

export function createChangeFeed({ store, subscriber, clock, log, pollMs }: ChangeFeedOptions): ChangeFeed {
  const feeds = new Map<string, PlaneFeed>();
  const anyChange = new Set<(planeKeyName: string) => void>();

  const lose = (feed: PlaneFeed, why: "expired" | "gone"): void => {
    feeds.delete(planeKeys(planeKey(feed.plane)).plane);
    for (const listener of feed.listeners) listener.onLost(why);
    feed.listeners.clear();
  };

  const read = async (feed: PlaneFeed): Promise<void> => {
    feed.isDirty = true;
    if (feed.isReading) return;
    feed.isReading = true;
    try {
      while (feed.isDirty && feed.listeners.size > 0) {
        feed.isDirty = false;
        const outcome = await store.changes(feed.plane, feed.position);
        if (outcome.outcome !== "changes") {
          lose(feed, outcome.outcome === "gone" ? "gone" : "expired");
          return;
        }
        const last = outcome.changes.at(-1);
        if (last === undefined) continue;
        if (last.resourceVersion !== outcome.newest) feed.isDirty = true;
        feed.position = last.resourceVersion;
        const changes = outcome.changes.map(feedChange);
        for (const listener of feed.listeners) listener.onChanges(changes, feed.position);
      }
    } catch (error) {
      // The next announcement or poll retries; the position has not moved.
      log.debug({ error: describeError(error) }, "the change log could not be read");
    } finally {
      feed.isReading = false;
    }
  };

  return {
    listen(plane, afterVersion, listener) {
      const key = planeKeys(planeKey(plane)).plane;
      let feed = feeds.get(key);
      if (feed === undefined) {
        feed = { plane, position: afterVersion, listeners: new Set(), isReading: false, isDirty: false };
        feeds.set(key, feed);
      }
      if (Number(afterVersion) < Number(feed.position)) return undefined;
      const own = feed;
      own.listeners.add(listener);
      void read(own);
      return () => {
        own.listeners.delete(listener);
        if (own.listeners.size === 0 && feeds.get(key) === own) feeds.delete(key);
      };
    },
    onAnyChange(callback) {
      anyChange.add(callback);
      return () => anyChange.delete(callback);
    },
    async run(signal) {
      const onMessage = (channel: string, key: string): void => {
        if (channel !== changesChannel) return;
        const feed = feeds.get(key);
        if (feed !== undefined) void read(feed);
        for (const callback of anyChange) callback(key);
      };
      const onReady = (): void => {
        subscriber.subscribe(changesChannel).catch((error: unknown) => {
          log.warn({ error: describeError(error) }, "changes are not announced; looking for them instead");
        });
      };
      subscriber.on("message", onMessage);
      subscriber.on("ready", onReady);
      if (subscriber.status === "ready") onReady();
      try {
        const tick = (): number => {
          for (const feed of feeds.values()) void read(feed);
          return pollMs;
        };
        const onError = logErrors("changes", log);
        await runLoop(tick, { clock, pauseAfterErrorMs: pollMs, onError }, signal);
      } finally {
        subscriber.off("message", onMessage);
        subscriber.off("ready", onReady);
      }
    },
  };
}

/** Adds the parts of a change that its watches share. */
export function feedChange(change: Change): FeedChange {
  let object: KubeObject | undefined;
  let previous: KubeObject | undefined;
  const lines = new Map<string, Buffer>();
  let others: Map<string, FeedChange> | undefined;
  return {
    ...change,
    servedAs(kind) {
      if (kind.storedAs === undefined) return this;
      others ??= new Map();
      const apiVersion = apiVersionOf(kind);
      const known = others.get(apiVersion);
      if (known !== undefined) return known;
      const { json, previous } = change;
      const served = feedChange({
        ...change,
        json: servedJson(json, kind),
        previous: servedJson(previous, kind),
      });
      others.set(apiVersion, served);
      return served;
    },
    object() {
      object ??= parseStored(change.json);
      return object;
    },
    previousObject() {
      if (change.previous === "") return undefined;
      previous ??= parseStored(change.previous);
      return previous;
    },
    line() {
      return this.encoded("", () => `{"type":"${change.type}","object":${change.json}}\n`);
    },
    encoded(form, make) {
      const known = lines.get(form);
      if (known !== undefined) return known;
      const line = Buffer.from(make());
      lines.set(form, line);
      return line;
    },
  };
}
