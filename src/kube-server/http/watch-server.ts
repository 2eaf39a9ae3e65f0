import type { ServerResponse } from "node:http";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/log/log.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { planeKey } from "../api/plane.ts";
import { notAcceptable } from "../api/status.ts";
import type { LogRelay, LogRequest } from "../logs/log-relay.ts";
import type { UnsentEvents } from "../watch/unsent-events.ts";
import { readForm } from "./api-response.ts";
import type { Entry } from "./gate.ts";
import type { ServerLimits } from "./limits.ts";
import { createOpenWatches } from "./open-watches.ts";
import type { ResourceRequest } from "./request.ts";
import { selectionOf } from "./resource-handler.ts";
import { responseSink } from "./response-sink.ts";
import { serveWatch, type WatchContext, watchEnded } from "./watch-handler.ts";
import { readWatchOptions } from "./watch-options.ts";

export interface WatchServerOptions extends WatchContext {
  readonly unsent: UnsentEvents;
  readonly logs: LogRelay;
  readonly directory: AccessDirectory;
  readonly log: Logger;
  readonly random: () => number;
  readonly limits: ServerLimits;
  /** Interval of checks whether an open watch is still allowed. */
  readonly watchCheckMs: number;
}

/** Serves watches: everything except producing the events. */
export interface WatchServer {
  /**
   * Serves a watch until it ends. Nothing has been written if it throws.
   *
   * @param entry left just before the response begins; then `begin` is called
   * @throws StatusError 400, 406, 422, 429
   */
  serve(
    request: ResourceRequest,
    response: ServerResponse,
    entry: Pick<Entry, "leave" | "onOver">,
    begin: () => void,
  ): Promise<void>;
}

/** @param signal ends all watches */
export function createWatchServer(options: WatchServerOptions, signal: AbortSignal): WatchServer {
  const { directory, clock, limits, log, watchCheckMs: checkMs } = options;
  const ofWatches = { all: limits.watches, perClient: limits.watchesPerToken };
  const watches = createOpenWatches(
    { directory, clock, checkMs, what: "watches", limits: ofWatches },
    signal,
  );

  return {
    async serve(request, response, entry, begin) {
      const { caller, path, plane, role, query, kind } = request;
      const form = readForm(request);
      if (form.encoding === "yaml") throw notAcceptable(["application/json;stream=watch"]);
      const watchOptions = readWatchOptions(query, options.random());
      // Watching one object is watching the collection, filtered by name.
      if (path.name !== undefined) query.set("fieldSelector", `metadata.name=${path.name}`);
      const selection = selectionOf(request);
      const closed = new AbortController();
      const end = (): void => closed.abort(watchEnded);
      const remove = watches.add(caller, { plane, role }, end);
      entry.onOver(end);
      if (signal.aborted) end();
      entry.leave();
      begin();
      response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache" });
      response.flushHeaders();
      const unsent = options.unsent.open(() => response.destroy());
      const sink = responseSink(response, unsent);
      const provider = role === "provider" && kind.logs !== undefined ? query.get("logRequests") : null;
      // One that is left out is announced again.
      const onRequest = (object: LogRequest): void => {
        if (sink.isReady()) sink.write(`${JSON.stringify({ type: "LOG", object })}\n`);
      };
      const stop = provider === null ? undefined : options.logs.listen(planeKey(plane), provider, onRequest);
      try {
        await serveWatch(options, selection, watchOptions, form, sink, closed.signal);
        await sink.finish();
        response.end();
      } catch (error) {
        if (!closed.signal.aborted) log.warn({ error: describeError(error) }, "a watch broke off");
        response.destroy();
      } finally {
        stop?.();
        unsent.close();
        remove();
      }
    },
  };
}
