import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Logger } from "../../base/log/log.ts";
import { boundConnections } from "../../base/net/bounded-connections.ts";
import { tlsServerOptions } from "../../base/net/renewed-context.ts";
import type { Drain } from "./drain.ts";
import { createHttp2Sessions } from "./http2-sessions.ts";
import type { ServerLimits } from "./limits.ts";
import { refuseConnection } from "./refused-connection.ts";

export interface ServerOptions {
  readonly tls: { readonly cert: string; readonly key: string };
  readonly limits: ServerLimits;
  readonly log: Logger;
}

export interface HttpsServer {
  readonly server: Server;
  /** Closes all connections, including those still in the TLS handshake, which Node.js would wait for. */
  closeConnections(): void;
}

/**
 * The platform's HTTPS server: limits the number of connections, and the time until each becomes a request.
 * When it is to stop, connections end with their responses.
 */
export function createHttpsServer(
  { tls, limits, log }: ServerOptions,
  handler: RequestListener,
  drain: Drain,
): HttpsServer {
  const counted = drain.counted(handler);
  const responding = new WeakSet<Duplex>();
  const server = createServer(
    {
      ...tls,
      ...tlsServerOptions,
      handshakeTimeout: limits.handshakeMs,
      headersTimeout: limits.headMs,
      // Bodies have their own limits, with a better response; this one covers unread bodies.
      requestTimeout: limits.headMs + limits.bodyMs + limits.bodySilenceMs,
      connectionsCheckingInterval: Math.min(2_000, limits.headMs / 2),
      keepAliveTimeout: 120_000,
      // Watches may be silent for long: only TCP keepalive detects a lost client.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
      maxHeaderSize: 16 * 1024,
      // Node's own response to a missing Host header is not a Status.
      requireHostHeader: false,
      ALPNProtocols: ["h2", "http/1.1"],
    },
    (request, response) => {
      responding.add(request.socket);
      response.once("close", () => responding.delete(request.socket));
      counted(request, response);
    },
  );
  server.on("connection", drain.accepted);
  serveHttp2(server, createHttp2Sessions(limits, counted, drain.stopping));
  server.on("clientError", (error, socket) => refuseConnection(error, socket, responding.has(socket)));
  // The body's reader sends 100 Continue; by default, Node.js would send it before the token is checked.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  return { server, closeConnections: boundConnections(server, limits, log) };
}

/**
 * Passes connections that negotiated HTTP/2 to `sessions`. (`http2.createSecureServer` with `allowHTTP1`
 * would take all connections, and its HTTP/1.1 lacks half of the limits above.)
 */
function serveHttp2(server: Server, sessions: (socket: TLSSocket) => void): void {
  const http1 = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket) => {
    if (socket.alpnProtocol === "h2") sessions(socket);
    else for (const listener of http1) listener.call(server, socket);
  });
}
