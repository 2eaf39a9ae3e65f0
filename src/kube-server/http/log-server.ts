import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { createSharedLimit } from "../../base/core/shared-limit.ts";
import { withEither, withLimit } from "../../base/core/signals.ts";
import type { Logger } from "../../base/log/log.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { type ObjectLogs, singularOf } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import { planeKey } from "../api/plane.ts";
import {
  badRequest,
  methodNotAllowed,
  noProvider,
  pathNotFound,
  StatusError,
  tooManyRequests,
} from "../api/status.ts";
import { decodeBody } from "../encoding/body.ts";
import { readLogOptions } from "../logs/log-options.ts";
import { type LogPart, type LogReading, type LogRelay, readLogPart } from "../logs/log-relay.ts";
import type { Resources } from "../resources/resources.ts";
import type { ApiResponse } from "./api-response.ts";
import type { Entry } from "./gate.ts";
import type { ServerLimits } from "./limits.ts";
import { mediaType } from "./negotiate.ts";
import { createOpenWatches } from "./open-watches.ts";
import { type ResourceRequest, targetOf } from "./request.ts";

export interface LogServerOptions {
  readonly resources: Resources;
  readonly logs: LogRelay;
  readonly directory: AccessDirectory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: ServerLimits;
  /** Interval of checks whether a reader is still allowed. */
  readonly watchCheckMs: number;
}

/** Serves `/log` of objects: to readers, from the providers that run the objects. */
export interface LogServer {
  /**
   * Sends a log until its end. Nothing has been written if it throws.
   *
   * @param begin called just before the response begins
   * @throws StatusError 400, 404, 422, 429, 503
   */
  serve(
    request: ResourceRequest,
    response: ServerResponse,
    entry: Pick<Entry, "leave" | "onOver">,
    begin: () => void,
  ): Promise<void>;
  /** Takes a part of a log from its provider. @throws StatusError 400, 404, 409 */
  take(request: ResourceRequest): Promise<ApiResponse>;
}

const retryAfterSeconds = 5;

/** @param signal ends all responses */
export function createLogServer(options: LogServerOptions, signal: AbortSignal): LogServer {
  const { resources, logs, directory, clock, limits, log, watchCheckMs: checkMs } = options;
  const ofReaders = { all: limits.logs, perClient: limits.logsPerToken };
  const open = createOpenWatches({ directory, clock, checkMs, what: "open logs", limits: ofReaders }, signal);
  const ofProjects = createSharedLimit({ all: limits.logs, perClient: limits.logsPerProject });

  return {
    async serve(request, response, entry, begin) {
      const { kind, plane, role, caller, query } = request;
      if (kind.logs === undefined) throw pathNotFound();
      const { limitBytes = limits.logBytes, ...asked } = readLogOptions(query, clock.nowMs());
      const object = await resources.get(targetOf(request));
      const { uid = "", namespace = "", name = "" } = object.metadata;
      const container = containerOf(object, asked.container, kind.logs);
      const provider = kind.logs.provider(object);
      if (provider === undefined) throw badRequest(`${singularOf(kind)} ${name} is not running yet: no log`);
      const key = planeKey(plane);
      const closed = new AbortController();
      const remove = open.add(caller, { plane, role }, () => closed.abort());
      if (ofProjects.take(key) !== undefined) {
        remove();
        throw tooManyRequests(retryAfterSeconds, "Too many open logs for this project.");
      }
      entry.onOver(() => closed.abort());
      entry.leave();
      let reading: LogReading | undefined;
      try {
        await withEither([signal, closed.signal], async (either) => {
          reading = await logs.open({ ...asked, container, plane: key, namespace, name, uid, provider });
          const first = await reading.next(either);
          if (either.aborted) return;
          if (first === undefined) throw noProvider(retryAfterSeconds);
          if (first.refused !== undefined) throw badRequest(first.refused);
          begin();
          const most = Math.min(limitBytes, limits.logBytes);
          try {
            const isWhole = await sendParts(response, first, reading, most, limits.logMs, either);
            if (isWhole) response.end();
            else response.destroy();
          } catch (error) {
            if (!either.aborted) log.warn({ error: describeError(error) }, "a log broke off");
            response.destroy();
          }
        });
      } finally {
        ofProjects.release(key);
        remove();
        // It expires by itself.
        await reading?.close().catch(() => undefined);
      }
      if (closed.signal.aborted) response.destroy();
    },

    async take({ method, kind, plane, path, query, body, contentType }) {
      if (kind.logs === undefined || path.name === undefined) throw pathNotFound();
      if (method !== "POST") throw methodNotAllowed(["GET", "POST"]);
      const part = readLogPart(decodeBody(body, mediaType(contentType)).value);
      if (part === undefined) throw badRequest("the part of the log has another form than it must have");
      const place = { plane: planeKey(plane), namespace: path.namespace ?? "", name: path.name };
      const outcome = await logs.push(query.get("request") ?? "", place, part);
      if (outcome === "taken") return { code: 200, body: success, encoding: "json" };
      if (outcome === "gone") throw pathNotFound();
      throw new StatusError({ ...badRequest("the reader is behind").status, code: 409, reason: "Conflict" });
    },
  };
}

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };

/** @throws StatusError 400 */
function containerOf(object: KubeObject, asked: string, logs: ObjectLogs): string {
  const names = logs.containers(object);
  const { name = "" } = object.metadata;
  const choice = `choose one of: [${names.join(" ")}]`;
  if (asked !== "" && !names.includes(asked))
    throw badRequest(`container ${asked} is not valid for ${name}, ${choice}`);
  if (asked === "" && names.length > 1)
    throw badRequest(`a container name must be specified for ${name}, ${choice}`);
  return asked === "" ? (names[0] ?? "") : asked;
}

/** @returns whether the log was sent as far as it was asked for */
async function sendParts(
  response: ServerResponse,
  first: LogPart,
  reading: LogReading,
  maxBytes: number,
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  response.writeHead(200, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache, private",
    "x-content-type-options": "nosniff",
  });
  response.flushHeaders();
  let rest = maxBytes;
  const send = async (limited: AbortSignal): Promise<boolean> => {
    for (let part: LogPart | undefined = first; part !== undefined; part = await reading.next(limited)) {
      const bytes = Buffer.from(part.data ?? "", "base64").subarray(0, rest);
      rest -= bytes.length;
      if (bytes.length > 0) await written(response, bytes);
      if (part.isLast === true || rest === 0) return true;
    }
    return false;
  };
  let isOver = false;
  const isWhole = await withLimit(signal, limitMs, async (limited) => {
    const whole = await send(limited);
    isOver = limited.aborted && !signal.aborted;
    return whole;
  });
  return isWhole || isOver;
}

/** Waits until the connection has accepted the bytes, or is closed. */
async function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const onClose = (): void => resolve();
    response.once("close", onClose);
    response.write(bytes, () => {
      response.off("close", onClose);
      resolve();
    });
  });
}
