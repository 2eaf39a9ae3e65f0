import { type IncomingMessage, METHODS } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { describeError } from "../../base/core/errors.ts";
import { namesOneHost } from "../../base/net/host.ts";
import { type ApiResponse, problemResponse, send } from "./api-response.ts";
import { createHandlers, type HandlerOptions } from "./handlers.ts";
import { allowedMethods, createHttpServer } from "./http-server.ts";
import { type OperationName, operations } from "./operations.ts";
import { maxTargetLength } from "./refused-connection.ts";

/** No operation takes a body; one that is sent anyway is discarded up to this size. */
const maxBodyBytes = 16 * 1_024;

/** Ample for polling clients, and small enough for the memory of a small machine. */
const connections = 4_000;
const connectionsPerAddress = 400;

const paths = new Map<string, OperationName>(
  Object.entries(operations).map(([name, { path }]) => [path, name as OperationName]),
);

/**
 * The website API without a socket: tests inject requests, `server.ts` listens. Requests are rejected before
 * any body is read. Every response is written by `send`, which adds the common headers.
 */
export function buildApiApp(options: HandlerOptions): FastifyInstance {
  const { log, metrics } = options;
  const handlers = createHandlers(options);
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    serverFactory: (handler) =>
      createHttpServer({
        handler,
        shortcuts: new Map([
          [operations.status.path, handlers.status],
          [operations.legacyStatus.path, handlers.legacyStatus],
        ]),
        onRefused: () => metrics.responded("other", 400),
        // Behind a proxy, all clients share its address.
        bounds: {
          connections,
          connectionsPerAddress: options.trustProxy ? connections : connectionsPerAddress,
        },
        log,
      }),
    // The server has a handler of its own.
    clientErrorHandler: () => undefined,
    frameworkErrors: (error, _request, reply) => {
      refuse(reply, problemResponse(error.statusCode ?? 400, "The request cannot be understood."));
    },
  });
  // Otherwise Fastify would respond to an unknown method without calling the hook below.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

  function refuse(reply: FastifyReply, response: ApiResponse): void {
    reply.hijack();
    metrics.responded("other", response.status);
    send(reply.raw, response);
  }

  app.addHook("onRequest", (request, reply, done) => {
    const refusal = refusalOf(request.raw);
    if (refusal === undefined) return done();
    // The rest of the body is not read, so the connection cannot be reused.
    if (request.raw.headers["content-length"] !== undefined || isChunked(request.raw)) {
      reply.raw.setHeader("Connection", "close");
    }
    refuse(reply, refusal);
  });
  app.setNotFoundHandler((_request, reply) => refuse(reply, problemResponse(404)));
  app.setErrorHandler((error, request, reply) => {
    log.error({ url: request.url, error: describeError(error) }, "a request to the website API failed");
    if (reply.raw.headersSent) return void reply.raw.destroy();
    refuse(reply, problemResponse(500));
  });

  for (const [name, { path }] of Object.entries(operations)) {
    const handler = handlers[name as OperationName];
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
  }
  return app;
}

/** The response to a request that must be rejected before its operation, or undefined. */
function refusalOf(request: IncomingMessage): ApiResponse | undefined {
  const { url = "", method = "", headers } = request;
  if (url.length > maxTargetLength) return problemResponse(414, "The request target is too long.");
  if (!namesOneHost(request)) return problemResponse(400, "The request must have one Host header.");
  if (isChunked(request)) {
    return problemResponse(411, "No operation takes a body; send none, or its length.");
  }
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) {
    return problemResponse(413, "No operation takes a body.");
  }
  if (method === "GET" || method === "HEAD") return undefined;
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  if (!paths.has(path)) return undefined;
  if (method === "OPTIONS") {
    const cors = ["Access-Control-Allow-Methods", allowedMethods, "Access-Control-Allow-Headers", "*"];
    return { status: 204, headers: ["Allow", allowedMethods, ...cors, "Access-Control-Max-Age", "86400"] };
  }
  return problemResponse(405, undefined, ["Allow", allowedMethods]);
}

function isChunked(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined;
}
