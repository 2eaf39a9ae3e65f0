import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Logger } from "../../base/log/log.ts";
import { boundConnections, type ConnectionBounds } from "../../base/net/bounded-connections.ts";
import { type ApiResponse, headersOf, problemResponse } from "./api-response.ts";
import type { App } from "./app.ts";
import type { ApiMetrics } from "./metrics.ts";
import { rawResponse, refuseConnection } from "./refused-connection.ts";
import { methodNotAllowed } from "./route.ts";

export interface HttpServerOptions {
  readonly app: App;
  readonly bounds: ConnectionBounds;
  readonly metrics: ApiMetrics;
  readonly log: Logger;
}

/**
 * The HTTP server of the website API. Every response, also to input that never becomes a request, is the
 * app's or a Problem of ours: none of Node's bare error responses is sent.
 */
export function createHttpServer({ app, bounds, metrics, log }: HttpServerOptions): Server {
  const serve: RequestListener = (request, response) => {
    respond(request, response, () => undefined);
  };
  const server = createServer(
    {
      // Above the allowed size, so that the response can distinguish a long target from large headers.
      maxHeaderSize: 64 * 1_024,
      // A slow client must not hold a connection for long.
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 2_000,
      // Longer than the usual minute of load balancers: they must close first.
      keepAliveTimeout: 65_000,
      // Node would respond with a bare 400; `route.ts` checks it instead.
      requireHostHeader: false,
    },
    serve,
  );
  boundConnections(server, bounds, log);
  // Expect: 100-continue gets the final response at once, unless the body is wanted.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response, () => response.writeContinue());
  });
  server.on("checkExpectation", (_request, response) => send(response, problemResponse(417)));
  server.on("connect", (_request, socket) => socket.end(rawResponse(counted(methodNotAllowed()))));
  server.on("clientError", (error, socket) => {
    const refusal = refuseConnection(error, socket);
    if (refusal !== undefined) counted(refusal);
  });
  return server;

  function respond(request: IncomingMessage, response: ServerResponse, invite: () => void): void {
    const content = app(request, invite);
    if (content instanceof Promise) {
      void content.then((last) => {
        if (last !== undefined) send(response, last);
      });
    } else send(response, content);
  }

  /** For HEAD, Node.js omits the body. */
  function send(response: ServerResponse, content: ApiResponse): void {
    counted(content);
    const headers = headersOf(content);
    // While the server stops, a connection ends with its response.
    if (!server.listening) headers.push("Connection", "close");
    response.writeHead(content.status, headers);
    response.end(content.body);
  }

  function counted(content: ApiResponse): ApiResponse {
    metrics.responded(content.operation ?? "other", content.status);
    return content;
  }
}
