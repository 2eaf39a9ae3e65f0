import type { IncomingMessage } from "node:http";
import type { Server, Socket } from "node:net";
import { networkOf } from "./client-network.ts";
import type { Logger } from "./log.ts";
import { createSharedLimit } from "./shared-limit.ts";

export interface ConnectionBounds {
  readonly connections: number;
  /** Of one IPv4 address or IPv6 /64. */
  readonly connectionsPerAddress: number;
}

/** How often the log says that connections are closed. */
const reportEveryMs = 60_000;

/**
 * Closes connections beyond the bounds as soon as they are accepted.
 *
 * @returns closes all others as well, also those that are no HTTP connection yet
 */
export function boundConnections(server: Server, bounds: ConnectionBounds, log: Logger): () => void {
  const limit = createSharedLimit({ all: bounds.connections, perClient: bounds.connectionsPerAddress });
  const open = new Set<Socket>();
  let refused = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  server.on("connection", (socket: Socket) => {
    const client = networkOf(socket.remoteAddress ?? "");
    const bound = limit.take(client);
    if (bound === undefined) {
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        limit.release(client);
      });
      return;
    }
    socket.destroy();
    refused++;
    if (performance.now() - reportedMs < reportEveryMs) return;
    reportedMs = performance.now();
    const limitName = bound === "all" ? "connections" : "connectionsPerAddress";
    log.warn({ refused, client, limit: bounds[limitName] }, "connections are closed: there are too many");
    refused = 0;
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}

/** Of HTTP/2, each request is a stream of its own, and the connection is nobody's to close. */
export function isHttp2({ httpVersionMajor }: Pick<IncomingMessage, "httpVersionMajor">): boolean {
  return httpVersionMajor === 2;
}

type Heads = Pick<IncomingMessage, "rawHeaders" | "httpVersion">;

/** Whether a request names exactly one host (RFC 9112, section 3.2). HTTP/1.0 need not name any. */
export function namesOneHost({ rawHeaders, httpVersion }: Heads): boolean {
  if (httpVersion === "2.0") return namesOneAuthority(rawHeaders);
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

/** HTTP/2 names the host in `:authority`, and may repeat it, but not contradict itself (RFC 9113, section 8.3.1). */
function namesOneAuthority(rawHeaders: readonly string[]): boolean {
  const isName = (text: string, index: number): boolean =>
    index % 2 === 0 && (text === "host" || text === ":authority");
  const hosts = rawHeaders.filter((_, index) => isName(rawHeaders[index - 1] ?? "", index - 1));
  return new Set(hosts).size === 1;
}
