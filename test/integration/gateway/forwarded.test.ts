import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BackendTarget, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import {
  type Echo,
  type GatewayBackend,
  startGatewayBackend,
} from "../../support/gateway/gateway-backend.ts";
import { send, valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp } from "../../support/net/raw-http.ts";
import { bodyIn } from "../../support/net/raw-tls.ts";
import { setUpAll } from "../../support/set-up.ts";

let backend: GatewayBackend;
/** Believes nobody. */
let gateway: RunningGateway;
/** Believes 127.0.0.1. */
let behindProxy: RunningGateway;
let program: RouteProgram;
let target: BackendTarget;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
  behindProxy = await keep(startGateway({ trustedProxies: ["192.0.2.0/24", "127.0.0.1"] }));
  target = { scheme: "http", host: "127.0.0.1", port: backend.port };
  program = programOf([
    {
      matches: [{ path: { type: "PathPrefix", value: "/renamed" } }],
      rewriteHostname: "inner.example",
      backend: target,
    },
    { backend: target },
  ]);
  await Promise.all([gateway.load(program), behindProxy.load(program)]);
});

/** What the backend is told of the client, by what the client says of itself. */
async function told(
  by: RunningGateway,
  headers: Record<string, string | string[]>,
  path = "/",
): Promise<object> {
  const { echo } = await send(by.port, program, { path, headers });
  const of = (name: string): string[] => valuesOf(echo, name);
  return {
    for: of("x-forwarded-for"),
    proto: of("x-forwarded-proto"),
    host: of("x-forwarded-host"),
    port: of("x-forwarded-port"),
  };
}

const claims = {
  "X-Forwarded-For": "203.0.113.7, 198.51.100.1",
  "x-forwarded-proto": "https",
  "X-FORWARDED-HOST": "shop.example",
  "X-Forwarded-Port": "443",
};

describe("where a request comes from", () => {
  const own = (by: RunningGateway): object => ({
    ...{ for: ["127.0.0.1"], proto: ["http"] },
    ...{ host: [hostOf(program.gateway)], port: [String(by.port)] },
  });

  test("is set by the gateway", async () => {
    expect(await told(gateway, {})).toEqual(own(gateway));
    expect(await told(behindProxy, {})).toEqual(own(behindProxy));
  });

  test("is HTTPS where it is", async () => {
    const host = hostOf(program.gateway);
    const bytes = `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Proto: http\r\nConnection: close\r\n\r\n`;
    const echo = bodyIn((await rawHttp(gateway.tlsPort, bytes, { serverName: host })).text) as Echo;
    expect(valuesOf(echo, "x-forwarded-proto")).toEqual(["https"]);
    expect(valuesOf(echo, "x-forwarded-port")).toEqual([String(gateway.tlsPort)]);
  });

  test("has the client's Host, also when the backend gets another", async () => {
    const { echo } = await send(gateway.port, program, { path: "/renamed" });
    expect(valuesOf(echo, "host")).toEqual(["inner.example"]);
    expect(await told(gateway, {}, "/renamed")).toEqual(own(gateway));
  });

  test("is not what a client says", async () => {
    expect(await told(gateway, claims)).toEqual(own(gateway));
    expect(await told(gateway, { "X-Forwarded-For": ["192.0.2.1", "192.0.2.2"] })).toEqual(own(gateway));
  });

  test("is what a trusted proxy says, and the proxy itself comes last", async () => {
    expect(await told(behindProxy, claims)).toEqual({
      ...{ for: ["203.0.113.7, 198.51.100.1", "127.0.0.1"], proto: ["https"] },
      ...{ host: ["shop.example"], port: ["443"] },
    });
  });

  test("is filled in where a trusted proxy says only a part", async () => {
    expect(await told(behindProxy, { "X-Forwarded-Proto": "https" })).toEqual({
      ...own(behindProxy),
      proto: ["https"],
    });
  });

  test.each(["Forwarded", "X-Real-IP", "x_real_ip"])("is not set by %s, whoever sends it", async (name) => {
    for (const { port } of [gateway, behindProxy]) {
      const { echo } = await send(port, program, { headers: { [name]: "for=203.0.113.7" } });
      expect(valuesOf(echo, name)).toEqual([]);
    }
  });

  test.each(["X_Forwarded_For", "x-forwarded_proto"])("is not set by %s", async (name) => {
    const { echo } = await send(gateway.port, program, { headers: { [name]: "203.0.113.7" } });
    expect(valuesOf(echo, name)).toEqual([]);
  });
});

describe("X-Request-Id", () => {
  test("is made where there is none, another one each time", async () => {
    const ids = [];
    for (let count = 0; count < 2; count++) {
      ids.push(...valuesOf((await send(gateway.port, program)).echo, "x-request-id"));
    }
    expect(ids).toEqual([
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    ]);
    expect(new Set(ids).size).toBe(2);
  });

  test("is kept where there is one", async () => {
    const { echo } = await send(gateway.port, program, { headers: { "X-Request-ID": "the client's" } });
    expect(valuesOf(echo, "x-request-id")).toEqual(["the client's"]);
  });
});

describe("Via", () => {
  test("is added", async () => {
    const via = `1.1 telemetryd-${program.gateway}`;
    expect(valuesOf((await send(gateway.port, program)).echo, "via")).toEqual([via]);
    const { echo } = await send(gateway.port, program, { headers: { Via: "1.0 fred, 1.1 example.com" } });
    expect(valuesOf(echo, "via")).toEqual(["1.0 fred, 1.1 example.com", via]);
  });

  describe("ends loops", () => {
    let forwarder: Server;
    let crossings = 0;
    const sockets = new Set<Socket>();
    let back: BackendTarget;

    beforeAll(async () => {
      forwarder = createServer((client) => {
        crossings++;
        const upstream = connect(gateway.port, "127.0.0.1");
        for (const socket of [client, upstream]) {
          sockets.add(socket);
          socket.on("error", () => undefined);
        }
        client.pipe(upstream).pipe(client);
      });
      await new Promise<void>((resolve) => forwarder.listen(0, "127.0.0.1", resolve));
      back = { scheme: "http", host: "127.0.0.1", port: (forwarder.address() as { port: number }).port };
    });

    afterAll(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => forwarder.close(resolve));
    });

    test("a proxy that leads to itself responds with 508", async () => {
      const own = programOf([{ backend: back }]);
      await gateway.load(own);
      crossings = 0;
      const { status, text } = await send(gateway.port, own);
      expect([status, text]).toEqual([508, "the backend of this proxy leads back to it\n"]);
      expect(crossings).toBe(1);
    });

    test("a circle of proxies responds with 508, a chain that ends does not", async () => {
      const end = programOf([{ backend: target }]);
      const chain = programOf([{ rewriteHostname: hostOf(end.gateway), backend: back }]);
      const second = programOf([{ backend: back }]);
      const first = programOf([{ rewriteHostname: hostOf(second.gateway), backend: back }]);
      const closing: RouteProgram = {
        ...second,
        rules: second.rules.map((rule) => ({ ...rule, rewriteHostname: hostOf(first.gateway) })),
      };
      await gateway.load(end, chain, first, closing);
      crossings = 0;
      expect((await send(gateway.port, first)).status).toBe(508);
      expect(crossings).toBeLessThanOrEqual(2);
      const { echo } = await send(gateway.port, chain);
      expect(valuesOf(echo, "via")).toEqual([
        `1.1 telemetryd-${chain.gateway}`,
        `1.1 telemetryd-${end.gateway}`,
      ]);
    });

    test("the gateway's own address is no backend", async () => {
      const own = programOf([{ backend: { ...back, port: gateway.port } }]);
      await gateway.load(own);
      expect((await send(gateway.port, own)).status).toBe(502);
      expect(gateway.programs.reports.get(own.gateway)?.blocked).toEqual({
        "127.0.0.1": "the address is not allowed",
      });
    });
  });
});
