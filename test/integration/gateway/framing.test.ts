import { createServer, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import type { BackendTarget } from "../../../src/platform/routing/route-program.ts";
import {
  type GatewayBackend,
  type ReceivedRequest,
  startGatewayBackend,
} from "../../support/gateway/gateway-backend.ts";
import { valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";

let gateway: RunningGateway;
let backend: GatewayBackend;
let untouched: Server;
/** Connections to the backend that nothing may be forwarded to. */
let touches = 0;
let echoHost: string;
let untouchedHost: string;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  untouched = await keep(
    createServer((socket) => {
      touches++;
      socket.destroy();
    }),
  );
  await new Promise<void>((resolve) => untouched.listen(0, "127.0.0.1", resolve));
  gateway = await keep(startGateway());
  const target = (port: number): BackendTarget => ({ scheme: "http", host: "127.0.0.1", port });
  const echo = programOf([{ backend: target(backend.port) }]);
  const other = programOf([{ backend: target((untouched.address() as { port: number }).port) }]);
  [echoHost, untouchedHost] = [hostOf(echo.gateway), hostOf(other.gateway)];
  await gateway.load(echo, other);
});

/** A head of these lines. */
const head = (...lines: string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
/** `HOST` stands for the hostname of a program. */
const get = (path: string, ...more: string[]): string => head(`GET ${path} HTTP/1.1`, "Host: HOST", ...more);
const post = (headers: readonly string[], body = ""): string =>
  head("POST /a HTTP/1.1", "Host: HOST", ...headers) + body;
const chunked = (body: string): string => post(["Transfer-Encoding: chunked"], body);
const many = (count: number, bytes = 1): string[] =>
  Array.from({ length: count }, (_, index) => `X-${index}: ${"a".repeat(bytes)}`);

/** Answers with a Content-Length that have arrived as a whole. */
function completeAnswers(text: string): number {
  let count = 0;
  for (let rest = text; ; count++) {
    const found = /^.*?\r\n\r\n/s.exec(rest)?.[0];
    if (found === undefined) return count;
    const length = Number(/^content-length: *(\d+)/im.exec(found)?.[1] ?? 0);
    if (rest.length < found.length + length) return count;
    rest = rest.slice(found.length + length);
  }
}

interface Forwarded {
  readonly statuses: readonly number[];
  readonly received: readonly ReceivedRequest[];
  readonly text: string;
}

/** Sends bytes to the program that echoes, and tells what its backend got. */
async function forward(bytes: string, limitMs = 5_000, answers = 1): Promise<Forwarded> {
  const before = backend.requests;
  const { text } = await rawHttp(gateway.port, bytes.replaceAll("HOST", echoHost), {
    limitMs,
    enough: (so) => completeAnswers(so) >= answers,
  });
  const count = backend.requests - before;
  return { text, statuses: statusesIn(text), received: count === 0 ? [] : backend.received.slice(-count) };
}

describe("refused, and nothing of it is forwarded", () => {
  const cases: readonly (readonly [name: string, status: number, bytes: string])[] = [
    ["two lengths that differ", 400, post(["Content-Length: 3", "Content-Length: 4"], "abcd")],
    ["a list of lengths that differ", 400, post(["Content-Length: 3, 4"], "abcd")],
    ["a length with a plus", 400, post(["Content-Length: +3"], "abc")],
    ["a negative length", 400, post(["Content-Length: -3"], "abc")],
    ["a hexadecimal length", 400, post(["Content-Length: 0x3"], "abc")],
    ["an empty length", 400, post(["Content-Length:"], "abc")],
    ["a length of 2^64 + 1", 400, post(["Content-Length: 18446744073709551617"], "abc")],
    ["a length with a zero before it", 400, post(["Content-Length: 03"], "abc")],
    ["a length beyond 64 bits", 400, post(["Content-Length: 99999999999999999999999"], "abc")],
    ["a space before the colon of Content-Length", 400, post(["Content-Length : 3"], "abc")],
    ["gzip, chunked", 422, post(["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n")],
    ["chunked, gzip", 400, post(["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n")],
    ["chunked twice in a list", 400, post(["Transfer-Encoding: chunked, chunked"], "0\r\n\r\n")],
    [
      "chunked in two headers",
      400,
      post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    ],
    [
      "chunked and then identity",
      400,
      post(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n"),
    ],
    ["identity with a length", 400, post(["Transfer-Encoding: identity", "Content-Length: 3"], "abc")],
    ["xchunked with a length", 400, post(["Transfer-Encoding: xchunked", "Content-Length: 3"], "abc")],
    [
      "a vertical tab before chunked",
      400,
      post(["Transfer-Encoding: \x0bchunked", "Content-Length: 3"], "abc"),
    ],
    ["chunked in quotes", 400, post(['Transfer-Encoding: "chunked"', "Content-Length: 3"], "abc")],
    [
      "a space before the colon of Transfer-Encoding",
      400,
      post(["Transfer-Encoding : chunked"], "0\r\n\r\n"),
    ],
    [
      "Transfer-Encoding with HTTP/1.0",
      400,
      `${head("POST /a HTTP/1.0", "Host: HOST", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    ],
    [
      "Transfer-Encoding and a length with HTTP/1.0",
      400,
      `${head("POST /a HTTP/1.0", "Host: HOST", "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    ],
    ["a carriage return inside a value", 400, get("/a", "X-A: 1\rX-B: 2")],
    ["a fold before the first header", 400, head("GET /a HTTP/1.1", " X-A: 1", "Host: HOST")],
    ["two Hosts", 400, get("/a", "Host: other.example")],
    ["absolute form", 400, head("GET http://HOST/a HTTP/1.1", "Host: HOST")],
    ["absolute form of another host", 400, head("GET http://other.example/a HTTP/1.1", "Host: HOST")],
    ["absolute form of an odd scheme", 400, head("GET ftp+x://HOST/a HTTP/1.1", "Host: HOST")],
    ["absolute form that claims HTTP/2.0", 505, head("GET http://HOST/a HTTP/2.0", "Host: HOST")],
    ["authority form", 400, head("GET HOST:80 HTTP/1.1", "Host: HOST")],
    ["asterisk form", 400, head("OPTIONS * HTTP/1.1", "Host: HOST")],
    ["HTTP/0.9 without a version", 400, "GET /a\r\n\r\n"],
    ["HTTP/0.9 by name", 505, head("GET /a HTTP/0.9", "Host: HOST")],
    ["HTTP/1.2", 505, head("GET /a HTTP/1.2", "Host: HOST")],
    ["HTTP/2.0 in the form of HTTP/1", 505, head("GET /a HTTP/2.0", "Host: HOST")],
    ["http in small letters", 400, head("GET /a http/1.1", "Host: HOST")],
    ["a space in the target", 400, get("/a b")],
    ["a tab in the target", 400, get("/a\tb")],
    ["CONNECT", 405, head("CONNECT HOST:80 HTTP/1.1", "Host: HOST:80")],
    ["CONNECT to a path", 400, head("CONNECT /a HTTP/1.1", "Host: HOST")],
    ["TRACE", 405, head("TRACE /a HTTP/1.1", "Host: HOST")],
    ["a method that is no token", 400, head("M@X /a HTTP/1.1", "Host: HOST")],
    ["NUL in the path", 400, get("/a\0b")],
    ["NUL in a value", 400, get("/a", "X-A: a\0b")],
    ["NUL in a name", 400, get("/a", "X\0A: b")],
    ["another control character in a value", 400, get("/a", "X-A: a\x01b")],
    ["DEL in a value", 400, get("/a", "X-A: a\x7fb")],
    ["a byte above 127 in the path", 400, get("/a\xe4b")],
    ["a backslash in the path", 400, get("/a\\b")],
    ["a backslash in the query", 400, get("/a?b\\c")],
    ["# in the path", 400, get("/a#b")],
    ["# in the query", 400, get("/a?b#c")],
    ["a space in a name", 400, get("/a", "X A: 1")],
    ["no name", 400, get("/a", ": 1")],
    ["no colon", 400, get("/a", "Foo")],
    ["no Host in HTTP/1.1", 404, head("GET /a HTTP/1.1")],
    ["no Host in HTTP/1.0", 404, head("GET /a HTTP/1.0")],
    ["an empty Host", 404, head("GET /a HTTP/1.1", "Host:")],
    ["a Host with a path", 404, head("GET /a HTTP/1.1", "Host: HOST/evil")],
    ["a Host with a user", 404, head("GET /a HTTP/1.1", "Host: user@HOST")],
    ["a Host with words for a port", 404, head("GET /a HTTP/1.1", "Host: HOST:abc")],
    ["a Host with two ports", 404, head("GET /a HTTP/1.1", "Host: HOST:80:90")],
    ["a Host that is a list", 404, head("GET /a HTTP/1.1", "Host: HOST, other.example")],
    ["a Host that is a list with the name last", 404, head("GET /a HTTP/1.1", "Host: other.example, HOST")],
    ["a Host that is a list with an empty element", 404, head("GET /a HTTP/1.1", "Host: ,HOST")],
    ["a Host that is a list with quotes", 404, head("GET /a HTTP/1.1", 'Host: "other.example", HOST')],
    ["a Host that is a list of paths", 404, head("GET /a HTTP/1.1", "Host: other.example/..,HOST")],
    ["a Host of two words", 404, head("GET /a HTTP/1.1", "Host: HOST other.example")],
    ["a Host with two dots at its end", 404, head("GET /a HTTP/1.1", "Host: HOST..")],
    ["a path above the root", 400, get("/../b")],
    ["a path above the root in the middle", 400, get("/a/../../b")],
    ["a path above the root, escaped", 400, get("/%2e%2E/b")],
    ["a path that ends above the root", 400, get("/a/b/../../..")],
    ["a path of two dots", 400, get("/..")],
    ["an escape that is none", 400, get("/a%zz")],
    ["half an escape", 400, get("/a%2")],
    ["a percent sign at the end", 400, get("/a%")],
    ["a path above 8 KiB", 414, get(`/${"a".repeat(8192)}`)],
    ["a head above 16 KiB", 431, get("/a", ...many(5, 3_500))],
    ["a head far above 16 KiB", 400, get("/a", ...many(20, 4_000))],
    ["101 headers", 400, get("/a", ...many(100))],
    ["a WebSocket without its key", 400, get("/a", "Connection: Upgrade", "Upgrade: websocket, h2c")],
  ];

  test.each(cases)("%s: %i", async (_, status, bytes) => {
    const before = touches;
    const { text } = await rawHttp(gateway.port, bytes.replaceAll("HOST", untouchedHost), {
      enough: (so) => completeAnswers(so) >= 1,
    });
    expect(statusesIn(text)).toEqual([status]);
    expect(touches).toBe(before);
  });

  test.each([
    ["a size that is no number", "zz\r\nabc\r\n0\r\n\r\n"],
    ["a negative size", "-3\r\nabc\r\n0\r\n\r\n"],
    ["a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"],
    ["a size beyond 64 bits", "10000000000000003\r\nabc\r\n0\r\n\r\n"],
    ["a chunk longer than its size", "3\r\nabcXX0\r\n\r\n"],
    ["a trailer with a length", "3\r\nabc\r\n0\r\nContent-Length: 5\r\n\r\n"],
  ])("chunks with %s are refused", async (_, body) => {
    const { statuses } = await forward(chunked(body));
    expect(statuses).toEqual([400]);
  });
});

describe("forwarded in one form, whatever was sent", () => {
  const smuggled = get("/smuggled");

  test.each([
    ["a long length", ["Content-Length: 100", "Transfer-Encoding: chunked"], "0\r\n\r\n", 0],
    ["a short length", ["Content-Length: 5", "Transfer-Encoding: chunked"], "3\r\nabc\r\n0\r\n\r\n", 3],
    ["chunked first", ["Transfer-Encoding: chunked", "Content-Length: 4"], "0\r\n\r\n", 0],
  ])("both framings with %s: chunked counts, and the connection ends", async (_, headers, body, bytes) => {
    const { statuses, received, text } = await forward(post(headers, body + smuggled), 400, 2);
    expect(statuses).toEqual([200]);
    expect(received.map(({ url }) => url)).toEqual(["/a"]);
    expect(received.flatMap((each) => valuesOf(each, "content-length"))).toEqual([]);
    expect(text).toContain(`"bodyBytes":${bytes}`);
  });

  test.each([
    ["two equal lengths", post(["Content-Length: 3", "Content-Length: 3"], "abc"), "content-length", "3"],
    ["a list of equal lengths", post(["Content-Length: 3, 3"], "abc"), "content-length", "3"],
    [
      "CHUNKED",
      post(["Transfer-Encoding: CHUNKED"], "3\r\nabc\r\n0\r\n\r\n"),
      "transfer-encoding",
      "CHUNKED",
    ],
    [
      "a tab before chunked",
      post(["Transfer-Encoding:\tchunked"], "3\r\nabc\r\n0\r\n\r\n"),
      "transfer-encoding",
      "chunked",
    ],
    [
      "a folded chunked",
      post(["Transfer-Encoding:\r\n chunked"], "3\r\nabc\r\n0\r\n\r\n"),
      "transfer-encoding",
      "chunked",
    ],
    ["an extension of a chunk", chunked("3;a=b\r\nabc\r\n0\r\n\r\n"), "transfer-encoding", "chunked"],
    ["chunks with bare line feeds", chunked("3\nabc\n0\n\n"), "transfer-encoding", "chunked"],
    ["a trailer", chunked("3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n"), "transfer-encoding", "chunked"],
    ["a body of GET", `${get("/a", "Content-Length: 3")}abc`, "content-length", "3"],
  ])("%s", async (_, bytes, header, value) => {
    const { statuses, received, text } = await forward(bytes);
    expect(statuses).toEqual([200]);
    expect(text).toContain('"bodyBytes":3');
    expect(received).toHaveLength(1);
    expect(received.flatMap((each) => valuesOf(each, header))).toEqual([value]);
  });

  test.each([
    ["after an ordinary request", get("/a") + smuggled],
    ["after a body", post(["Content-Length: 3"], "abc") + smuggled],
    ["after chunks", chunked("3\r\nabc\r\n0\r\n\r\n") + smuggled],
  ])("a second request %s is one of its own", async (_, bytes) => {
    const { statuses, received } = await forward(bytes, 5_000, 2);
    expect(statuses).toEqual([200, 200]);
    expect(received.map(({ url }) => url)).toEqual(["/a", "/smuggled"]);
    expect(received.map((each) => valuesOf(each, "via").length)).toEqual([1, 1]);
  });

  test("a line feed in the extension of a chunk makes no second request", async () => {
    const bytes = chunked(`3;\nabc\r\n${(smuggled.length + 50).toString(16)}\r\n${smuggled}`);
    const { received } = await forward(bytes, 400);
    expect(received.map(({ url }) => url)).toEqual(["/a"]);
  });

  test.each([
    ["bare line feeds", "GET /a HTTP/1.1\nHost: HOST\nX-A: 1\n\n", "1"],
    ["one bare line feed", "GET /a HTTP/1.1\r\nHost: HOST\r\nX-A: 1\n\r\n", "1"],
    ["a folded value", "GET /a HTTP/1.1\r\nHost: HOST\r\nX-A: 1\r\n  2\r\n\t3\r\n\r\n", "1    2  \t3"],
    ["white space around a value", "GET /a HTTP/1.1\r\nHost: HOST\r\nX-A: \t 1 \t\r\n\r\n", "1"],
  ])("%s", async (_, bytes, value) => {
    const { statuses, received } = await forward(bytes);
    expect(statuses).toEqual([200]);
    expect(received.map((each) => valuesOf(each, "x-a"))).toEqual([[value]]);
  });

  test("two equal Hosts are one", async () => {
    const { received } = await forward(get("/a", "Host: HOST"));
    expect(received.map((each) => valuesOf(each, "host"))).toEqual([[echoHost]]);
  });

  test("two spaces before the target are one", async () => {
    const { received } = await forward(head("GET  /a HTTP/1.1", "Host: HOST"));
    expect(received.map(({ url }) => url)).toEqual(["/a"]);
  });

  test("Expect: 100-continue gets its response before the body, and the request forwarded once", async () => {
    const bytes = post(["Expect: 100-continue", "Content-Length: 3"], "abc");
    const { statuses, received } = await forward(bytes, 5_000, 2);
    expect([statuses, received.length]).toEqual([[100, 200], 1]);
  });

  test("99 headers, a path of 8 KiB and a head of less than 16 KiB are forwarded", async () => {
    for (const bytes of [get("/a", ...many(99)), get(`/${"a".repeat(8191)}`), get("/a", ...many(4, 3_700))]) {
      expect((await forward(bytes)).statuses).toEqual([200]);
    }
  });
});

describe("what is for one connection only", () => {
  test.each([
    ["Connection", get("/a", "Connection: close")],
    ["what Connection names", get("/a", "Connection: X-Forwarded-For, X-A, close", "X-A: 1")],
    ["what several name", get("/a", "Connection: keep-alive", "x-a: 1", "Connection: x-B,X-A", "X-B: 2")],
    ["one name alone", get("/a", "Connection: X-A", "X-A: 1", "X-A: 2")],
    ["TE", get("/a", "Connection: TE", "TE: trailers")],
    [
      "the announcement of a trailer",
      post(["Transfer-Encoding: chunked", "Trailer: X-A"], "3\r\nabc\r\n0\r\nX-A: 1\r\n\r\n"),
    ],
    [
      "Connection that names Content-Length",
      `${get("/a", "Connection: Content-Length", "Content-Length: 3")}abc`,
    ],
    ["Keep-Alive", get("/a", "Keep-Alive: timeout=5")],
    ["Proxy-Connection", get("/a", "Proxy-Connection: keep-alive")],
    [
      "Upgrade to h2c",
      get("/a", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
    ],
    ["Upgrade to TLS", get("/a", "Connection: Upgrade", "Upgrade: TLS/1.0")],
    ["Upgrade to websocket without Connection", get("/a", "Upgrade: websocket")],
  ])("%s is not forwarded", async (_, bytes) => {
    const { statuses, received } = await forward(bytes);
    expect(statuses).toEqual([200]);
    const hopByHop = ["connection", "upgrade", "http2-settings", "keep-alive", "proxy-connection"];
    hopByHop.push("te", "trailer", "x-a", "x-b");
    for (const each of received) {
      expect(hopByHop.flatMap((name) => valuesOf(each, name))).toEqual([]);
      expect(valuesOf(each, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    }
  });

  test("an upgrade to WebSocket is forwarded without the others that are offered with it", async () => {
    const key = ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"];
    const offers = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "Upgrade: websocket"];
    const { statuses, received } = await forward(get("/a", ...offers, ...key));
    expect(statuses).toEqual([101]);
    expect(received.map((each) => valuesOf(each, "upgrade"))).toEqual([["websocket"]]);
    expect(received.map((each) => valuesOf(each, "connection"))).toEqual([["Upgrade"]]);
  });
});

describe("paths are forwarded in one form", () => {
  test.each([
    ["/a/../b", "/b"],
    ["/a/%2e%2e/b", "/b"],
    ["/a/.%2E/b", "/b"],
    ["/a/./b", "/a/b"],
    ["/a/%2e/b", "/a/b"],
    ["/a/..", "/"],
    ["/a/.", "/a/"],
    ["/a//../b", "/a/b"],
    ["/%61%7e%2D", "/a~-"],
    ["/a%2fb", "/a%2Fb"],
    ["/a%2Fb", "/a%2Fb"],
    ["/a/..%2fb", "/a/..%2Fb"],
    ["/a/%5c..%5cb", "/a/%5C..%5Cb"],
    ["//a//b", "//a//b"],
    ["/..a/b...", "/..a/b..."],
    ["/%252e%252e/", "/%252e%252e/"],
    ["/%e4%f6%00%0a", "/%E4%F6%00%0A"],
    ["/a;b/..;/c", "/a;b/..;/c"],
    ["/a/../b?c=/../d", "/b?c=/../d"],
    ["/a?b=%2e%2f%61", "/a?b=%2e%2f%61"],
    ["/a?b=50%&c=%zz", "/a?b=50%&c=%zz"],
    ["/a?b?c", "/a?b?c"],
    ["/?", "/?"],
  ])("%s as %s", async (path, forwarded) => {
    const { statuses, received } = await forward(get(path));
    expect(statuses).toEqual([200]);
    expect(received.map(({ url }) => url)).toEqual([forwarded]);
  });
});
