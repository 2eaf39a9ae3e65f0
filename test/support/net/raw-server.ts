import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/**
 * A test's reaction to each request. The socket for the response, and the number of earlier requests on all
 * connections.
 */
export type Act = (socket: Socket, index: number) => void;

/** Parses HTTP requests only to find their end, and responds with arbitrary bytes. */
export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** Complete requests as text. */
  readonly requests: readonly string[];
  /** All sockets ever accepted; with TLS, those that completed the handshake. */
  readonly sockets: readonly Socket[];
  act: Act;
}

/** @param host an address of this machine */
export async function startRawServer(
  act: Act,
  { host = "127.0.0.1", tls }: { readonly host?: string; readonly tls?: TlsOptions } = {},
): Promise<RawServer> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const accept = (socket: Socket) => {
    sockets.push(socket);
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const [head = ""] = text.split("\r\n\r\n", 1);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < head.length + 4 + length) return;
      requests.push(text);
      text = "";
      server.act(socket, requests.length - 1);
    });
  };
  const listener = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  listener.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => listener.listen(0, host, resolve));
  const { port } = listener.address() as { port: number };
  const server: RawServer = {
    ...{ port, requests, sockets, act },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return server;
}
