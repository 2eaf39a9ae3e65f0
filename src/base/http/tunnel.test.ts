import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createAuthority } from "../../../test/support/net/certificates.ts";
import { startConnectProxy } from "../../../test/support/net/connect-proxy.ts";
import { type RawServer, startRawServer } from "../../../test/support/net/raw-server.ts";
import { until } from "../../../test/support/until.ts";
import { Connections } from "./connections.ts";
import type { ExchangeLimits } from "./exchange.ts";
import { RequestHead } from "./request-head.ts";

const never = new AbortController().signal;
const limits: ExchangeLimits = { startMs: 1_000, headersMs: 2_000, bodyIdleMs: 2_000, bodyMs: 2_000 };
const authority = createAuthority();
const [certificate, client] = [authority.issue(["localhost"]), authority.issue(["client.test"])];
const secure = { ...certificate, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
const body = "x".repeat(100_000);
const response = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const folder = mkdtempSync(join(tmpdir(), "telemetryd-tunnel-"));
const disposed: AsyncDisposable[] = [];
let pools: Connections[] = [];

afterEach(async () => {
  for (const pool of pools) pool.close();
  pools = [];
  for (const one of disposed.splice(0)) await one[Symbol.asyncDispose]();
});
afterAll(() => rmSync(folder, { recursive: true }));

function held<T extends AsyncDisposable>(one: T): T {
  disposed.push(one);
  return one;
}

function open(scheme: string, port: number, proxyUrl: string): Connections {
  const pool = new Connections({
    url: new URL(`${scheme}://localhost:${port}`),
    ...{
      max: 1,
      connectMs: 2_000,
      keepMs: 10_000,
      readBytes: 4_096,
      repeats: false,
      channelName: "receiver",
    },
    proxy: { url: new URL(proxyUrl), tls: () => ({ ca: authority.cert, servername: "localhost" }) },
    tls: () => ({ ...client, ca: authority.cert }),
  });
  pools.push(pool);
  return pool;
}

async function ask(pool: Connections): Promise<string> {
  let text = "";
  const receiver = {
    begin: () => true,
    body: (bytes: Buffer) => {
      text += bytes.toString();
      return "more" as const;
    },
  };
  await pool.exchange({ head: new RequestHead("GET", "localhost", "/", {}) }, receiver, limits, never);
  return text;
}

describe.each(["http", "https"])("an %s proxy", (proxyScheme) => {
  describe.each(["http", "https"])("to an %s server", (scheme) => {
    async function start(): Promise<{ server: RawServer; proxyUrl: string; tunnels: readonly string[] }> {
      const tls = scheme === "https" ? { tls: secure } : {};
      const server = held(await startRawServer((socket) => socket.write(response), tls));
      const proxy = held(await startConnectProxy("user:pass", proxyScheme === "https" ? secure : undefined));
      return { server, proxyUrl: proxy.url.replace("//", "//user:pass@"), tunnels: proxy.tunnels };
    }

    test("one tunnel carries one exchange after another, and each server has its own", async () => {
      const { server, proxyUrl, tunnels } = await start();
      const pool = open(scheme, server.port, proxyUrl);
      for (let count = 0; count < 3; count++) expect(await ask(pool)).toBe(body);
      const other = await start();
      expect(await ask(open(scheme, other.server.port, proxyUrl))).toBe(body);
      expect(tunnels).toEqual([`localhost:${server.port}`, `localhost:${other.server.port}`]);
      expect(server.sockets).toHaveLength(1);
      expect(server.requests.join()).not.toContain("proxy");
    });

    test("closing it closes both connections, and so does the server", async () => {
      const { server, proxyUrl, tunnels } = await start();
      const pool = open(scheme, server.port, proxyUrl);
      await ask(pool);
      server.sockets[0]!.end();
      await until("a new tunnel is needed", async () => (await ask(pool)) === body && tunnels.length === 2);
      pool.close();
      await until("the server's connections are gone", () => server.sockets.every((one) => one.destroyed));
    });

    test("idle, it keeps no process alive", async () => {
      const { server, proxyUrl } = await start();
      const ca = join(folder, "ca.pem");
      writeFileSync(ca, authority.cert);
      const script = `
        import { Connections } from ${JSON.stringify(new URL("./connections.ts", import.meta.url).href)};
        import { RequestHead } from ${JSON.stringify(new URL("./request-head.ts", import.meta.url).href)};
        const pool = new Connections({
          url: new URL("${scheme}://localhost:${server.port}"),
          max: 1, connectMs: 9_000, keepMs: 60_000, readBytes: 4_096, repeats: false, channelName: "receiver",
          proxy: { url: new URL("${proxyUrl}"), tls: () => ({ servername: "localhost" }) }, tls: () => ({}),
        });
        const limits = { startMs: 9_000, headersMs: 9_000, bodyIdleMs: 9_000, bodyMs: 9_000 };
        const receiver = { begin: () => true, body: () => "more" };
        const head = new RequestHead("GET", "localhost", "/", {});
        await pool.exchange({ head }, receiver, limits, new AbortController().signal);
        process.stdout.write("done");`;
      const options = ["--import", "tsx", "--input-type=module", "--eval", script];
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca };
      const { stdout } = await promisify(execFile)(process.execPath, options, { timeout: 40_000, env });
      expect(stdout).toBe("done");
    });
  });
});

test("the client certificate and the server's name are for the server, not for the proxy", async () => {
  const seen: Record<string, unknown[]> = {};
  const note = (who: string, socket: TLSSocket) => {
    seen[who] = [socket.getPeerCertificate().subjectaltname, (socket as { servername?: unknown }).servername];
  };
  const server = held(
    await startRawServer(
      (socket) => {
        note("server", socket as TLSSocket);
        socket.write(response);
      },
      { tls: secure },
    ),
  );
  // This proxy opens a tunnel to the server, whatever it is asked for.
  const proxy = held(
    await startRawServer(
      (socket, index) => {
        if (index > 0) return;
        note("proxy", socket as TLSSocket);
        socket.removeAllListeners("data");
        const target = connect(server.port, "127.0.0.1");
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(target).pipe(socket);
      },
      { tls: secure },
    ),
  );
  expect(await ask(open("https", server.port, `https://localhost:${proxy.port}`))).toBe(body);
  expect(seen).toEqual({ server: ["DNS:client.test", "localhost"], proxy: [undefined, "localhost"] });
});

async function writeApart(socket: Socket, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
}

describe("a tunnel is granted", () => {
  test.each([
    ["HTTP/1.0", "HTTP/1.0 200 Connection established\r\n\r\n"],
    ["any 2xx", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["a length that does not count", "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n"],
    ["a length that is none", "HTTP/1.1 200 OK\r\ncontent-length: -\r\n\r\n"],
    ["chunks that do not count", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["a coding that does not count", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n"],
    ["connection: close, which is about the proxy", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"],
    ["interim responses first", "HTTP/1.1 100 Any\r\n\r\nHTTP/1.1 103 Any\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"],
  ])("with %s, whole or byte by byte", async (_, head) => {
    for (const pieces of [[head], [...head]]) {
      const proxy = held(
        await startRawServer((socket, index) => {
          if (index > 0) socket.write(response);
          else void writeApart(socket, pieces);
        }),
      );
      expect(await ask(open("http", 1, `http://127.0.0.1:${proxy.port}`))).toBe(body);
      expect(proxy.requests).toHaveLength(2);
    }
  });
});
