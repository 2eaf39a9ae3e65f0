import { Readable } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
import { encodeTapped, type Taps } from "../../exporter/remote-write/tap.ts";
import { commandsOnly } from "./command-request.ts";
import { plain } from "./plain-reply.ts";

/** Path of the sinks' traffic. */
export const tapPath = "/api/v1/tap";

/** Requests that a reader has not received yet: further ones are counted and left out. */
const maxWaitingBytes = 8 * 1_024 * 1_024;

export interface TapInput {
  readonly taps: Taps;
  /** Whether this daemon runs a sink of this name. */
  hasSink(name: string): boolean;
}

/**
 * What a sink sends, for `telemetryd tap` on the same machine, until the client ends the request. Must be
 * registered with the prefix {@link tapPath}: `GET /?sink=NAME` responds with what `readTapped` reads. The
 * requests are handed on as they are, so that reading them costs the client, not the exports.
 */
export function tapRoutes({ taps, hasSink }: TapInput): FastifyPluginAsync {
  return async (scope) => {
    commandsOnly(scope);
    scope.get("/", async (request, reply) => {
      const { sink } = request.query as { readonly sink?: unknown };
      if (typeof sink !== "string" || !hasSink(sink))
        return plain(reply, 404, "this daemon runs no such sink\n");
      const body = new Readable({ read: () => undefined, highWaterMark: maxWaitingBytes });
      let missed = 0;
      const end = taps.listen(sink, (tapped) => {
        if (body.readableLength + tapped.payload.length > maxWaitingBytes) missed++;
        else {
          body.push(encodeTapped({ ...tapped, missed }));
          missed = 0;
        }
      });
      reply.raw.once("close", () => {
        end();
        body.destroy();
      });
      // The client learns at once that it is connected.
      reply.raw.once("pipe", () => reply.raw.flushHeaders());
      return reply.type("application/octet-stream").send(body);
    });
  };
}
