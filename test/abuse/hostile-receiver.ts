import type { Socket } from "node:net";
import { type RawServer, startRawServer } from "../support/net/raw-server.ts";
import type { Tally } from "./tally.ts";

const head = "HTTP/1.1 400 Bad Request\r\n";

/** Hostile data sent instead of an HTTP response; the sink's path selects one. */
export const responses: Readonly<Record<string, (socket: Socket) => void>> = {
  "empty lines before a status line": (socket) => socket.end("\r\n".repeat(1_650_000)),
  "a header that never ends": (socket) => pump(socket, head, `X-Filler: ${"x".repeat(1_000)}\r\n`),
  "a header line that never ends": (socket) => pump(socket, `${head}X-Filler: `, "x".repeat(10_000)),
  "a body that never ends": (socket) => pump(socket, `${head}\r\n`, "all work and no play ".repeat(500)),
  "chunks of one byte": (socket) =>
    pump(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`, "1\r\nx\r\n".repeat(2_000)),
  "chunk extensions": (socket) =>
    pump(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`, `1;${"e=x;".repeat(2_000)}\r\nx\r\n`),
  "trailers that never end": (socket) =>
    pump(socket, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n`, "X-Trailer: x\r\n".repeat(500)),
  "interim responses": (socket) => pump(socket, "", "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n".repeat(400)),
  "a drip": (socket) => drip(socket),
  "no response at all": () => undefined,
};

/** Sends a beginning, then the same piece as fast as the client reads, until the connection ends. */
function pump(socket: Socket, beginning: string, piece: string): void {
  const bytes = Buffer.from(piece);
  socket.write(beginning);
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
}

/** One byte of a response head every 200 ms. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("H"), 200);
  socket.once("close", () => clearInterval(timer));
}

/** A receiver that responds to `/N` with the N-th hostile response. */
export async function startHostileReceiver(tally: Tally): Promise<RawServer> {
  const all = Object.entries(responses);
  const server = await startRawServer((socket, index) => {
    const number = Number(/^\w+ \/(\d+)/.exec(server.requests[index] ?? "")?.[1] ?? 0);
    const [name, respond] = all[number % all.length] ?? ["none", () => undefined];
    tally.note(`receiver: ${name}`, "sent");
    respond(socket);
  });
  return server;
}
