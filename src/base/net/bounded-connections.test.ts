import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "../log/log.ts";
import { boundConnections } from "./bounded-connections.ts";

test.each([
  ["of one address", { connections: 10, connectionsPerAddress: 3 }],
  ["of all", { connections: 3, connectionsPerAddress: 10 }],
])("connections %s are bounded; one that closes makes room for another", async (_name, bounds) => {
  const server = createServer((_request, response) => void response.end("here"));
  const closeAll = boundConnections(server, bounds, silentLogger);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const open = (): Socket => connect(port, "127.0.0.1").on("error", () => undefined);
  const sockets = Array.from({ length: 5 }, open);
  const closed = () => sockets.filter((socket) => socket.closed).length;
  await until("two are closed", () => closed() === 2);
  sockets.find((socket) => !socket.closed)?.destroy();
  await until("there is room", async () => {
    const socket = open();
    sockets.push(socket);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    return await Promise.race([
      once(socket, "data").then(() => true),
      once(socket, "close").then(() => false),
    ]);
  });
  closeAll();
  await until("all are closed", () => closed() === sockets.length);
  server.close();
  await once(server, "close");
});
