import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { sleep } from "../../src/base/core/clock.ts";
import type { Tally } from "./tally.ts";

/** A client without a token that attacks the platform's address until the signal aborts. */
export async function strangerAttacks(port: number, tally: Tally, signal: AbortSignal): Promise<void> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const tls = (): Socket => keep(connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false }));
  const path = "/apis/resourcemanager.platformapis/v1alpha/projects/web/control-plane/api/v1/namespaces";
  const post = (length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const mebibytes = 3 * 2 ** 20;

  /** A complete body without a token; the server must not read it. */
  const largeBody = () => {
    const socket = tls();
    noteFirstByte(socket, "stranger: a large body", tally);
    socket.write(post(mebibytes));
    socket.write(Buffer.alloc(mebibytes - 1, "x"));
  };
  /** A body sent byte by byte. */
  const drippedBody = () => {
    const socket = tls();
    noteFirstByte(socket, "stranger: a dripped body", tally);
    socket.write(post(mebibytes));
    const timer = setInterval(() => socket.write("x"), 1_000);
    socket.once("close", () => clearInterval(timer));
  };
  /** A head sent byte by byte. */
  const drippedHead = () => {
    const socket = tls();
    noteFirstByte(socket, "stranger: a dripped head", tally);
    socket.write("GET /version HTTP/1.1\r\nX: ");
    const timer = setInterval(() => socket.write("x"), 500);
    socket.once("close", () => clearInterval(timer));
  };
  const largeHead = () => {
    const socket = tls();
    noteFirstByte(socket, "stranger: a large head", tally);
    socket.write(
      `GET /version HTTP/1.1\r\nHost: x\r\n${`X-Filler: ${"x".repeat(1_000)}\r\n`.repeat(100)}\r\n`,
    );
  };
  /** A connection that never speaks TLS. */
  const silence = () => {
    tally.note("stranger: a silent connection", "opened");
    keep(connect(port, "127.0.0.1"));
  };

  const attacks = [largeBody, drippedBody, drippedHead, largeHead, silence];
  while (!signal.aborted) {
    for (const attack of attacks) if (sockets.size < 600) attack();
    await sleep(50, signal).catch(() => undefined);
  }
  for (const socket of sockets) socket.destroy();
}

/** Records the status of the first response, or that the connection was closed without one. */
function noteFirstByte(socket: Socket, attack: string, tally: Tally): void {
  let isNoted = false;
  const note = (outcome: string): void => {
    if (!isNoted) tally.note(attack, outcome);
    isNoted = true;
  };
  socket.once("data", (bytes) => note(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString("latin1"))?.[1] ?? "no HTTP"));
  socket.once("close", () => note("cut"));
}
