import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { defined } from "../../../base/core/defined.ts";
import { withEither } from "../../../base/core/signals.ts";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { PlaneClient } from "./plane-client.ts";
import {
  listFromStart,
  type PlaneObject,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorState,
  reflectorStep,
} from "./reflector-step.ts";

export interface ReflectorOptions {
  readonly client: PlaneClient;
  /** Path of the collection below the control plane's base. */
  readonly path: string;
  /** Query parameters that restrict the collection, for example `fieldSelector`. */
  readonly select?: Readonly<Record<string, string>>;
  /** Representations asked for, for example of metadata only; by default whole objects. */
  readonly accept?: { readonly list: string; readonly watch: string };
  /** Type of the objects: list items may omit it. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  onEffect(effect: ReflectorEffect): void;
  /** Called with what the server asks for in an event of type LOG. */
  onLogRequest?(request: PlaneObject): void;
}

export interface ReflectorSnapshot {
  readonly path: string;
  readonly phase: ReflectorState["phase"];
  readonly failures: number;
  readonly lastError?: string | undefined;
}

export interface Reflector {
  run(signal: AbortSignal): Promise<void>;
  snapshot(): ReflectorSnapshot;
}

const itemsAtOnce = 500;
const retry = { baseMs: 500, maxMs: 30_000, jitter: 0.5 };
/** Requested watch timeout (up to twice this long), so that a stuck watch ends eventually. */
const watchSeconds = 240;

/** Follows one collection of a control plane while it runs: lists it, then watches it. */
export function createReflector(options: ReflectorOptions): Reflector {
  const { client, path, clock, log } = options;
  let state: ReflectorState = listFromStart;
  let lastError: string | undefined;

  const take = (input: ReflectorInput): void => {
    const step = reflectorStep(state, input);
    state = step.state;
    if (input.kind === "page" || input.kind === "event") lastError = undefined;
    if (step.effect !== undefined) options.onEffect(step.effect);
  };
  const fail = (message: string): void => {
    if (lastError === undefined) log.warn({ path, error: message }, "a control plane cannot be followed");
    lastError = message;
    take({ kind: "failed" });
  };

  const listPart = async (continueToken: string, signal: AbortSignal): Promise<void> => {
    const query = defined({
      ...options.select,
      limit: String(itemsAtOnce),
      continue: continueToken || undefined,
    });
    const response = await client.send("GET", path, defined({ query, accept: options.accept?.list }), signal);
    if (response.outcome === "ok") {
      const page = readPage(response.json, options);
      if (page === undefined) fail("the response is no list");
      else take(page);
    } else if (response.outcome === "rejected" && response.code === 410) take({ kind: "expired" });
    else fail(response.message);
  };

  const watch = async (resourceVersion: string, signal: AbortSignal): Promise<void> => {
    const timeoutSeconds = String(Math.round(watchSeconds * (1 + options.random())));
    const query = {
      ...options.select,
      watch: "1",
      allowWatchBookmarks: "true",
      timeoutSeconds,
      resourceVersion,
    };
    // Set by the first ERROR event: the version of any later event is unknown.
    let end: ReflectorInput | undefined;
    const stop = new AbortController();
    const onLine = (line: string): void => {
      if (end !== undefined) return;
      const request = options.onLogRequest && readLogRequest(line);
      if (request !== undefined) {
        options.onLogRequest?.(request);
        return;
      }
      const input = readEvent(line, options);
      if (input.kind === "event") take(input);
      else {
        end = input;
        stop.abort();
      }
    };
    try {
      const result = await withEither([signal, stop.signal], (either) =>
        client.watch(path, defined({ query, accept: options.accept?.watch }), onLine, either),
      );
      if (result.outcome === "closed") take({ kind: "closed" });
      else if (result.outcome === "rejected" && result.code === 410) take({ kind: "expired" });
      else fail(result.message);
    } catch (error) {
      signal.throwIfAborted();
      if (end === undefined) throw error;
    }
    if (end !== undefined) take(end);
  };

  return {
    async run(signal) {
      try {
        while (!signal.aborted) {
          const startedMs = clock.monotonicMs();
          if (state.phase === "listing") await listPart(state.continueToken, signal);
          else await watch(state.resourceVersion, signal);
          // Also back off after watches that end at once, so that they do not become a request storm.
          const isBrief = state.phase === "watching" && clock.monotonicMs() - startedMs < 1_000;
          const failures = Math.max(state.failures, isBrief ? 1 : 0);
          if (failures > 0) await clock.sleep(nextDelay(failures, retry, options.random()), signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    snapshot: () => ({
      path,
      phase: state.phase,
      failures: state.failures,
      lastError,
    }),
  };
}

type Naming = Pick<ReflectorOptions, "apiVersion" | "kind">;

function readPage(json: Record<string, unknown>, naming: Naming): ReflectorInput | undefined {
  const { items, metadata } = json;
  if (!isObject(metadata) || typeof metadata["resourceVersion"] !== "string") return undefined;
  // Go writes an empty list as null.
  if (items !== null && !Array.isArray(items)) return undefined;
  const continueToken = typeof metadata["continue"] === "string" ? metadata["continue"] : "";
  return {
    kind: "page",
    items: (items ?? []).filter(isObject).map((item) => named(item, naming)),
    continueToken,
    resourceVersion: metadata["resourceVersion"],
  };
}

/** Lists of built-in kinds omit the type of their items. */
function named(object: PlaneObject, { apiVersion, kind }: Naming): PlaneObject {
  return { apiVersion, kind, ...object };
}

/** @returns undefined for any other event */
function readLogRequest(line: string): PlaneObject | undefined {
  if (!line.startsWith('{"type":"LOG",')) return undefined;
  const { object } = JSON.parse(line) as { object?: unknown };
  return isObject(object) ? object : undefined;
}

function readEvent(line: string, naming: Naming): ReflectorInput {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return { kind: "failed" };
  }
  if (!isObject(event) || !isObject(event["object"])) return { kind: "failed" };
  const { type, object } = event;
  if (type === "ERROR") return { kind: object["code"] === 410 ? "expired" : "failed" };
  const metadata = object["metadata"];
  const resourceVersion = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  if (typeof resourceVersion !== "string" || typeof type !== "string") return { kind: "failed" };
  return { kind: "event", type, object: named(object, naming), resourceVersion };
}
