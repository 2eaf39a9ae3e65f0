import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { sleep } from "../../base/core/clock.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { readBoolean } from "../api/query-values.ts";
import { healthPaths } from "./gate.ts";

/** Requests come no more: a load balancer has seen that the server is not ready, or nobody asks. */
const quietMs = 300;
/** By then, a load balancer that asks every second has seen it. */
const maxMs = 5_000;
const lookEveryMs = 20;

/** The end of a server whose requests move to others, so that none fails. */
export interface Drain {
  /** Aborts when the server is to stop, while it still listens. */
  readonly stopping: AbortSignal;
  /** `handler`, with its requests counted; once the server stops, each response closes its connection. */
  counted(handler: RequestListener): RequestListener;
  /** A connection was accepted; its first request comes after the handshake. */
  accepted(socket: Socket): void;
  /**
   * Resolves when no request has come for a moment, none is in progress, and no connection is without its
   * first one; or after some seconds. Watches and logs that are followed do not count: they stay open
   * meanwhile, since a client that finds no other server would come back all the time.
   */
  drained(): Promise<void>;
}

export function createDrain(stopping: AbortSignal): Drain {
  const open = new Set<ServerResponse>();
  /** Client's ends of connections without a request: the sockets above and below TLS have them in common. */
  const fresh = new Set<string>();
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    stopping,
    counted: (handler) => (request, response) => {
      // HTTP/2 has no such header: its sessions are closed by a frame of their own.
      if (stopping.aborted && request.httpVersionMajor === 1) response.setHeader("connection", "close");
      if (fresh.size > 0) fresh.delete(endOf(request.socket));
      if (isCounted(request)) {
        lastMs = performance.now();
        open.add(response);
        response.once("close", () => open.delete(response));
      }
      handler(request, response);
    },
    accepted(socket) {
      const end = endOf(socket);
      fresh.add(end);
      socket.once("close", () => fresh.delete(end));
    },
    async drained() {
      const endMs = performance.now() + maxMs;
      const isQuiet = () => open.size + fresh.size === 0 && performance.now() - lastMs >= quietMs;
      // Where the machine is busy, connections and requests may have come that nobody has read yet.
      for (await yieldToEventLoop(); !isQuiet() && performance.now() < endMs; await yieldToEventLoop())
        await sleep(lookEveryMs, new AbortController().signal);
    },
  };
}

/** Not a load balancer's own, and with an end. */
function isCounted({ url = "" }: IncomingMessage): boolean {
  const [path = "", rawQuery = ""] = url.split("?", 2);
  const query = new URLSearchParams(rawQuery);
  const isLong = readBoolean(query, "watch") === true || readBoolean(query, "follow") === true;
  return !healthPaths.includes(path) && !isLong;
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
