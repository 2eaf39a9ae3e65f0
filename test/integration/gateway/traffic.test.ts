import { readFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { sleep } from "../../../src/base/core/clock.ts";
import type { BackendTarget, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { closeFrame, readFrame, textFrame, writeFrame } from "../../support/gateway/web-socket-echo.ts";
import { type RawAnswer, rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { freePort } from "../../support/servers.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

const mebibyte = 2 ** 20;
const limits = { requestsPerProxy: 4, connectionsPerAddress: 40 };

let gateway: RunningGateway;
let backend: GatewayBackend;
let raw: Server;
/** What the raw backend answers with before it breaks the connection. */
let rawAnswer = "";
let programs: Record<"first" | "second" | "refusing" | "raw", RouteProgram>;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  raw = await keep(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write(rawAnswer);
        // What was written has to get there before the reset does.
        setTimeout(() => socket.resetAndDestroy(), 50);
      });
    }),
  );
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  gateway = await keep(startGateway({ limits }));
  const target = (port: number): BackendTarget => ({ scheme: "http", host: "127.0.0.1", port });
  programs = {
    first: programOf([
      {
        matches: [{ path: { type: "PathPrefix", value: "/slow" } }],
        timeoutMs: 200,
        backend: target(backend.port),
      },
      { backend: target(backend.port) },
    ]),
    second: programOf([{ backend: target(backend.port) }]),
    refusing: programOf([{ backend: target(await freePort()) }]),
    raw: programOf([{ backend: target((raw.address() as { port: number }).port) }]),
  };
  await gateway.load(...Object.values(programs));
});

/** Opens a request on a connection of its own, whose answer is still to come. */
function start(program: RouteProgram, path: string, method = "GET"): ClientRequest {
  const headers = { Host: hostOf(program.gateway) };
  const sent = request({ host: "127.0.0.1", port: gateway.port, path, method, headers, agent: false });
  // Many of them are broken on purpose.
  sent.on("error", () => undefined);
  return sent;
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve);
    sent.once("error", reject);
  });
}

/** Memory of HAProxy's processes, in bytes. */
async function residentBytes(): Promise<number> {
  const master = await gateway.masterPid();
  const children = readFileSync(`/proc/${master}/task/${master}/children`, "utf8").trim().split(" ");
  const sizes = children.map((pid) => {
    // One that has just ended has none.
    const [, kibibytes = "0"] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kibibytes) * 1024;
  });
  return Math.max(...sizes);
}

const isLinux = process.platform === "linux";

describe("bodies", () => {
  test.skipIf(!isLinux)("larger than the memory's bound stream both ways", async () => {
    // One that is kept is more than the bound.
    const total = 256 * mebibyte;
    let most = 0;
    const stopped = new AbortController();
    const watch = (async () => {
      while (!stopped.signal.aborted) {
        most = Math.max(most, await residentBytes());
        await sleep(50, stopped.signal).catch(() => undefined);
      }
    })();
    const download = async (): Promise<number> => {
      const sent = start(programs.first, `/bytes/${total}`);
      sent.end();
      let bytes = 0;
      for await (const piece of await answerOf(sent)) {
        bytes += (piece as Buffer).length;
        // A client that reads slowly at first: what it does not read must not pile up in the gateway.
        if (bytes < 10 * mebibyte) await sleep(1, stopped.signal);
      }
      return bytes;
    };
    const upload = async (): Promise<string> => {
      const sent = start(programs.second, "/upload", "POST");
      const piece = Buffer.alloc(mebibyte, "x");
      for (let count = 0; count < total / piece.length; count++) {
        if (!sent.write(piece)) await new Promise((resolve) => sent.once("drain", resolve));
      }
      const answered = answerOf(sent);
      sent.end();
      let text = "";
      for await (const part of await answered) text += String(part);
      return text;
    };
    const [downloaded, uploaded] = await Promise.all([download(), upload()]);
    stopped.abort();
    await watch;
    expect(downloaded).toBe(total);
    expect(uploaded).toContain(`"bodyBytes":${total}`);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(200 * mebibyte);
  });

  test("server-sent events arrive while the response goes on", async () => {
    const sent = start(programs.first, "/sse");
    sent.end();
    const answer = await answerOf(sent);
    const expected = "data: 0\n\ndata: 1\n\ndata: 2\n\n";
    let text = "";
    for await (const piece of answer) {
      text += String(piece);
      if (text.length >= expected.length) break;
    }
    expect(text.slice(0, expected.length)).toBe(expected);
  });
});

describe("a client that goes away ends its backend request", () => {
  test("in the middle of the response", async () => {
    const sent = start(programs.first, "/sse?leaving");
    sent.end();
    const answer = await answerOf(sent);
    await new Promise((resolve) => answer.once("data", resolve));
    sent.destroy();
    await until("the backend knows", () => backend.gone.includes("/sse?leaving"), 10_000);
  });

  test("before the response", async () => {
    const sent = start(programs.first, "/hang?leaving");
    sent.end();
    await until("it arrived", () => backend.received.some(({ url }) => url === "/hang?leaving"), 10_000);
    sent.destroy();
    await until("the backend knows", () => backend.gone.includes("/hang?leaving"), 10_000);
  });

  test("in the middle of its own body", async () => {
    const sent = start(programs.first, "/upload?leaving", "POST");
    sent.write("the first part");
    await until("it arrived", () => backend.received.some(({ url }) => url === "/upload?leaving"), 10_000);
    sent.destroy();
    await until("the backend knows", () => backend.gone.includes("/upload?leaving"), 10_000);
  });
});

describe("a backend that fails", () => {
  const ask = (program: RouteProgram, path = "/"): Promise<RawAnswer> =>
    rawHttp(gateway.port, `GET ${path} HTTP/1.1\r\nHost: ${hostOf(program.gateway)}\r\n\r\n`);

  test("in the middle of a body of known length cuts the client", async () => {
    const { text, end } = await ask(programs.first, "/die");
    expect(end).not.toBe("open");
    expect(text).toMatch(/content-length: 1000\r\n/i);
    expect(text.endsWith("\r\n\r\n0123456789")).toBe(true);
  });

  test("in the middle of chunks cuts the client without a last chunk", async () => {
    rawAnswer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    const { text, end } = await ask(programs.raw);
    expect(end).not.toBe("open");
    expect(text).toContain("hello");
    expect(text).not.toMatch(/\r\n0\r\n/);
  });

  test("in a body that ends with the connection cuts the client without a last chunk", async () => {
    rawAnswer = "HTTP/1.1 200 OK\r\n\r\nhello";
    const { text, end } = await ask(programs.raw);
    expect(end).not.toBe("open");
    expect(text).toContain("hello");
    expect(text).not.toMatch(/\r\n0\r\n/);
  });

  test.each([
    ["with no answer", "", 502],
    ["with half a head", "HTTP/1.1 200 OK\r\nContent-", 502],
    ["with another protocol", "220 mail.example ESMTP\r\n", 502],
    ["with two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 502],
    ["with a head that is too large", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(40_000)}\r\n\r\n`, 502],
  ])("%s gets a response of the gateway's", async (_, answer, status) => {
    rawAnswer = answer;
    const { text } = await rawHttp(
      gateway.port,
      `GET / HTTP/1.1\r\nHost: ${hostOf(programs.raw.gateway)}\r\n\r\n`,
      {
        enough: (so) => so.endsWith("\n"),
      },
    );
    expect(statusesIn(text)).toEqual([status]);
  });

  test("by refusing connections gets 503", async () => {
    const { status, text } = await send(gateway.port, programs.refusing);
    expect([status, text]).toEqual([503, "the backend does not respond\n"]);
  });

  test("by being slow gets 504, as the rule says", async () => {
    const { status, text } = await send(gateway.port, programs.first, { path: "/slow/2000" });
    expect([status, text]).toEqual([504, "the backend took too long to respond\n"]);
  });

  test("does not get a POST twice", async () => {
    rawAnswer = "";
    let connections = 0;
    const count = (): number => connections++;
    raw.on("connection", count);
    // On a connection of its own: one that was used before is closed without an answer.
    const sent = start(programs.raw, "/", "POST");
    sent.end("x");
    const answer = await answerOf(sent);
    answer.resume();
    raw.off("connection", count);
    expect(answer.statusCode).toBe(502);
    expect(connections).toBe(1);
  });
});

/** A WebSocket, open. */
async function openSocket(
  program: RouteProgram,
): Promise<{ socket: Socket; echo(text: string): Promise<string> }> {
  const socket = connect(gateway.port, "127.0.0.1");
  let bytes: Buffer = Buffer.alloc(0);
  let isUpgraded = false;
  socket.on("error", () => undefined);
  socket.on("data", (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    const end = bytes.indexOf("\r\n\r\n");
    if (isUpgraded || end < 0) return;
    expect(bytes.toString("latin1")).toMatch(/^HTTP\/1\.1 101 /);
    isUpgraded = true;
    bytes = bytes.subarray(end + 4);
  });
  socket.write(
    `GET /socket HTTP/1.1\r\nHost: ${hostOf(program.gateway)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
  );
  await until("the WebSocket is open", () => isUpgraded, 10_000);
  const echo = async (text: string): Promise<string> => {
    socket.write(writeFrame(textFrame, Buffer.from(text), Buffer.from([1, 2, 3, 4])));
    await until("the frame is back", () => readFrame(bytes) !== undefined, 10_000);
    const frame = readFrame(bytes);
    bytes = bytes.subarray(frame?.bytes ?? 0);
    return frame?.payload.toString() ?? "";
  };
  return { socket, echo };
}

test("a WebSocket outlives reloads", async () => {
  const { socket, echo } = await openSocket(programs.first);
  expect(await echo("before")).toBe("before");
  for (let count = 0; count < 2; count++) {
    await gateway.load(programOf([{ respond: 500 }]));
    expect(await echo(`after ${count}`)).toBe(`after ${count}`);
  }
  await gateway.unload(programs.second.gateway);
  expect(await echo("x".repeat(100_000))).toHaveLength(100_000);
  await gateway.load(programs.second);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(writeFrame(closeFrame, Buffer.alloc(0), Buffer.from([1, 2, 3, 4])));
  await closed;
  socket.destroy();
});

describe("limits", () => {
  test("requests of one proxy: 429 with Retry-After, and another one is served", async () => {
    const hanging = Array.from({ length: limits.requestsPerProxy }, (_, index) => {
      const sent = start(programs.first, `/hang?${index}`);
      sent.end();
      return sent;
    });
    const arrived = (): number => backend.received.filter(({ url }) => /^\/hang\?\d$/.test(url)).length;
    await until("they hang", () => arrived() === hanging.length, 10_000);
    const { status, headers, text } = await send(gateway.port, programs.first);
    expect([status, headers["retry-after"]]).toEqual([429, "1"]);
    expect(text).toBe("too many requests to this proxy at once\n");
    expect((await send(gateway.port, programs.second)).status).toBe(200);
    for (const each of hanging) each.destroy();
    await until(
      "it is served again",
      async () => (await send(gateway.port, programs.first)).status === 200,
      10_000,
    );
  });

  test("a project holds a quarter of the connections, and its organization half", async () => {
    await using small = await startGateway({ limits: { connections: 24, requestsPerProxy: 20 } });
    const of = (project: string, organization: string): RouteProgram => ({
      ...programOf([{ backend: { scheme: "http", host: "127.0.0.1", port: backend.port } }]),
      plane: { type: "project", name: project, uid: `${project}-uid`, organization },
    });
    const [one, two, sibling, third, stranger] = [
      of("a", "x"),
      of("a", "x"),
      of("b", "x"),
      of("c", "x"),
      of("d", "y"),
    ];
    await small.load(one, two, sibling, third, stranger);
    const held: ClientRequest[] = [];
    const hang = async (program: RouteProgram, count: number): Promise<void> => {
      const before = backend.open;
      for (let index = 0; index < count; index++) {
        const headers = { host: hostOf(program.gateway) };
        const sent = request({ host: "127.0.0.1", port: small.port, path: "/hang", headers, agent: false });
        sent.on("error", () => undefined);
        sent.end();
        held.push(sent);
      }
      await until("they hang", () => backend.open === before + count, 10_000);
    };
    const statusOf = async (program: RouteProgram): Promise<number> =>
      (await send(small.port, program)).status;
    await hang(one, 3);
    await hang(two, 3);
    expect([await statusOf(one), await statusOf(two), await statusOf(sibling)]).toEqual([429, 429, 200]);
    await hang(sibling, 6);
    expect([await statusOf(sibling), await statusOf(third), await statusOf(stranger)]).toEqual([
      429, 429, 200,
    ]);
    for (const each of held) each.destroy();
    await until("they are free again", async () => (await statusOf(one)) === 200, 10_000);
  });

  test("connections of one address", async () => {
    const open = new Set<Socket>();
    const isServed = async (): Promise<boolean> => {
      const bytes = `GET / HTTP/1.1\r\nHost: ${hostOf(programs.second.gateway)}\r\nConnection: close\r\n\r\n`;
      return statusesIn((await rawHttp(gateway.port, bytes)).text)[0] === 200;
    };
    // Each worker counts its own: after a reload, the one before may still have taken some.
    let refused = 0;
    for (let count = 0; count <= 2 * limits.connectionsPerAddress; count++) {
      const socket = connect(gateway.port, "127.0.0.1");
      open.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        refused++;
        open.delete(socket);
      });
      // One that is refused may be reset before it is known to be connected.
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    }
    await until("some are refused", () => refused > 0, 5_000);
    expect(open.size).toBeGreaterThanOrEqual(limits.connectionsPerAddress / 2);
    expect(await isServed()).toBe(false);
    for (const socket of open) socket.destroy();
    await until("it is served again", isServed, 10_000);
  });
});
