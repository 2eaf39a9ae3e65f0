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

/** What paths response to. */
export const allowedMethods = "GET, HEAD, OPTIONS";

export interface HttpServerOptions {
  /** Takes every request that is not in `shortcuts`. */
  readonly handler: RequestListener;
  /**
   * By exact target: plain GET requests that go to their operation without the router. The status operation is most of
   * the traffic, and the router's objects cost it a fifth of its speed (`npm run bench:api`).
   */
  readonly shortcuts: ReadonlyMap<string, RequestListener>;
  /** A request that could not even be read was refused. */
  readonly onRefused: () => void;
  readonly bounds: ConnectionBounds;
  readonly log: Logger;
}

/** The HTTP server of the website API, set up so that nothing gets a response by Node's own bare refusals. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { handler, shortcuts, onRefused } = options;
  const server = createServer(
    {
      // Larger than what is allowed, so that the refusal can tell a long target from large headers.
      maxHeaderSize: 64 * 1_024,
      // A client that trickles its request must not hold a connection for long.
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 2_000,
      // Longer than the usual minute of load balancers: they must be the ones to close.
      keepAliveTimeout: 65_000,
      // Node would respond with a bare 400; `refusalOf` looks instead.
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
  // To Expect: 100-continue the response itself comes: nobody is asked for a body.
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

/** Whether a request has nothing that it could be refused for. */
function isPlain(request: IncomingMessage): boolean {
  const { headers } = request;
  return (
    namesOneHost(request) &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}
