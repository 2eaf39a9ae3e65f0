import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Connections, type ConnectionsOptions } from "./connections.ts";
import { ConnectError, type ExchangeLimits, type Flow, LostConnection, ResponseTimeout } from "./exchange.ts";
import { RequestHead } from "./request-head.ts";
import { MalformedResponse } from "./response-head.ts";

const forever = new AbortController().signal;
const usual: ExchangeLimits = { startMs: 1_000, headersMs: 1_000, bodyIdleMs: 1_000, bodyMs: Infinity };
const responseOf = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

let server: Server;
/** Accepted connections. */
let sockets: Socket[];
let asked: string[];
let onAsked: (socket: Socket, index: number) => void;
let closes: { count: number };
let connections: Connections;
let limits: ExchangeLimits;

beforeEach(async () => {
  sockets = [];
  asked = [];
  closes = { count: 0 };
  onAsked = (socket) => socket.write(responseOf("x"));
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      asked.push(bytes.toString());
      onAsked(socket, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  connections = open();
  limits = usual;
});

afterEach(async () => {
  connections.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function open(options: Partial<ConnectionsOptions> = {}): Connections {
  const { port } = server.address() as AddressInfo;
  const own = closes;
  return new Connections({
    url: new URL(`http://127.0.0.1:${port}`),
    max: 2,
    connectMs: 1_000,
    keepMs: 1_000,
    readBytes: 65_536,
    repeats: true,
    channelName: "store",
    tls: () => {
      throw new Error("no TLS here");
    },
    onClose: () => own.count++,
    ...options,
  });
}

async function get(flow: (text: string) => Flow = () => "more", signal = forever): Promise<string> {
  let body = "";
  await connections.exchange(
    { head: new RequestHead("GET", "h", "/", { a: "b" }) },
    {
      begin: () => true,
      body: (bytes) => {
        body += bytes.toString();
        return flow(body);
      },
    },
    limits,
    signal,
  );
  return body;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}

test("a request as it is written", async () => {
  await connections.exchange(
    { head: new RequestHead("POST", "h:1", "/a?b", { c: "d" }), body: Buffer.from("é") },
    { begin: () => true, body: () => "more" },
    limits,
    forever,
  );
  expect(asked.join("")).toBe("POST /a?b HTTP/1.1\r\nhost: h:1\r\nc: d\r\ncontent-length: 2\r\n\r\né");
});

test.each([{ "a b": "c" }, { a: "b\r\nc: d" }])("headers that would be others are refused: %j", (headers) => {
  expect(() => new RequestHead("GET", "h", "/", headers)).toThrow(TypeError);
});

describe("kept connections", () => {
  test("are used again, one after another", async () => {
    for (let index = 0; index < 3; index++) expect(await get()).toBe("x");
    expect(sockets).toHaveLength(1);
  });

  test("no more than allowed; the next request waits for one", async () => {
    onAsked = (socket) => setTimeout(() => socket.write(responseOf("x")), 20);
    expect(await Promise.all([get(), get(), get(), get(), get()])).toEqual(["x", "x", "x", "x", "x"]);
    expect(sockets).toHaveLength(2);
  });

  test("a request that waits can be aborted", async () => {
    onAsked = () => undefined;
    const abort = new AbortController();
    const both = [get(undefined, abort.signal), get(undefined, abort.signal)];
    await until(() => asked.length === 2);
    const waits = new AbortController();
    const waiting = get(undefined, waits.signal);
    waits.abort(new Error("no more"));
    await expect(waiting).rejects.toThrow("no more");
    abort.abort(new Error("enough"));
    for (const one of both) await expect(one).rejects.toThrow("enough");
    onAsked = (socket) => socket.write(responseOf("x"));
    expect(await get()).toBe("x");
  });

  test("are closed after their time", async () => {
    connections.close();
    connections = open({ keepMs: 10 });
    await get();
    await until(() => closes.count === 1);
    await get();
    expect(sockets).toHaveLength(2);
  });

  test("not beyond its age, less a part at random: a name may lead elsewhere by then", async () => {
    connections.close();
    connections = open({ maxAgeMs: 1_000, random: () => 0.5 });
    await get();
    await get();
    expect(sockets).toHaveLength(1);
    await sleep(910);
    await get();
    expect(sockets).toHaveLength(2);
  });

  test("one that has reached its age ends with its request, and whoever waits gets another", async () => {
    connections.close();
    connections = open({ max: 1, maxAgeMs: 50, random: () => 0 });
    onAsked = (socket) => setTimeout(() => socket.write(responseOf("x")), 60);
    expect(await Promise.all([get(), get()])).toEqual(["x", "x"]);
    expect(sockets).toHaveLength(2);
    await until(() => closes.count === 2);
  });

  test.each([
    [499, 1],
    [500, 2],
    [503, 2],
  ])("after a status of %d: %d connections for two requests", async (status, count) => {
    onAsked = (socket) => socket.write(`HTTP/1.1 ${status} x\r\ncontent-length: 1\r\n\r\nx`);
    await get();
    await get();
    expect(sockets).toHaveLength(count);
  });

  test("one that the server has closed meanwhile is not used", async () => {
    await get();
    sockets[0]?.end();
    await until(() => closes.count === 1);
    expect(await get()).toBe("x");
    expect(sockets).toHaveLength(2);
  });

  test("one that is reset by a request is tried once more, on a new connection", async () => {
    await get();
    onAsked = (socket, index) => (index === 2 ? socket.resetAndDestroy() : socket.write(responseOf("again")));
    expect(await get()).toBe("again");
    onAsked = (socket) => socket.resetAndDestroy();
    await expect(get()).rejects.toThrow(LostConnection);
    expect(asked).toHaveLength(5);
  });

  test("where requests must not come twice, one that is reset by a request is the caller's to know", async () => {
    connections.close();
    connections = open({ repeats: false });
    await get();
    onAsked = (socket) => socket.resetAndDestroy();
    await expect(get()).rejects.toThrow(LostConnection);
    expect(asked).toHaveLength(2);
  });

  test("whoever waits has his turn in the order of coming, until his time is over", async () => {
    connections.close();
    connections = open({ max: 1 });
    onAsked = (socket) => setTimeout(() => socket.write(responseOf("x")), 60);
    const ends: string[] = [];
    const first = get().then(() => ends.push("first"));
    limits = { ...usual, startMs: 20 };
    const impatient = get().catch((error: Error) => ends.push(error.constructor.name));
    limits = usual;
    const others = ["second", "third"].map((name) => get().then(() => ends.push(name)));
    await Promise.all([first, impatient, ...others]);
    expect(ends).toEqual(["PoolTimeout", "first", "second", "third"]);
    expect(sockets).toHaveLength(1);
  });

  test("a row behind a connection that is never made comes to its turn, and each fails by itself", async () => {
    connections.close();
    onAsked = () => undefined;
    let made = 0;
    const tls = () => {
      if (made++ > 0) throw new Error("no certificates");
      return {};
    };
    let empties = 0;
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    connections = open({ url, max: 1, tls, onEmpty: () => empties++ });
    const abort = new AbortController();
    const all = [get(undefined, abort.signal), get(), get()].map((one) => one.catch(String));
    await until(() => sockets.length === 1);
    abort.abort(new Error("enough"));
    expect(await Promise.all(all)).toEqual([
      "Error: enough",
      "Error: no certificates",
      "Error: no certificates",
    ]);
    await until(() => empties > 0);
  });

  test("not after a response that closes, nor where something came that nobody asked for", async () => {
    onAsked = (socket) => socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx");
    await get();
    onAsked = (socket) => socket.write(`${responseOf("x")}more`);
    await get();
    onAsked = (socket) => socket.write(responseOf("x"));
    await get();
    sockets[2]?.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
    await until(() => closes.count === 3);
    await get();
    expect(sockets).toHaveLength(4);
  });
});

describe("bodies", () => {
  const long = "0123456789".repeat(200_000);

  test("come whole, also with pauses and in whatever pieces", async () => {
    onAsked = (socket) => socket.write(responseOf(long));
    let pauses = 0;
    const paused = await get(() => (pauses++ % 3 === 0 ? sleep(1) : "more"));
    expect(paused === long).toBe(true);
    expect(pauses).toBeGreaterThan(3);
    // A pause at the very end must neither delay nor break anything.
    onAsked = (socket) => socket.write(responseOf("x"));
    expect(await get(() => sleep(5))).toBe("x");
    expect(await get()).toBe("x");
    expect(sockets).toHaveLength(1);
  });

  test("a pause at the very end that fails is not the next exchange's", async () => {
    let fail: (error: Error) => void = () => undefined;
    expect(await get(() => new Promise((_, reject) => (fail = reject)))).toBe("x");
    onAsked = (socket) => setTimeout(() => socket.write(responseOf("y")), 20);
    const next = get();
    await until(() => asked.length === 2);
    fail(new Error("too late"));
    expect(await next).toBe("y");
    expect(sockets).toHaveLength(1);
  });

  test("nothing is received during a pause", async () => {
    onAsked = (socket) => socket.write(responseOf(long));
    let go: () => void = () => undefined;
    let pieces = 0;
    const pause = new Promise<void>((resolve) => {
      go = resolve;
    });
    const reading = get(() => (pieces++ === 0 ? pause : "more"));
    await until(() => pieces === 1);
    await sleep(30);
    expect(pieces).toBe(1);
    go();
    expect((await reading).length).toBe(long.length);
  });

  test("enough: the connection is closed", async () => {
    onAsked = (socket) => socket.write(responseOf(long));
    await get(() => "enough");
    await until(() => closes.count === 1);
  });

  test("what the receiver throws, or a pause that fails, is the caller's", async () => {
    onAsked = (socket) => socket.write(responseOf(long));
    const thrown = get(() => {
      throw new Error("the receiver's fault");
    });
    await expect(thrown).rejects.toThrow("the receiver's fault");
    await expect(get(() => Promise.reject(new Error("the pause's fault")))).rejects.toThrow(
      "the pause's fault",
    );
  });
});

describe("failures", () => {
  test.each<[string, (socket: Socket) => void, new () => Error]>([
    ["a reset before the response", (socket) => socket.resetAndDestroy(), LostConnection as never],
    ["a close before the response", (socket) => socket.end(), LostConnection as never],
    ["a close in the head", (socket) => socket.end("HTTP/1.1 200"), LostConnection as never],
    ["a close in the body", (socket) => socket.end(responseOf("xxx").slice(0, -1)), LostConnection as never],
    ["no response", () => undefined, ResponseTimeout],
    ["a body that stalls", (socket) => socket.write(responseOf("xxx").slice(0, -1)), ResponseTimeout],
    ["no HTTP", (socket) => socket.end("SSH-2.0-OpenSSH\r\n"), MalformedResponse],
  ])("%s", async (_, act, type) => {
    limits = { ...usual, headersMs: 40, bodyIdleMs: 40 };
    onAsked = act;
    await expect(get()).rejects.toThrow(type);
    // No connection is left open.
    onAsked = (socket) => socket.write(responseOf("x"));
    expect(await get()).toBe("x");
  });

  test("a body as a whole has its time, however busily it comes", async () => {
    limits = { ...usual, bodyMs: 80 };
    onAsked = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.destroyed || socket.write("x"), 5);
      socket.once("close", () => clearInterval(timer));
    };
    const startMs = performance.now();
    await expect(get()).rejects.toThrow("the response did not end within 0.08 s");
    expect(performance.now() - startMs).toBeGreaterThan(78);
  });

  test("nobody listens", async () => {
    connections.close();
    connections = open({ url: new URL("http://127.0.0.1:1") });
    const failing = get();
    await expect(failing).rejects.toThrow(ConnectError);
    await expect(failing).rejects.toThrow("ECONNREFUSED");
  });

  test("certificates that cannot be read are a connection that cannot be made", async () => {
    connections.close();
    connections = open({ url: new URL("https://127.0.0.1:1") });
    await expect(get()).rejects.toThrow(ConnectError);
  });

  test("after its end it connects to nothing", async () => {
    connections.close();
    await expect(get()).rejects.toThrow(ConnectError);
    expect(sockets).toEqual([]);
  });
});
