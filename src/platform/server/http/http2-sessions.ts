import type { RequestListener } from "node:http";
import { constants, createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { PlatformLimits } from "./limits.ts";
import { createRateLimiter } from "./rate-limit.ts";

/** Streams of one connection: client-go puts all watches of a program on one. */
const maxConcurrentStreams = 250;
/** A connection on which nothing is asked is closed after this long, as one of HTTP/1.1. */
const idleMs = 120_000;

/** Requests that a client may cancel on one connection; below 1,000, from where on Node 20 hangs on to it (see below). */
const resets = { burst: 500, perSecond: 30 };

/**
 * Serves HTTP/2 on connections that others have accepted and secured. Floods of settings and pings are ended by the
 * library (nghttp2), floods of cancelled requests here (CVE-2023-44487: after 1,000, Node 20's library reads no more of
 * the connection, but leaves it open); each request goes through the same gate as one of HTTP/1.1.
 *
 * @returns takes a connection on which HTTP/2 was agreed
 */
export function createHttp2Sessions(
  limits: PlatformLimits,
  handler: RequestListener,
): (socket: TLSSocket) => void {
  const server: Http2Server = createServer({
    settings: { maxConcurrentStreams, maxHeaderListSize: 16 * 1024, enablePush: false },
    maxHeaderListPairs: 100,
    // MiB; what is beyond it in a session is a stream that cannot be opened.
    maxSessionMemory: 4,
    maxSessionInvalidFrames: 100,
  });
  // The compatibility layer gives the objects of node:http; their types differ in what nobody here uses.
  server.on("request", handler as unknown as Parameters<typeof server.on>[1]);
  server.on("session", (session) => {
    boundIdleness(session, limits.headMs);
    boundResets(session);
  });
  server.on("sessionError", () => undefined);
  return (socket) => void server.emit("connection", socket);
}

/** Ends a session that asks nothing for long; one that has never asked, soon. */
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

/** Ends a session whose client cancels more requests than any client has reason to. */
function boundResets(session: ServerHttp2Session): void {
  const limiter = createRateLimiter(resets);
  session.on("stream", (stream) => {
    stream.once("close", () => {
      const isReset = stream.rstCode !== constants.NGHTTP2_NO_ERROR;
      if (isReset && limiter.take("", performance.now()) > 0) session.destroy();
    });
  });
}
