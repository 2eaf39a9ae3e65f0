import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { sleep } from "../../base/core/clock.ts";

/** Requests come no more: a load balancer has seen that the server is not ready, or nobody asks. */
const quietMs = 300;
/** By then, a load balancer that asks every second has seen it. */
const maxMs = 5_000;
const lookEveryMs = 20;

/** The end of a server whose requests move to others, so that none fails. */
export interface Drain {
  /** `handler`, with its requests counted; once the server stops, each response closes its connection. */
  counted(handler: RequestListener): RequestListener;
  /** Resolves when no request has come for a moment and none is in progress, or after some seconds. */
  drained(): Promise<void>;
}

/**
 * @param isProbe whether a request is a load balancer's own
 * @param signal aborts when the server is to stop, while it still listens
 */
export function createDrain(isProbe: (request: IncomingMessage) => boolean, signal: AbortSignal): Drain {
  const open = new Set<ServerResponse>();
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    counted: (handler) => (request, response) => {
      // HTTP/2 has no such header: its sessions are closed by a frame of their own.
      if (signal.aborted && request.httpVersionMajor === 1) response.setHeader("connection", "close");
      if (!isProbe(request)) {
        lastMs = performance.now();
        open.add(response);
        response.once("close", () => open.delete(response));
      }
      handler(request, response);
    },
    async drained() {
      const endMs = performance.now() + maxMs;
      const isQuiet = () => open.size === 0 && performance.now() - lastMs >= quietMs;
      while (!isQuiet() && performance.now() < endMs) await sleep(lookEveryMs, new AbortController().signal);
    },
  };
}
