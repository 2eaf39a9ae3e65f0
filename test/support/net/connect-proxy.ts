import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { TlsOptions } from "node:tls";

/** A real HTTP proxy in this process that opens tunnels (CONNECT), optionally with authentication. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** `host:port` of each requested tunnel. */
  readonly tunnels: readonly string[];
}

/** @param credentials the required `user:password`; @param tls for an https proxy */
export async function startConnectProxy(credentials?: string, tls?: TlsOptions): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  };
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on("request", (_, response) => response.writeHead(405).end());
  server.on("connection", track);
  server.on("secureConnection", track);
  server.on("connect", (request, client, head) => {
    tunnels.push(request.url ?? "");
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (wanted !== undefined && request.headers["proxy-authorization"] !== wanted) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const { hostname, port } = new URL(`tcp://${request.url}`);
    const target = connect(Number(port), hostname.replace(/^\[|\]$/g, ""), () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.write(head);
      target.pipe(client).pipe(target);
    });
    track(target);
    target.once("error", () => client.destroy());
    client.once("close", () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    tunnels,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
