import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Act, type RawServer, startRawServer } from "../../../../test/support/net/raw-server.ts";
import { lookupOf, postTo, told, withReceiver } from "../../../../test/support/receiver/posted-transport.ts";
import { until } from "../../../../test/support/until.ts";
import { ClosedClient } from "../../../base/http/exchange.ts";
import { classify } from "./classify-response.ts";

/** Proxies that do not do as they should. Each request for a tunnel arrives in `proxy.requests`. */
const fixture = withReceiver();
const { open } = fixture;
const password = "hunter2-of-the-proxy";
const granted = "HTTP/1.1 200 Connection established\r\n\r\n";
let proxy: RawServer;

beforeEach(async () => {
  proxy = await startRawServer(() => undefined);
});
afterEach(() => proxy[Symbol.asyncDispose]());

const proxyUrl = () => `http://user:${password}@127.0.0.1:${proxy.port}`;

/** Writes again and again, as fast as the socket takes it or at an interval. */
function pour(
  socket: Socket,
  text: string,
  { first = "", everyMs }: { readonly first?: string; readonly everyMs?: number } = {},
): void {
  socket.write(first);
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.destroyed || socket.write(text), everyMs);
    socket.once("close", () => clearInterval(timer));
    return;
  }
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", write);
  write();
}

const notProxy = "names an HTTP proxy, with http or https as it expects";
const cases: readonly (readonly [string, Act, string, string])[] = [
  [
    "no credentials it knows",
    (socket) => socket.end("HTTP/1.1 407 Any\r\n\r\n"),
    "suspended",
    "with 407; the proxy wants other credentials than delivery.endpoints[].proxyUrl has",
  ],
  [
    "a rule against it",
    (socket) => socket.end("HTTP/1.1 403 Any\r\ncontent-length: 9\r\n\r\nforbidden"),
    "connect",
    "with 403; permit tunnels",
  ],
  [
    "no CONNECT",
    (socket) => socket.end("HTTP/1.1 405 Any\r\n\r\n"),
    "connect",
    "with 405; it may be no proxy",
  ],
  [
    "a redirect",
    (socket) => socket.end("HTTP/1.1 302 Any\r\nlocation: http://x/\r\n\r\n"),
    "connect",
    "with 302; ",
  ],
  [
    "no way to the receiver",
    (socket) => socket.end("HTTP/1.0 502 Any\r\n\r\n"),
    "connect",
    "with 502; the proxy cannot reach the receiver",
  ],
  ["silence", () => undefined, "connect", "no connection within 0.3 s"],
  [
    "fields without end, slowly",
    (socket) => pour(socket, "x: y\r\n", { first: "HTTP/1.1 200 Any\r\n", everyMs: 20 }),
    "connect",
    "no connection within 0.3 s",
  ],
  [
    "megabytes of fields",
    (socket) => pour(socket, `x: ${"y".repeat(9_000)}\r\n`, { first: "HTTP/1.1 200 Any\r\n" }),
    "connect",
    "its head has more than 65536 bytes",
  ],
  [
    "a line without end",
    (socket) => pour(socket, "x".repeat(10_000)),
    "connect",
    "its head has more than 65536 bytes",
  ],
  [
    "interim heads without end",
    (socket) => pour(socket, "HTTP/1.1 103 Any\r\n\r\n".repeat(100)),
    "connect",
    "too many interim heads",
  ],
  ["another protocol", (socket) => socket.write("SSH-2.0-OpenSSH_9\r\n"), "connect", notProxy],
  ["a switch of protocols", (socket) => socket.write("HTTP/1.1 101 Any\r\n\r\n"), "connect", notProxy],
  ["a close", (socket) => socket.end(), "connect", "the proxy closed the connection; check that delivery"],
  [
    "a close in its head",
    (socket) => socket.end("HTTP/1.1 200 Any\r\nx"),
    "connect",
    "the proxy closed the connection",
  ],
  ["a reset", (socket) => socket.resetAndDestroy(), "connect", "ECONNRESET; check that"],
  [
    "bytes after its head",
    (socket) => socket.write(`${granted}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
    "connect",
    "unsolicited bytes follow its head",
  ],
  [
    "one byte after its head",
    (socket) => socket.write(`${granted}x`),
    "connect",
    "unsolicited bytes follow its head",
  ],
];

describe.each(["http", "https"])("on the way to an %s receiver", (scheme) => {
  const origin = () => `${scheme}://127.0.0.1:${fixture.server.port}`;

  test.each(cases)("%s", async (_, act, kind, message) => {
    proxy.act = act;
    const transport = open({ proxyUrl: proxyUrl(), connectMs: 300 });
    const result = await postTo(transport, origin());
    expect(result).toMatchObject({ kind: "no-response", written: false });
    const text = told(result);
    expect(text).toContain(`${kind}: `);
    expect(text).toContain(`the proxy 127.0.0.1:${proxy.port}`);
    expect(text).toContain(message);
    expect(text).not.toContain(password);
    expect(text).not.toContain(Buffer.from(`user:${password}`).toString("base64"));
    expect(proxy.requests).toHaveLength(1);
    expect(fixture.server.sockets).toEqual([]);
    await until("the pool is empty", () => transport.origins().length === 0);
  });

  test("one that is not there", async () => {
    const result = await postTo(open({ proxyUrl: `http://user:${password}@127.0.0.1:1` }), origin());
    expect(told(result)).toBe(
      "connect: no connection to the proxy 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; " +
        "check delivery.endpoints[].proxyUrl, and that the proxy runs",
    );
  });

  test("an https proxy that does not speak TLS", async () => {
    proxy.act = (socket) => socket.write("HTTP/1.1 400 Any\r\n\r\n");
    const transport = open({ proxyUrl: `https://127.0.0.1:${proxy.port}`, connectMs: 300 });
    expect(told(await postTo(transport, origin()))).toMatch(
      /^(tls|connect): no connection to the proxy 127\.0\.0\.1:\d+: .*; check delivery/,
    );
  });

  test("an abort, or the end of the transport, while the proxy is asked", async () => {
    const transport = open({ proxyUrl: proxyUrl() });
    const abort = new AbortController();
    const aborted = postTo(transport, origin(), {}, abort.signal);
    await until("it is asked", () => proxy.requests.length === 1);
    abort.abort();
    expect(await aborted).toEqual({ kind: "aborted", written: false });
    await until("the connection is gone", () => proxy.sockets[0]!.destroyed);
    const closed = postTo(transport, origin());
    await until("it is asked again", () => proxy.requests.length === 2);
    await transport.close();
    expect(await closed).toMatchObject({
      kind: "no-response",
      written: false,
      error: expect.any(ClosedClient),
    });
  });
});

describe("once the tunnel is there", () => {
  const secure = () => `https://127.0.0.1:${fixture.server.port}`;

  test.each<[string, Act, RegExp]>([
    [
      "a close",
      (socket) => socket.write(granted, () => setTimeout(() => socket.end(), 20)),
      /^connect: no TLS connection through the proxy .*disconnected/,
    ],
    [
      "a reset",
      (socket) => socket.write(granted, () => setTimeout(() => socket.resetAndDestroy(), 20)),
      /^connect: no TLS connection through the proxy .*ECONNRESET/,
    ],
    [
      "silence",
      (socket) => socket.write(granted),
      /^connect: no TLS connection through the proxy .*within 0\.3 s/,
    ],
    [
      "bytes in a piece of their own",
      (socket) => socket.write(granted, () => setTimeout(() => socket.write("HTTP/1.1 200 OK\r\n\r\n"), 20)),
      /^tls: no TLS connection through the proxy .*the server does not speak TLS at this address/,
    ],
  ])("%s instead of TLS", async (_, act, message) => {
    // What TLS sends is no second request.
    proxy.act = (socket, index) => index === 0 && act(socket, index);
    const transport = open({ proxyUrl: proxyUrl(), connectMs: 300 });
    const result = await postTo(transport, secure());
    expect(result).toMatchObject({ kind: "no-response", written: false });
    expect(told(result)).toMatch(message);
    await until("the pool is empty", () => transport.origins().length === 0);
    await until("the connection is gone", () => proxy.sockets[0]!.destroyed);
  });
});

test("a tenant does not learn of the operator's proxy", async () => {
  for (const status of [407, 403]) {
    proxy.act = (socket) => socket.end(`HTTP/1.1 ${status} Any\r\n\r\n`);
    const result = await postTo(open({ proxyUrl: proxyUrl() }), "http://receiver.test");
    const context = { endpoint: "http://receiver.test/", authenticated: false, nowMs: 0 };
    const verdict = classify(result, { ...context, scope: "tenant" });
    expect(verdict).toMatchObject({ detail: expect.stringContaining(`127.0.0.1:${proxy.port}`) });
    expect("message" in verdict && verdict.message).toMatch(
      /^(407: the proxy does not accept the operator's credentials|no connection to the endpoint .*)$/,
    );
  }
});

describe("a request for a tunnel", () => {
  test.each([
    ["user:pass@", "user:pass"],
    ["us%65r:p%40%3Ass@", "user:p@:ss"],
    ["user:100%@", "user:100%"],
    ["token@", "token:"],
    [":pass@", ":pass"],
    ["", undefined],
  ])("has the credentials of the proxy's URL: %s", async (userinfo, credentials) => {
    proxy.act = (socket) => socket.end();
    await postTo(open({ proxyUrl: `http://${userinfo}127.0.0.1:${proxy.port}` }), "http://receiver.test");
    const basic = credentials && Buffer.from(credentials).toString("base64");
    expect(proxy.requests).toEqual([
      "CONNECT receiver.test:80 HTTP/1.1\r\nhost: receiver.test:80\r\n" +
        `${basic === undefined ? "" : `proxy-authorization: Basic ${basic}\r\n`}\r\n`,
    ]);
  });

  test.each([
    ["http://receiver.test", "receiver.test:80"],
    ["https://receiver.test", "receiver.test:443"],
    ["https://receiver.test:8443", "receiver.test:8443"],
    ["http://[::1]", "[::1]:80"],
    ["http://169.254.169.254", "169.254.169.254:80"],
  ])("for %s leaves name and address to the proxy", async (origin, authority) => {
    proxy.act = (socket) => socket.end();
    const { lookup, asked } = lookupOf("127.0.0.1");
    await postTo(open({ proxyUrl: proxyUrl(), scope: "tenant", lookup }), origin);
    expect(proxy.requests[0]).toContain(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n`);
    expect(asked).toEqual([]);
  });

  test("is not made with credentials that the receiver would see", async () => {
    const target = {
      origin: "http://receiver.test",
      path: "/",
      headers: { "Proxy-Authorization": "Basic x" },
    };
    const request = { target, body: Buffer.from("x"), tenant: "project" };
    const limits = { startMs: 1_000, headersMs: 1_000, bodyMs: 1_000, bodyBytes: 1, keptBytes: 1 };
    const result = await open({ proxyUrl: proxyUrl() }).post(request, limits, new AbortController().signal);
    expect(told(result)).toContain("proxy-authorization");
    expect(proxy.sockets).toEqual([]);
  });
});
