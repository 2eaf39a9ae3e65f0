import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { collectBody } from "../../base/net/request-body.ts";
import { badRequest, requestTimeout, tooLarge } from "../api/status.ts";
import type { ServerLimits } from "./limits.ts";

/**
 * Lets fastify read a body of any type, also of one that is no media type: it would respond before the
 * resource can say which types it supports. `raw.headers` has the client's.
 */
export function acceptAnyContentType(request: FastifyRequest): void {
  const type = request.raw.headers["content-type"];
  if (type === undefined || /^\w+\/[\w.+-]+$/.test(type)) return;
  request.headers = { "content-type": "application/octet-stream" };
}

export type BodyLimits = Pick<ServerLimits, "maxBodyBytes" | "bodySilenceMs" | "bodyMs">;

/**
 * Reads a request's body into one buffer.
 *
 * @param hold called with a byte count before memory is allocated; its exceptions end the reading
 * @param begin called when the body is wanted
 * @throws StatusError 413, 408; 400 if the client aborts
 */
export async function readBody(
  request: IncomingMessage,
  { maxBodyBytes, bodySilenceMs, bodyMs }: BodyLimits,
  hold: (bytes: number) => void,
  begin: () => void,
): Promise<Buffer> {
  const bounds = { maxBytes: maxBodyBytes, silenceMs: bodySilenceMs, wholeMs: bodyMs };
  const outcome = await collectBody(request, bounds, hold, begin);
  switch (outcome.kind) {
    case "read":
      return outcome.body;
    case "too-large":
      throw tooLarge(`Request entity too large: limit is ${maxBodyBytes}`);
    case "late":
      throw requestTimeout("the body did not arrive in time");
    case "aborted":
      throw badRequest("the request was broken off");
    case "unreadable":
      throw badRequest("the body cannot be read");
  }
}

/** What {@link readBody} has read; empty if there was none. */
export function bodyOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
