import { connect } from "node:net";
import { Agent, request } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import {
  type Echo,
  type GatewayBackend,
  type GatewayBackendOptions,
  startGatewayBackend,
} from "../support/gateway/gateway-backend.ts";
import { closeFrame, readFrame, textFrame, writeFrame } from "../support/gateway/web-socket-echo.ts";
import { createAuthority } from "../support/net/certificates.ts";
import { rawHttp, statusesIn } from "../support/net/raw-http.ts";
import { startRawServer } from "../support/net/raw-server.ts";
import { until } from "../support/until.ts";

const releasers = new Releasers();
afterEach(() => releasers.releaseAll());

async function start(options: GatewayBackendOptions = {}): Promise<GatewayBackend> {
  const backend = await startGatewayBackend(options);
  releasers.push(() => backend.close());
  return backend;
}

const head = (target: string, ...fields: string[]): string =>
  [`GET ${target} HTTP/1.1`, "Host: a.example", ...fields, "", ""].join("\r\n");
const closing = (target: string): string => head(target, "Connection: close");
const bodyOf = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4);
const mask = Buffer.from([1, 2, 3, 4]);

describe("the gateway's backend", () => {
  test("returns what it got, to the letter", async () => {
    const backend = await start({ name: "one" });
    const text =
      "POST /a/../b%2f?q=1&q HTTP/1.1\r\nhOST: a.example\r\nX-A: \xe9\r\nx-a: 2\r\nConnection: close\r\n" +
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    const answer = await rawHttp(backend.port, text);
    expect(answer.end).toBe("closed");
    expect(JSON.parse(bodyOf(answer.text))).toEqual({
      method: "POST",
      url: "/a/../b%2f?q=1&q",
      httpVersion: "1.1",
      headers: [
        ["hOST", "a.example"],
        ["X-A", "\xe9"],
        ["x-a", "2"],
        ["Connection", "close"],
        ["Transfer-Encoding", "chunked"],
      ],
      bodyBytes: 3,
      name: "one",
    });
    expect([backend.requests, backend.open, backend.gone]).toEqual([1, 0, []]);
    expect(backend.received[0]).toMatchObject({ method: "POST", url: "/a/../b%2f?q=1&q" });
  });

  test("responds with the status, late, in bulk or with a big head", async () => {
    const { port } = await start();
    const answers = (target: string) => rawHttp(port, closing(target), { limitMs: 20_000 });
    expect(statusesIn((await answers("/status/418")).text)).toEqual([418]);
    expect(bodyOf((await answers("/status/204")).text)).toBe("");
    const startedMs = performance.now();
    expect(statusesIn((await answers("/slow/200?x")).text)).toEqual([200]);
    expect(performance.now() - startedMs).toBeGreaterThan(190);
    expect(bodyOf((await answers("/bytes/200000")).text)).toHaveLength(200_000);
    expect((await answers("/big-head")).text.indexOf("\r\n\r\n")).toBeGreaterThan(65_536);
    expect((await answers("/big-head/9000")).text.indexOf("\r\n\r\n")).toBeLessThan(13_000);
  });

  test("notices clients that go away: in bulk that they do not read, and while they wait", async () => {
    const backend = await start();
    const socket = connect(backend.port, "127.0.0.1", () => socket.write(closing("/bytes/1000000000")));
    socket.on("error", () => undefined);
    socket.pause();
    await until("it arrived", () => backend.open === 1);
    await rawHttp(backend.port, head("/hang"), { limitMs: 50 });
    await rawHttp(backend.port, "POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", {
      limitMs: 50,
    });
    await until("two are gone", () => backend.gone.length === 2);
    expect(backend.gone.toSorted()).toEqual(["/half", "/hang"]);
    expect(backend.open).toBe(1);
    socket.destroy();
    await until("the third is gone", () => backend.gone.includes("/bytes/1000000000"));
    expect(backend.open).toBe(0);
  });

  test("dies in the middle, which is not the client's doing", async () => {
    const backend = await start();
    const { text } = await rawHttp(backend.port, closing("/die"));
    expect(text).toMatch(/content-length: 1000\r\n/i);
    expect(bodyOf(text)).toBe("0123456789");
    await until("it is over", () => backend.open === 0);
    expect(backend.gone).toEqual([]);
  });

  test("sends events one at a time, and notices that nobody listens", async () => {
    const backend = await start();
    const { text, end } = await rawHttp(backend.port, head("/sse"), {
      ...{ limitMs: 20_000, enough: (all: string) => all.includes("data: 2\n") },
    });
    expect([text.includes("data: 0\n\n"), end]).toEqual([true, "open"]);
    await until("it is gone", () => backend.gone.includes("/sse"));
    expect(backend.open).toBe(0);
  });

  test("sends WebSocket frames back", async () => {
    const backend = await start();
    const handshake = head(
      "/chat",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    );
    const long = Buffer.from("ü".repeat(40_000));
    const frames = [
      writeFrame(textFrame, Buffer.from("hello"), mask),
      writeFrame(textFrame, long, mask).subarray(0, 1000),
      writeFrame(textFrame, long, mask).subarray(1000),
      writeFrame(closeFrame, Buffer.alloc(0), mask),
    ];
    const { text, end } = await rawHttp(backend.port, [handshake, ...frames], { limitMs: 20_000 });
    expect(end).toBe("closed");
    // RFC 6455, section 1.3, has this key and its answer.
    expect(text).toContain("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
    let rest: Buffer = Buffer.from(bodyOf(text), "latin1");
    const payloads: Buffer[] = [];
    for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
      payloads.push(frame.payload);
      rest = rest.subarray(frame.bytes);
    }
    expect(payloads).toEqual([Buffer.from("hello"), long, Buffer.alloc(0)]);
    await until("it is over", () => backend.open === 0);
    expect(backend.gone).toEqual([]);
    await rawHttp(backend.port, handshake, { limitMs: 200 });
    await until("it is gone", () => backend.gone.includes("/chat"));
  });

  test("declines other protocols with an ordinary response", async () => {
    const { port } = await start();
    const { text } = await rawHttp(port, head("/x", "Connection: Upgrade", "Upgrade: h2c"));
    expect(statusesIn(text)).toEqual([200]);
    expect((JSON.parse(bodyOf(text)) as Echo).url).toBe("/x");
  });

  test("speaks TLS too, and says which name was asked for", async () => {
    const authority = createAuthority();
    const backend = await start({ tls: authority.issue(["b.example"]) });
    const agent = new Agent({ connect: { ca: authority.cert, servername: "b.example" } });
    releasers.push(() => agent.close());
    const { body } = await request(`${backend.tlsUrl}/x`, { dispatcher: agent });
    expect(await body.json()).toMatchObject({ url: "/x", serverName: "b.example" });
    const { text } = await rawHttp(backend.tlsPort, closing("/y"), { serverName: "c.example" });
    expect(JSON.parse(bodyOf(text))).toMatchObject({ url: "/y", serverName: "c.example" });
    expect([backend.requests, backend.connections]).toEqual([2, 2]);
  });

  test("closes with open requests, twice", async () => {
    const backend = await start();
    const hanging = rawHttp(backend.port, head("/hang"), { limitMs: 20_000 });
    const slow = rawHttp(backend.port, head("/slow/100000"), { limitMs: 20_000 });
    await until("both arrived", () => backend.open === 2);
    await backend.close();
    await backend.close();
    for (const { end, text } of [await hanging, await slow]) {
      expect(end).not.toBe("open");
      expect(text).toBe("");
    }
  });
});

describe("raw requests", () => {
  test("go byte by byte, and the response is all that came", async () => {
    const server = await startRawServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n\xff\x00", "latin1"));
    releasers.push(() => server[Symbol.asyncDispose]());
    const answer = await rawHttp(server.port, ["GET / HT", "TP/1.1\r\nX: \xe9\r\n", "\r\n"], { pauseMs: 5 });
    expect(answer).toEqual({ text: "HTTP/1.1 200 OK\r\n\r\n\xff\x00", end: "closed" });
    expect(server.requests).toEqual(["GET / HTTP/1.1\r\nX: \xe9\r\n\r\n"]);
  });

  test("end by a reset, by the limit, or by what is enough", async () => {
    const server = await startRawServer((socket, index) => {
      if (index === 0) socket.resetAndDestroy();
      else if (index > 1) socket.write("HTTP/1.1 200 OK\r\n\r\nHTTP/1.0 404 Not Found\r\n\r\n");
    });
    releasers.push(() => server[Symbol.asyncDispose]());
    expect(await rawHttp(server.port, head("/"))).toEqual({ text: "", end: "reset" });
    expect(await rawHttp(server.port, head("/"), { limitMs: 50 })).toEqual({ text: "", end: "open" });
    const { text } = await rawHttp(server.port, head("/"), {
      ...{ limitMs: 20_000, enough: (all: string) => all.includes("404") },
    });
    expect(statusesIn(text)).toEqual([200, 404]);
  });
});
