import "../support/leak-check.ts";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bodyIn, type RawConnection, rawTcp, rawTls } from "../support/net/raw-tls.ts";
import { organizationBase, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Misuse of connections, bodies and responses by clients, before and beside their requests. */

const limits = {
  connections: 60,
  connectionsPerAddress: 40,
  handshakeMs: 500,
  headMs: 1_000,
  maxBodyBytes: 100_000,
  bodySilenceMs: 400,
  bodyMs: 1_500,
  heldBodyBytesPerToken: 250_000,
  concurrentRequestsPerToken: 8,
  watchesPerToken: 12,
  unreadMs: 2_000,
  requestsPerSecondPerToken: 100_000,
};

let platform: TestPlatform;
let bearer: string;
const opened: RawConnection[] = [];
const base = organizationBase("acme");
const configMaps = `${base}/api/v1/namespaces/default/configmaps`;

beforeAll(async () => {
  platform = await startTestPlatform({ limits, unsent: { stallMs: 2_000 } });
  bearer = await platform.exchange(platform.token);
});
afterEach(async () => {
  for (const { socket } of opened) socket.destroy();
  await Promise.all(opened.splice(0).map(({ closed }) => closed));
});
afterAll(() => platform.stop());

function tls(text = ""): RawConnection {
  const connection = rawTls(platform.url);
  opened.push(connection);
  if (text !== "") connection.socket.write(text);
  return connection;
}

/** A request's head; the test sends the body, if any. */
function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: "platform", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

const json = { "Content-Type": "application/json" };
const member = () => ({ ...json, Authorization: `Bearer ${bearer}` });

/** Sends one byte at a time until the connection is closed. */
function drip(connection: RawConnection, everyMs: number): () => void {
  const timer = setInterval(() => connection.socket.write(" "), everyMs);
  return () => clearInterval(timer);
}

async function expectStatus(connection: RawConnection, code: number, reason: string): Promise<void> {
  await until(`${code} has come`, () => connection.text().includes("}"));
  expect(connection.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  expect(connection.text()).toMatch(/^content-type: application\/json\r$/im);
  expect(bodyIn(connection.text())).toMatchObject({ kind: "Status", status: "Failure", code, reason });
}

describe("the body of a request", () => {
  test.each([
    ["without a token", {}],
    ["with a wrong token", { Authorization: "Bearer nonsense" }],
  ])("%s is not waited for: 403 at once, and the connection ends", async (_name, authorization) => {
    const connection = tls(
      head("POST", configMaps, { ...json, ...authorization, "Content-Length": "90000" }),
    );
    await expectStatus(connection, 403, "Forbidden");
    expect(connection.text()).toMatch(/^connection: close\r$/im);
    const stop = drip(connection, 50);
    await connection.closed;
    stop();
  });

  test("sent in full without a token: the response arrives all the same", async () => {
    const { code, json } = await platform.fetch(configMaps, { method: "POST", body: "x".repeat(95_000) });
    expect([code, json.reason]).toEqual([403, "Forbidden"]);
  });

  test("too large by its own word: 413 before it is sent", async () => {
    const connection = tls(head("POST", configMaps, { ...member(), "Content-Length": "100001" }));
    await expectStatus(connection, 413, "RequestEntityTooLarge");
    await connection.closed;
  });

  test("too large in chunks: 413 as soon as it is", async () => {
    const connection = tls(head("POST", configMaps, { ...member(), "Transfer-Encoding": "chunked" }));
    const chunk = "x".repeat(0x4000);
    for (let count = 0; count < 8; count++) connection.socket.write(`4000\r\n${chunk}\r\n`);
    await expectStatus(connection, 413, "RequestEntityTooLarge");
    await connection.closed;
  });

  test("that stops half-way: 408", async () => {
    const connection = tls(`${head("POST", configMaps, { ...member(), "Content-Length": "1000" })}{`);
    await expectStatus(connection, 408, "Timeout");
    await connection.closed;
  });

  test("that drips: 408 when its time is over, however lively it is", async () => {
    const connection = tls(head("POST", configMaps, { ...member(), "Content-Length": "1000" }));
    const stop = drip(connection, 50);
    await expectStatus(connection, 408, "Timeout");
    stop();
    await connection.closed;
  });

  test("Expect: 100-continue gets 100 with a token, and not without", async () => {
    const expecting = { Expect: "100-continue", "Content-Length": "32" };
    const allowed = tls(head("POST", configMaps, { ...member(), ...expecting }));
    await until("it may go on", () => allowed.text() === "HTTP/1.1 100 Continue\r\n\r\n");
    allowed.socket.write('{"metadata":{"name":"expected"}}');
    await until("it is created", () => allowed.text().includes("HTTP/1.1 201 "));
    const stranger = tls(head("POST", configMaps, { ...json, ...expecting }));
    await expectStatus(stranger, 403, "Forbidden");
  });

  test("one token holds so many bytes of bodies and no more; what it may not hold is 429", async () => {
    const large = "x".repeat(90_000);
    const started = Array.from({ length: 4 }, () => {
      const connection = tls(head("POST", configMaps, { ...member(), "Content-Length": "90001" }));
      connection.socket.write(large);
      return connection;
    });
    await until("one is too many", () => started.some(({ text }) => text().includes("TooManyRequests")));
    const refused = started.find(({ text }) => text().includes("TooManyRequests"));
    expect(refused?.text()).toMatch(/^retry-after: 1\r$/im);
    // The reserved memory is released.
    for (const { socket } of started) socket.destroy();
    await until("bodies are taken again", async () => {
      const body = { metadata: { name: "after" }, data: { text: "x".repeat(80_000) } };
      const { code } = await platform.fetch(configMaps, { method: "POST", bearer, body });
      return code === 201 || code === 409;
    });
  });
});

describe("what never becomes a request", () => {
  test("a TLS handshake that stalls is ended", async () => {
    const silent = rawTcp(platform.url);
    opened.push(silent);
    await silent.closed;
  });

  test("a head that does not come: 408", async () => {
    const connection = tls("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    const stop = drip(connection, 100);
    await expectStatus(connection, 408, "Timeout");
    stop();
    await connection.closed;
  });

  test("nothing but a handshake: ended, too", async () => {
    await tls().closed;
  });

  test.each([
    ["a head too large", head("GET", "/version", { "X-Large": "x".repeat(70_000) }), 431],
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n\r\n", 400],
    ["two hosts", "GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    ["no host", "GET /version HTTP/1.1\r\n\r\n", 400],
    [
      "a length and chunks",
      head("POST", "/version", { "Content-Length": "3", "Transfer-Encoding": "chunked" }),
      400,
    ],
  ])("%s", async (_name, text, code) => {
    const connection = tls(text);
    await until("it gets a response", () => connection.text().includes("}"));
    expect(connection.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
    expect(bodyIn(connection.text())).toMatchObject({ kind: "Status", code });
    await connection.closed;
  });

  test("garbage behind an open watch ends it, and gets no response in it", async () => {
    const connection = tls(head("GET", `${configMaps}?watch=1`, member()));
    await until("the watch is open", () => connection.text().includes("\r\n\r\n"));
    connection.socket.write("garbage\r\n\r\n");
    await connection.closed;
    expect(connection.text().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

test("connections of one address are bounded, and come back when they are closed", async () => {
  const many = Array.from({ length: 60 }, () => tls());
  await until("the rest is closed", () => many.filter(({ isClosed }) => isClosed()).length >= 20);
  for (const { socket } of many) socket.destroy();
  await until("there is room", async () => {
    return await platform.fetch("/healthz").then(
      ({ code }) => code === 200,
      () => false,
    );
  });
});

test("one token has so many requests at once and no more", async () => {
  // Incomplete bodies, so that all requests are in progress.
  const held = Array.from({ length: 12 }, () => {
    return tls(head("POST", configMaps, { ...member(), "Content-Length": "10" }));
  });
  await until("one is too many", () => held.some(({ text }) => text().includes("TooManyRequests")));
  const refused = held.filter(({ text }) => text().includes("TooManyRequests"));
  expect(refused.length).toBeLessThanOrEqual(4);
  expect(refused[0]?.text()).toMatch(/^retry-after: 1\r$/im);
  const other = await platform.newToken("alice@example.com");
  const second = await platform.exchange(other.text);
  expect((await platform.fetch(configMaps, { bearer: second })).code).toBe(200);
});

test("who reads nothing of a response loses the connection", async () => {
  // More than the kernel buffers for a connection.
  const count = 120;
  const data = { text: "x".repeat(90_000) };
  for (let index = 0; index < count; index++) {
    const body = { metadata: { name: `large-${index}` }, data };
    expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
  }
  const { text } = await platform.newToken("alice@example.com");
  const second = await platform.exchange(text);
  const headers = { Authorization: `Bearer ${second}` };
  /** Whether one more request is rejected; it is closed as soon as that is known. @throws without a response */
  const isFull = async (query: string): Promise<boolean> => {
    const one = tls(head("GET", `${configMaps}${query}`, headers));
    // On a busy machine the connection may end before its handshake does.
    await until("the status is there", () => one.text().includes("\r\n") || one.isClosed(), 20_000);
    one.socket.destroy();
    if (one.text() === "") throw new Error("the connection was closed without a response");
    return one.text().startsWith("HTTP/1.1 429");
  };
  for (const [query, probe] of [
    ["", "/large-0"],
    ["?watch=1", "?watch=1&fieldSelector=metadata.name%3Dnone"],
  ] as const) {
    const paused: RawConnection[] = [];
    // A few at a time: on a busy machine the first may end before the last is opened.
    await until("there is no room", () => {
      for (let count = 0; count < 4; count++) {
        const connection = tls(head("GET", `${configMaps}${query}`, headers));
        connection.socket.pause();
        paused.push(connection);
      }
      for (const { socket } of paused.splice(0, paused.length - 20)) socket.destroy();
      return isFull(probe);
    });
    await until("there is room again", async () => !(await isFull(probe)));
    for (const { socket } of paused) socket.destroy();
  }
  // The server may still count the connections.
  await until("they are deleted", async () => {
    return (await platform.fetch(configMaps, { method: "DELETE", bearer })).code === 200;
  });
});

test("one token has so many watches and no more; they need not be requests at work", async () => {
  for (let count = 1; count <= 12; count++) {
    const connection = tls(head("GET", `${configMaps}?watch=1`, member()));
    await until(`watch ${count} is open`, () => connection.text().startsWith("HTTP/1.1 200"));
  }
  const { code, json: status, headers } = await platform.fetch(`${configMaps}?watch=1`, { bearer });
  expect([code, status.reason, headers["retry-after"]]).toEqual([429, "TooManyRequests", "10"]);
  const seen: string[] = [];
  const { text } = await platform.newToken("alice@example.com");
  const second = await platform.exchange(text);
  const watch = openWatch(`${platform.url}${configMaps}?watch=1`, second, ({ object }) => {
    seen.push(object.metadata.name);
  });
  const body = { metadata: { name: "watched" } };
  expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
  await until("another token's watch has it", () => seen.includes("watched"));
  watch.stop();
  await watch.ended;
});

/** Opens TLS 1.2 with these suites. @returns the suite, or the error */
function openTls12(ciphers: string): Promise<{ suite: string; socket: TLSSocket } | string> {
  const { port, hostname } = new URL(platform.url);
  const version = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;
  return new Promise((resolve) => {
    const socket = connect({
      port: Number(port),
      host: hostname,
      rejectUnauthorized: false,
      ciphers,
      ...version,
    });
    socket.once("secureConnect", () => resolve({ suite: socket.getCipher().name, socket }));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

test("TLS 1.2 has authenticated encryption only, and no renegotiation", async () => {
  expect(await openTls12("ECDHE+AES+SHA1:AES+SHA1:AES+SHA256:@SECLEVEL=0")).toMatch(
    /HANDSHAKE_FAILURE|RESET/,
  );
  const opened = await openTls12("DEFAULT:@SECLEVEL=0");
  if (typeof opened === "string") throw new Error(opened);
  expect(opened.suite).toMatch(/GCM|CHACHA20/);
  const refused = new Promise<Error | null>((resolve) => {
    opened.socket.once("error", resolve);
    opened.socket.renegotiate({ rejectUnauthorized: false }, resolve);
  });
  expect(await refused).toBeInstanceOf(Error);
  opened.socket.destroy();
});
