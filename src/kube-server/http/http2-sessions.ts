import type { RequestListener } from "node:http";
import { constants, createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { ServerLimits } from "./limits.ts";
import { createRateLimiter } from "./rate-limit.ts";

/** Concurrent streams of one connection: client-go puts all watches of a program on one. */
const maxConcurrentStreams = 250;
/** An idle connection is closed after this long, like one of HTTP/1.1. */
const idleMs = 120_000;

/**
 * Requests that a client may cancel on one connection; less than the limit at which Node.js 20 leaves the
 * connection hanging (see below).
 */
const resets = { burst: 500, perSecond: 30 };

/**
 * Serves HTTP/2 on connections that were accepted and secured elsewhere. The library (nghttp2) stops floods
 * of settings and pings. Floods of cancelled requests are stopped here (CVE-2023-44487: at 1,000, the library
 * in Node.js 20 stops reading the connection but leaves it open). Every request passes the same gate as one
 * of HTTP/1.1.
 *
 * @param signal lets each session end with the requests it has
 * @returns a handler for connections that negotiated HTTP/2
 */
export function createHttp2Sessions(
  limits: ServerLimits,
  handler: RequestListener,
  signal: AbortSignal,
): (socket: TLSSocket) => void {
  const server: Http2Server = createServer({
    settings: { maxConcurrentStreams, maxHeaderListSize: 16 * 1024, enablePush: false },
    maxHeaderListPairs: 100,
    // In MiB; streams beyond it cannot be opened.
    maxSessionMemory: 4,
    maxSessionInvalidFrames: 100,
  });
  // The compatibility layer passes node:http objects; the types differ only in parts not used here.
  server.on("request", handler as unknown as Parameters<typeof server.on>[1]);
  const open = new Set<ServerHttp2Session>();
  // Requests in progress get their responses; the client opens another connection for the next one.
  const closeAll = (): void => {
    for (const session of open) session.close();
  };
  signal.addEventListener("abort", closeAll, { once: true });
  server.on("session", (session) => {
    open.add(session);
    session.once("close", () => open.delete(session));
    boundIdleness(session, limits.headMs);
    boundResets(session);
  });
  server.on("sessionError", () => undefined);
  return (socket) => void server.emit("connection", socket);
}

/** Closes a session that is idle for long, or soon if it has never sent a request. */
function boundIdleness(session: ServerHttp2Session, firstMs: number): void {
  let open = 0;
  let timer = setTimeout(() => session.destroy(), firstMs);
  session.on("stream", (stream) => {
    clearTimeout(timer);
    open++;
    stream.once("close", () => {
      if (--open > 0 || session.destroyed) return;
      clearTimeout(timer);
      timer = setTimeout(() => session.close(), idleMs);
    });
  });
  session.once("close", () => clearTimeout(timer));
}

/** Closes a session whose client cancels an unreasonable number of requests. */
function boundResets(session: ServerHttp2Session): void {
  const limiter = createRateLimiter(resets);
  session.on("stream", (stream) => {
    stream.once("close", () => {
      const isReset = stream.rstCode !== constants.NGHTTP2_NO_ERROR;
      if (isReset && limiter.take("", performance.now()) > 0) session.destroy();
    });
  });
}
