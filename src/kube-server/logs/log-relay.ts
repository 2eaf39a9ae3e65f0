import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/core/clock.ts";
import { Wakeup } from "../../base/core/loop.ts";
import { pause, untilAborted } from "../../base/core/signals.ts";
import { isObject } from "../../base/documents/yaml/document-path.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import type { LogOptions } from "./log-options.ts";

/** A log that somebody reads, as its provider is asked for it. */
export interface LogRequest extends Omit<LogOptions, "limitBytes"> {
  /** Known to the provider alone: with it, the provider sends the log. */
  readonly id: string;
  /** See `planeKey`. */
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  /** Of the object. */
  readonly uid: string;
  /** Identity of the provider that runs the object. */
  readonly provider: string;
}

/** A piece of a log, from its provider. */
export interface LogPart {
  /** Base64. */
  readonly data?: string;
  /** Nothing follows. */
  readonly isLast?: boolean;
  /** Why there is no log, for the reader. */
  readonly refused?: string;
}

/** What happened to a part: `full`, the reader is behind; `gone`, nobody reads the log any longer. */
export type Outcome = "taken" | "full" | "gone";

/** Passes logs from providers to readers: both may be connected to any process of the server. */
export interface LogRelay {
  /** Asks a provider for a log. */
  open(request: Omit<LogRequest, "id">): Promise<LogReading>;
  /**
   * Calls back with what a provider is asked for in a plane, several times for each request.
   *
   * @returns a function that ends it
   */
  listen(plane: string, provider: string, onRequest: (request: LogRequest) => void): () => void;
  /** Takes a part from the provider of an object. */
  push(id: string, object: Pick<LogRequest, "plane" | "namespace" | "name">, part: LogPart): Promise<Outcome>;
  /** Receives announcements until the signal. */
  run(signal: AbortSignal): Promise<void>;
}

export interface LogReading {
  /** @returns the next part; undefined when the provider sends nothing for too long */
  next(signal: AbortSignal): Promise<LogPart | undefined>;
  close(): Promise<void>;
}

/** Bytes of a part's text. */
export const maxPartBytes = 256 * 1024;
const maxWaitingParts = 4;
/** Within which a provider must begin to send. */
const firstPartMs = 10_000;
/** Providers send an empty part every 10 s. */
const silentMs = 45_000;
const keepMs = 60_000;
const refreshMs = 15_000;
const announceMs = 1_000;
/** Announcements may be lost with a connection. */
const lookMs = 500;
const channel = `${keyPrefix}:platform:logs`;
const requestKey = (id: string): string => `${keyPrefix}:platform:log:${id}`;
const partsKey = (id: string): string => `${requestKey(id)}:parts`;

export function createLogRelay(redis: RedisConnection, subscriber: RedisConnection, clock: Clock): LogRelay {
  const readings = new Map<string, Wakeup>();
  const listeners = new Set<{ readonly key: string; onRequest(request: LogRequest): void }>();
  const listenerKey = (plane: string, provider: string): string => `${plane} ${provider}`;

  const onMessage = (from: string, message: string): void => {
    if (from !== channel) return;
    if (!message.startsWith("{")) {
      readings.get(message)?.wake();
      return;
    }
    const request = JSON.parse(message) as LogRequest;
    const key = listenerKey(request.plane, request.provider);
    for (const listener of listeners) if (listener.key === key) listener.onRequest(request);
  };

  return {
    async open(asked) {
      const request: LogRequest = { ...asked, id: randomBytes(16).toString("hex") };
      const { id } = request;
      const text = JSON.stringify(request);
      const wakeup = new Wakeup();
      await redis.set(requestKey(id), text, "PX", keepMs);
      readings.set(id, wakeup);
      const openedMs = clock.monotonicMs();
      let [lastMs, refreshedMs, announcedMs] = [openedMs, openedMs, Number.NEGATIVE_INFINITY];
      let hasBegun = false;
      return {
        async next(signal) {
          while (!signal.aborted) {
            const woken = wakeup.next();
            const nowMs = clock.monotonicMs();
            const part = await redis.lpop(partsKey(id));
            if (part !== null) {
              [hasBegun, lastMs] = [true, nowMs];
              return JSON.parse(part) as LogPart;
            }
            if (nowMs - lastMs > (hasBegun ? silentMs : firstPartMs)) return undefined;
            if (!hasBegun && nowMs - announcedMs >= announceMs) {
              announcedMs = nowMs;
              await redis.publish(channel, text);
            }
            if (nowMs - refreshedMs >= refreshMs) {
              refreshedMs = nowMs;
              await redis.pexpire(requestKey(id), keepMs);
            }
            await pause(clock, lookMs, [signal, woken]);
          }
          return undefined;
        },
        async close() {
          readings.delete(id);
          await redis.del(requestKey(id), partsKey(id));
        },
      };
    },
    listen(plane, provider, onRequest) {
      const listener = { key: listenerKey(plane, provider), onRequest };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async push(id, { plane, namespace, name }, part) {
      const text = /^[0-9a-f]{32}$/.test(id) ? await redis.get(requestKey(id)) : null;
      const request = text === null ? undefined : (JSON.parse(text) as LogRequest);
      const isMeant = request?.plane === plane && request.namespace === namespace && request.name === name;
      if (!isMeant) return "gone";
      if ((await redis.llen(partsKey(id))) >= maxWaitingParts) return "full";
      const key = partsKey(id);
      await redis.multi().rpush(key, JSON.stringify(part)).pexpire(key, keepMs).publish(channel, id).exec();
      return "taken";
    },
    async run(signal) {
      const subscribe = (): void => {
        // Readers look by themselves; requests are announced again.
        subscriber.subscribe(channel).catch(() => undefined);
      };
      subscriber.on("message", onMessage);
      subscriber.on("ready", subscribe);
      if (subscriber.status === "ready") subscribe();
      await untilAborted(signal);
      subscriber.off("message", onMessage);
      subscriber.off("ready", subscribe);
    },
  };
}

/** Reads a part that a provider has sent; undefined if it is none. */
export function readLogPart(body: unknown): LogPart | undefined {
  if (!isObject(body)) return undefined;
  const { data, isLast, refused } = body;
  const isText = data === undefined || (typeof data === "string" && data.length <= maxPartBytes);
  const isWhy = refused === undefined || (typeof refused === "string" && refused.length <= 1_024);
  if (!isText || !isWhy) return undefined;
  return {
    ...(typeof data === "string" && data !== "" ? { data } : {}),
    ...(isLast === true ? { isLast } : {}),
    ...(typeof refused === "string" ? { refused } : {}),
  };
}
