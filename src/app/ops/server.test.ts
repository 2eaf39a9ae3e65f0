import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { busyDaemon } from "../../../test/support/daemon/daemon-status.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { ConnectionBounds } from "../../base/net/bounded-connections.ts";
import { buildOpsApp } from "./app.ts";
import { createProcessRegistry } from "./process-metrics.ts";
import { OpsServer } from "./server.ts";

function server(port: number, bounds?: ConnectionBounds): OpsServer {
  const app = buildOpsApp({
    listenHost: "127.0.0.1",
    hosts: [],
    status: () => busyDaemon(3, Date.now()),
    readiness: () => ({ ready: true, reasons: [] }),
    degraded: () => [],
    registries: [createProcessRegistry("1.2.3")],
    nowMs: () => Date.now(),
    log: silentLogger,
  });
  return new OpsServer(app, { host: "127.0.0.1", port }, silentLogger, bounds);
}

test("serves until it is stopped, and a client that says nothing does not keep it", async () => {
  const controller = new AbortController();
  const ops = server(0);
  const url = await ops.listen();
  const running = ops.run(controller.signal);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain(`telemetryd_build_info{version="1.2.3",node_version="${process.version}"} 1`);
  expect(metrics).toContain("process_cpu_seconds_total");

  const silent = connect(Number(new URL(url).port), "127.0.0.1");
  silent.on("error", () => undefined);
  await once(silent, "connect");
  silent.write("GET /metrics HTTP/1.1\r\n");
  const startedMs = performance.now();
  controller.abort();
  await running;
  expect(performance.now() - startedMs).toBeLessThan(3_000);
  silent.destroy();
  await expect(fetch(url)).rejects.toThrow();
});

test("connections beyond the bounds are closed at once, and the others are served", async () => {
  const controller = new AbortController();
  const ops = server(0, { connections: 4, connectionsPerAddress: 2 });
  const url = await ops.listen();
  const running = ops.run(controller.signal);
  const port = Number(new URL(url).port);
  const held = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  await Promise.all(held.map((socket) => once(socket, "connect")));
  const refused = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(refused, "close");
  held[0]?.write("GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n");
  const [head] = await once(held[0]!, "data");
  expect(String(head)).toContain("200 OK");
  for (const socket of held) socket.destroy();
  controller.abort();
  await running;
});

test("a taken port is a fault that names the key", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await expect(server(port ?? 0).run(new AbortController().signal)).rejects.toMatchObject({
    code: "ADDRESS_IN_USE",
    message: expect.stringContaining("ops.listen"),
  });
  other.close();
});
