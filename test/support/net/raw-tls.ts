import { connect as connectTcp, type Socket } from "node:net";
import { connect } from "node:tls";

/** A connection that the test writes to byte by byte, and that keeps the received data. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  text(): string;
  isClosed(): boolean;
  readonly closed: Promise<void>;
}

function keep(socket: Socket): RawConnection {
  let text = "";
  let isClosed = false;
  socket.setEncoding("latin1");
  socket.on("data", (piece: string) => {
    text += piece;
  });
  // Many of these tests expect the connection to be reset.
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  return { socket, text: () => text, isClosed: () => isClosed, closed };
}

/** Opens TLS to the server at `url`; data written before the end of the handshake is queued. */
export function rawTls(url: string): RawConnection {
  const { port, hostname } = new URL(url);
  return keep(connect({ port: Number(port), host: hostname, rejectUnauthorized: false }));
}

/** Opens a TCP connection and sends nothing, not even a TLS ClientHello. */
export function rawTcp(url: string): RawConnection {
  const { port, hostname } = new URL(url);
  return keep(connectTcp({ port: Number(port), host: hostname }));
}

/** The JSON body of the last HTTP response in a text. */
// biome-ignore lint/suspicious/noExplicitAny: responses are looked into, field by field
export function bodyIn(text: string): any {
  return JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4));
}
