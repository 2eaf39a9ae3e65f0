import { Readable } from "node:stream";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from "fastify";
import { withLimit } from "../../base/core/signals.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { RejectedFolder } from "../../exporter/remote-write/rejected/rejected-access.ts";
import { commandsOnly } from "./command-request.ts";
import { plain } from "./plain-reply.ts";

/** Path of the rejected store. */
export const rejectedPath = "/api/v1/rejected";

/** A list that its client has not read by then is aborted, and so is a replay without an outcome. */
const limitMs = 60_000;

/** Lines between two pauses of a list, which bound the delay of probes and exports. */
const linesAtOnce = 20;

/**
 * The rejected store, for `telemetryd rejected` on the same machine. Must be registered with the prefix
 * {@link rejectedPath}:
 *
 * - `GET /?since=MS`: the entries, oldest first, as lines of JSON
 * - `GET /ID`: the entry's file as it is
 * - `POST /ID/replay`: the entry and the outcome, as JSON
 * - `DELETE /ID`: 204
 *
 * Samples and labels belong to tenants: unlike the status, they are not for everybody who can reach the
 * address.
 */
export function rejectedRoutes(folder: RejectedFolder): FastifyPluginAsync {
  return async (scope: FastifyInstance) => {
    commandsOnly(scope);

    scope.get("/", async (request, reply) => {
      const gone = goneSignal(reply);
      const { since } = request.query as { readonly since?: unknown };
      const body = Readable.from(lines(folder, Number(since ?? 0) || 0, gone), { objectMode: false });
      const limit = setTimeout(() => body.destroy(new Error("the list takes too long")), limitMs);
      body.once("close", () => clearTimeout(limit));
      return reply.type("application/x-ndjson").send(body);
    });
    scope.get<WithId>("/:id", async ({ params }, reply) => {
      const file = await folder.file(params.id);
      return file === undefined ? unknown(reply) : reply.type("application/octet-stream").send(file);
    });
    scope.delete<WithId>("/:id", async ({ params }, reply) => {
      const isDeleted = await folder.remove(params.id, goneSignal(reply));
      return isDeleted ? reply.code(204).send() : unknown(reply);
    });
    scope.post<WithId>("/:id/replay", async ({ params }, reply) => {
      const replay = await withLimit(goneSignal(reply), limitMs, (limited) =>
        folder.replay(params.id, limited),
      );
      return replay === undefined ? unknown(reply) : reply.send(replay);
    });
  };
}

interface WithId {
  readonly Params: { readonly id: string };
}

async function* lines(folder: RejectedFolder, sinceMs: number, signal: AbortSignal): AsyncGenerator<string> {
  let count = 0;
  for await (const entry of folder.entries(sinceMs, signal)) {
    if (signal.aborted) return;
    if (++count % linesAtOnce === 0) await yieldToEventLoop();
    yield `${JSON.stringify(entry)}\n`;
  }
}

/** Aborts when the client has gone, or has received everything. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

function unknown(reply: FastifyReply): FastifyReply {
  return plain(reply, 404, "there is no such entry\n");
}
