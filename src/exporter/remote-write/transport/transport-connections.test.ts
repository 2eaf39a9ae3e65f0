import { execFile } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { type Act, type RawServer, startRawServer } from "../../../../test/support/net/raw-server.ts";
import {
  bareResponse,
  postTo,
  told,
  withReceiver,
} from "../../../../test/support/receiver/posted-transport.ts";
import { until } from "../../../../test/support/until.ts";
import { type PostLimits, type PostResult, postLimits } from "./post.ts";
import type { HttpTransport } from "./transport.ts";

const ok = bareResponse("200 OK");

const fixture = withReceiver();
const { open } = fixture;
let server: RawServer;
let transport: HttpTransport;

beforeEach(() => {
  server = fixture.server;
  transport = open();
});

function post(
  origin = `http://127.0.0.1:${server.port}`,
  limits: Partial<PostLimits> = {},
  signal?: AbortSignal,
  body?: Buffer,
): Promise<PostResult> {
  return postTo(transport, origin, limits, signal, body);
}

describe("kept connections", () => {
  const act =
    (...fields: string[]): Act =>
    (socket) =>
      socket.write(bareResponse("200 OK", ...fields));
  test.each<[string, Act, number]>([
    ["a response with a length", act(), 1],
    ["a longer limit of the server", act("keep-alive: timeout=600, max=5"), 1],
    ["a limit that is no number", act("keep-alive: timeout=soon"), 1],
    ["a limit so short that a request could miss it", act("keep-alive: timeout=2"), 3],
    ["close", act("connection: close"), 3],
    ["close among others", act("connection: upgrade, Close"), 3],
    ["HTTP/1.0", (socket) => socket.write("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"), 3],
    ["204", (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), 1],
    ["more than a response", (socket) => socket.write(`${ok}more`), 3],
    ["100 first", (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`), 1],
    [
      "103 first, by itself",
      (socket) => {
        socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
        setTimeout(() => socket.write(ok), 10);
      },
      1,
    ],
  ])("after %s", async (_, how, count) => {
    server.act = how;
    for (let index = 0; index < 3; index++) {
      expect(await post()).toMatchObject({ kind: "response" });
      // Lets the client notice that the server has closed the connection before the next request.
      await sleep(10);
    }
    expect(server.sockets).toHaveLength(count);
  });

  test("are closed when the server's limit is near", async () => {
    server.act = act("keep-alive: timeout=3");
    await post();
    const startMs = performance.now();
    await until("it is closed", () => server.sockets[0]!.destroyed);
    expect(performance.now() - startMs).toBeGreaterThan(900);
    expect(performance.now() - startMs).toBeLessThan(2_500);
  });

  test.each<[string, (index: number) => void]>([
    ["closed", (index) => server.sockets[index]!.end()],
    ["reset", (index) => server.sockets[index]!.resetAndDestroy()],
    ["spoken on", (index) => server.sockets[index]!.write("HTTP/1.1 408 Request Timeout\r\n\r\n")],
  ])("one that the server has %s is not used", async (_, end) => {
    await post();
    end(0);
    await until("the client has noticed", () => transport.origins().length === 0);
    expect(await post()).toMatchObject({ kind: "response", status: 200 });
    expect(server.sockets).toHaveLength(2);
  });

  test("serve large requests too", async () => {
    const large = Buffer.alloc(5_000_000, "x");
    for (let index = 0; index < 3; index++) {
      expect(await post(undefined, {}, undefined, large)).toMatchObject({ kind: "response", status: 200 });
    }
    expect(server.sockets).toHaveLength(1);
  });

  test("a request that got a response before it was read leaves none", async () => {
    let accepted: Socket | undefined;
    const early = createServer((socket) => {
      accepted = socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.pause();
        socket.write(bareResponse("413 Too Large"));
      });
    });
    await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
    const { port } = early.address() as { port: number };
    const large = Buffer.alloc(20_000_000, 1);
    expect(await post(`http://127.0.0.1:${port}`, {}, undefined, large)).toMatchObject({ status: 413 });
    await until("it is gone", () => transport.origins().length === 0);
    accepted?.destroy();
    early.close();
  });

  test("keep no process alive", async () => {
    const script = `
      import { ConnectionBudget } from ${JSON.stringify(new URL("../../../base/http/connection-budget.ts", import.meta.url).href)};
      import { HttpTransport } from ${JSON.stringify(new URL("./transport.ts", import.meta.url).href)};
      const made = new HttpTransport({
        limits: { connectMs: 1_000, connections: 1 },
        guard: { blockReason: () => undefined },
        tls: { connectOptions: () => ({}) },
        budget: new ConnectionBudget(1),
      });
      const target = { origin: "http://127.0.0.1:${server.port}", path: "/", headers: {} };
      const limits = ${JSON.stringify(postLimits)};
      const { signal } = new AbortController();
      const result = await made.post({ target, body: Buffer.from("x"), tenant: "project" }, limits, signal);
      process.stdout.write(String(result.status));`;
    const options = ["--import", "tsx", "--input-type=module", "--eval", script];
    const startMs = performance.now();
    const { stdout } = await promisify(execFile)(process.execPath, options, { timeout: 60_000 });
    expect(stdout).toBe("200");
    expect(performance.now() - startMs).toBeLessThan(15_000);
  });

  test("belong to an origin, and nothing is left of one without any", async () => {
    const other = await startRawServer((socket) => socket.write(bareResponse("200 OK", "connection: close")));
    await post();
    await post(`http://127.0.0.1:${other.port}`);
    await until("one is forgotten", () => transport.origins().length === 1);
    expect(transport.origins()).toEqual([`http://127.0.0.1:${server.port}`]);
    expect(await post("http://127.0.0.1:1")).toMatchObject({ kind: "no-response" });
    server.sockets[0]!.end();
    await until("it is forgotten", () => transport.origins().length === 0);
    expect(await post()).toMatchObject({ kind: "response" });
    await other[Symbol.asyncDispose]();
  });
});

describe("connections that cannot be made", () => {
  test.each([
    ["http://127.0.0.1:1", "connect: connect ECONNREFUSED 127.0.0.1:1"],
    ["http://[::1]:1", "connect: connect ECONNREFUSED ::1:1"],
    ["http://receiver.invalid", "dns: the host name receiver.invalid does not exist; check the endpoint"],
  ])("%s", async (origin, expected) => {
    const result = await post(origin);
    expect(result).toMatchObject({ kind: "no-response", written: false });
    expect(told(result)).toBe(expected);
  });

  test("a server that never speaks TLS: until the limit, or an abort", async () => {
    const mute = createServer((socket) => void socket.on("error", () => undefined).resume());
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const origin = `https://127.0.0.1:${(mute.address() as { port: number }).port}`;
    transport = open({ connectMs: 100 });
    expect(told(await post(origin))).toBe("connect: no connection within 0.1 s");
    transport = open();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect(await post(origin, {}, abort.signal)).toEqual({ kind: "aborted", written: false });
    const closing = post(origin);
    await sleep(20);
    await transport.close();
    expect(await closing).toMatchObject({ kind: "no-response", written: false });
    mute.close();
  });

  test("a name that is never resolved: until the limit, or an abort", async () => {
    transport = open({ connectMs: 50, lookup: () => new Promise(() => undefined) });
    const abort = new AbortController();
    expect(told(await post("http://r.test"))).toBe("connect: no connection within 0.05 s");
    const aborted = post("http://r.test", {}, abort.signal);
    abort.abort();
    expect(await aborted).toEqual({ kind: "aborted", written: false });
  });
});

describe("what a person reads where no response came", () => {
  test.each<[string, Act, string]>([
    ["closed", (socket) => socket.end(), "connection_lost lost: the other side closed the connection"],
    ["reset", (socket) => socket.resetAndDestroy(), "connection_lost lost: read ECONNRESET"],
    ["silent", () => undefined, "answer_timeout lost: no response within 0.05 s"],
    [
      "no HTTP",
      (socket) => socket.end("SSH-2.0-OpenSSH\r\n"),
      "invalid_answer lost: the receiver's response cannot be read: it does not begin with an HTTP/1 status line",
    ],
  ])("%s", async (_, act, expected) => {
    server.act = act;
    expect(told(await post(undefined, { headersMs: 50 }))).toBe(expected);
  });
});
