import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Logger } from "../../base/core/log.ts";
import { boundConnections, type ConnectionBounds } from "../../base/net/bounded-connections.ts";
import { namesOneHost } from "../../base/net/host.ts";
import { problemResponse, send } from "./api-response.ts";
import { rawResponse, refuseConnection } from "./refused-connection.ts";

/** Methods that all paths support. */
export const allowedMethods = "GET, HEAD, OPTIONS";

export interface HttpServerOptions {
  /** Handles every request that is not in `shortcuts`. */
  readonly handler: RequestListener;
  /**
   * Plain GET requests by exact target, handled without the router. The status operation is most of the
   * traffic, and the router slows it noticeably (`npm run bench:api`).
   */
  readonly shortcuts: ReadonlyMap<string, RequestListener>;
  /** Called when an unreadable request was rejected. */
  readonly onRefused: () => void;
  readonly bounds: ConnectionBounds;
  readonly log: Logger;
}

/** The HTTP server of the website API, configured so that none of Node's bare error responses is sent. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { handler, shortcuts, onRefused } = options;
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
      // Node would respond with a bare 400; `refusalOf` checks it instead.
      requireHostHeader: false,
    },
    (request, response) => {
      const shortcut = request.method === "GET" ? shortcuts.get(request.url ?? "") : undefined;
      if (shortcut !== undefined && isPlain(request)) shortcut(request, response);
      else handler(request, response);
    },
  );
  boundConnections(server, options.bounds, options.log);
  server.on("clientError", (error, socket) => {
    onRefused();
    refuseConnection(error, socket);
  });
  // Expect: 100-continue gets the final response at once: no operation reads a body.
  server.on("checkContinue", handler);
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    onRefused();
    send(response, problemResponse(417));
  });
  server.on("connect", (_request: IncomingMessage, socket) => {
    onRefused();
    socket.end(rawResponse(problemResponse(405, undefined, ["Allow", allowedMethods])));
  });
  return server;
}

/** Whether a request has nothing to be rejected for. */
function isPlain(request: IncomingMessage): boolean {
  const { headers } = request;
  return (
    namesOneHost(request) &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}
