import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ReceiverResponse } from "./receiver.ts";

/** The connection is closed in an orderly way, without a response. */
export const halfClosed: ReceiverResponse = { by: (_, socket) => socket.end() };

/** Arbitrary text instead of an HTTP response. */
export function rawResponse(text: string): ReceiverResponse {
  return { by: (_, socket) => socket.end(text) };
}

/** Headers that never end. */
export const endlessHeader: ReceiverResponse = {
  by: (_, socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    pump(socket, `X-Filler: ${"x".repeat(1_000)}\r\n`, Infinity);
  },
};

/** A body of this many bytes, as fast as the client reads; Infinity: it never ends. */
export function longBody(status: number, bytes: number): ReceiverResponse {
  return {
    by: (response) => {
      response.writeHead(status, { "content-type": "text/plain" });
      pump(response, "all work and no play. ".repeat(500), bytes);
    },
  };
}

/** The status, the beginning of a body, and then nothing. */
export function stuckBody(status: number, beginning: string): ReceiverResponse {
  return {
    by: (response) => {
      response.writeHead(status, { "content-type": "text/plain", "content-length": "1000000" });
      response.write(beginning);
    },
  };
}

/** The status, the beginning of a body, and a reset. */
export function cutBody(status: number, beginning: string): ReceiverResponse {
  return {
    by: (response, socket) => {
      response.writeHead(status, { "content-length": "1000000" });
      response.write(beginning, () => setTimeout(() => socket.resetAndDestroy(), 20));
    },
  };
}

function pump(out: Socket | ServerResponse, text: string, bytes: number): void {
  let rest = bytes;
  const more = () => {
    while (rest > 0 && !out.destroyed) {
      rest -= text.length;
      if (!out.write(text)) {
        out.once("drain", more);
        return;
      }
    }
    if (!out.destroyed) out.end();
  };
  more();
}
