import type { IncomingMessage } from "node:http";
import { collectBody } from "../../base/net/request-body.ts";
import { badRequest, requestTimeout, tooLarge } from "../api/status.ts";
import type { ServerLimits } from "./limits.ts";

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
