import type { Server, Socket } from "node:net";
import { createSharedLimit } from "../core/shared-limit.ts";
import type { Logger } from "../log/log.ts";
import { networkOf } from "./client-network.ts";

export interface ConnectionBounds {
  readonly connections: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly connectionsPerAddress: number;
}

/** Minimum interval between log messages about closed connections. */
const reportEveryMs = 60_000;

/**
 * Closes connections beyond the bounds as soon as they are accepted.
 *
 * @returns a function that closes all remaining connections, including those that have sent no HTTP yet
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
