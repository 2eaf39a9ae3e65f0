import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ConnectProxy, startConnectProxy } from "../../../../test/support/net/connect-proxy.ts";
import { type Act, type RawServer, startRawServer } from "../../../../test/support/net/raw-server.ts";
import { testTransport } from "../../../../test/support/receiver/requests.ts";
import { until } from "../../../../test/support/until.ts";
import { type PostLimits, type PostResult, postLimits, type Transport } from "./post.ts";

/** Every transport must report these alike, since they determine lost and repeated samples. */
const implementations = [{ name: "direct" }, { name: "through a proxy" }] as const;

const never = new AbortController().signal;
setMaxListeners(0, never);
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const cut = (status: number) => `HTTP/1.1 ${status} Any\r\ncontent-length: 9\r\n\r\nhalf`;

describe.each(implementations)("$name", ({ name }) => {
  let server: RawServer;
  let proxy: ConnectProxy;
  let transport: Transport;

  beforeEach(async () => {
    server = await startRawServer((socket) => socket.write(ok));
    proxy = await startConnectProxy();
    transport = open(2);
  });
  afterEach(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  function open(connections: number, connectMs = 1_000): Transport {
    return testTransport({ connectMs, connections, proxyUrl: name === "direct" ? undefined : proxy.url });
  }

  function post(
    limits: Partial<PostLimits> = {},
    signal: AbortSignal = never,
    headers: Record<string, string> = {},
    maySend?: () => boolean,
  ): Promise<PostResult> {
    const target = { origin: `http://127.0.0.1:${server.port}`, path: "/write?a=b", headers };
    return transport.post(
      { target, body: Buffer.from("body"), tenant: "project", maySend },
      { ...postLimits, ...limits },
      signal,
    );
  }

  test("what is written", async () => {
    await post({}, never, { "x-a": "b" });
    const [head, body] = server.requests[0]!.split("\r\n\r\n");
    expect(head).toContain("POST /write?a=b HTTP/1.1\r\n");
    expect(head).toContain(`host: 127.0.0.1:${server.port}`);
    expect(head).toContain("x-a: b");
    expect(head).toContain("content-length: 4");
    expect(body).toBe("body");
  });

  describe("the response counts as soon as its head is there", () => {
    const limits = { headersMs: 10_000, bodyMs: 120, bodyBytes: 1_000, keptBytes: 4 };
    test.each<[string, Act, number, string]>([
      ["a body", (socket) => socket.write(ok), 200, "ok"],
      ["no body", (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), 204, ""],
      [
        "chunks",
        (socket) =>
          socket.write(
            "HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n1\r\n!\r\n0\r\n\r\n",
          ),
        400,
        "no!",
      ],
      ["HTTP/1.0", (socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nall"), 200, "all"],
      [
        "a body that is slow in the end, byte by byte",
        (socket) => {
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nxxxx");
          const timer = setInterval(() => socket.destroyed || socket.write("x"), 5);
          socket.once("close", () => clearInterval(timer));
        },
        200,
        "xxxx",
      ],
      [
        "a body without end, as fast as it can",
        (socket) => {
          socket.write("HTTP/1.1 503 Any\r\n\r\n");
          const pump = () => {
            while (!socket.destroyed && socket.write("x".repeat(10_000)));
          };
          socket.on("drain", pump);
          pump();
        },
        503,
        "xxxx",
      ],
      ...[200, 400, 503].flatMap((status): [string, Act, number, string][] => [
        [`a stuck body after ${status}`, (socket) => socket.write(cut(status)), status, "half"],
        [`a cut-off body after ${status}`, (socket) => socket.end(cut(status)), status, "half"],
        [
          `a reset in the body after ${status}`,
          (socket) => socket.write(cut(status), () => setTimeout(() => socket.resetAndDestroy(), 10)),
          status,
          "half",
        ],
        [
          `no chunks where chunks should be, after ${status}`,
          (socket) => socket.end(`HTTP/1.1 ${status} Any\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n`),
          status,
          "",
        ],
      ]),
    ])("%s", async (_, act, status, body) => {
      server.act = act;
      expect(await post(limits)).toMatchObject({ kind: "response", status, body });
      // The next request gets a response, whatever became of its connection.
      server.act = (socket) => socket.write(ok);
      expect(await post(limits)).toMatchObject({ kind: "response", status: 200 });
    });

    test("and an abort does not change it", async () => {
      const abort = new AbortController();
      server.act = (socket) => socket.write(cut(400), () => setTimeout(() => abort.abort(), 30));
      expect(await post({}, abort.signal)).toMatchObject({ kind: "response", status: 400, body: "half" });
      await until("the connection is gone", () => server.sockets[0]!.destroyed);
    });
  });

  describe("no response, to a request that was written: once", () => {
    test.each<[string, Act]>([
      ["a reset", (socket) => socket.resetAndDestroy()],
      ["a close", (socket) => socket.end()],
      ["a close in the head", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le")],
      ["something else than HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9\r\n")],
      ["a head without end", (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`)],
      ["nothing", () => undefined],
    ])("%s", async (_, act) => {
      server.act = act;
      expect(await post({ headersMs: 100 })).toMatchObject({ kind: "no-response", written: true });
      expect(server.requests).toHaveLength(1);
    });

    test("also on a connection that was kept", async () => {
      await post();
      server.act = (socket) => socket.resetAndDestroy();
      expect(await post()).toMatchObject({ kind: "no-response", written: true });
      expect(server.requests).toHaveLength(2);
    });

    test("the limit is for the whole head, however busily it comes", async () => {
      server.act = (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => socket.destroyed || socket.write("x: y\r\n"), 10);
        socket.once("close", () => clearInterval(timer));
      };
      const startMs = performance.now();
      const result = await post({ headersMs: 150 });
      expect(result).toMatchObject({
        kind: "no-response",
        written: true,
        error: { name: "ResponseTimeoutError" },
      });
      expect(result).toMatchObject({ error: { message: "no response within 0.15 s" } });
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(148);
      expect(performance.now() - startMs).toBeLessThan(10_000);
    });
  });

  describe("not written", () => {
    test("headers that cannot be sent", async () => {
      for (const headers of [{ "x-broken": "a\nb" }, { "a b": "c" }]) {
        expect(await post({}, never, headers)).toMatchObject({ kind: "no-response", written: false });
      }
      expect(server.requests).toEqual([]);
    });

    test("waiting for a connection, until there is none in time or an abort; and never later", async () => {
      await transport.close();
      transport = open(1);
      server.act = (socket) => setTimeout(() => socket.write(ok), 300);
      const first = post();
      await until("the connection is in use", () => server.requests.length === 1);
      const abort = new AbortController();
      const others = [post({ startMs: 50 }), post({}, abort.signal)];
      setTimeout(() => abort.abort(), 50);
      expect(await Promise.all(others)).toMatchObject([
        { kind: "no-response", written: false, error: { name: "NoConnectionError" } },
        { kind: "aborted", written: false },
      ]);
      expect(await first).toMatchObject({ kind: "response" });
      server.act = (socket) => socket.write(ok);
      expect(await post()).toMatchObject({ kind: "response" });
      expect(server.requests).toHaveLength(2);
    });

    test("an abort before the beginning, and after the end of the transport", async () => {
      const abort = AbortSignal.abort();
      expect(await post({}, abort)).toEqual({ kind: "aborted", written: false });
      await transport.close();
      await transport.close();
      expect(await post()).toMatchObject({ kind: "no-response", written: false });
      expect(server.requests).toEqual([]);
    });
  });

  test("whether it may be sent is asked when the connection is open, for a new one and a kept one", async () => {
    let asked = 0;
    for (let turn = 0; turn < 2; turn++) {
      const refuse = () => ++asked === 0;
      expect(await post({}, never, {}, refuse)).toEqual({ kind: "aborted", written: false });
      expect(server.requests).toHaveLength(turn);
      expect(await post({}, never, {}, () => true)).toMatchObject({ kind: "response" });
    }
    expect(asked).toBe(2);
    expect(server.sockets).toHaveLength(1);
  });

  test("an abort while the response is waited for", async () => {
    const abort = new AbortController();
    server.act = () => setTimeout(() => abort.abort(), 20);
    expect(await post({}, abort.signal)).toEqual({ kind: "aborted", written: true });
    await until("the connection is gone", () => server.sockets[0]!.destroyed);
  });

  test("closing settles what is open, and what waits", async () => {
    await transport.close();
    transport = open(1);
    server.act = () => undefined;
    const open1 = post();
    await until("the request is there", () => server.requests.length === 1);
    const waiting = post();
    await sleep(20);
    await transport.close();
    expect(await open1).toMatchObject({ kind: "no-response", written: true });
    expect(await waiting).toMatchObject({ kind: "no-response", written: false });
  });

  test("no more connections than allowed, and whoever waits has his turn in the order of coming", async () => {
    server.act = (socket) => setTimeout(() => socket.write(ok), 5);
    const order: number[] = [];
    const posts = Array.from({ length: 12 }, async (_, index) => {
      const result = await post();
      order.push(index);
      return result.kind;
    });
    expect(new Set(await Promise.all(posts))).toEqual(new Set(["response"]));
    expect(server.sockets.length).toBeLessThanOrEqual(2);
    expect(order).toEqual(order.slice().sort((a, b) => a - b));
  });
});
