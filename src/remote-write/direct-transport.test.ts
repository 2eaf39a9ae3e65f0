import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthority } from "../../test/support/certificates.ts";
import { type Act, type RawServer, startRawServer } from "../../test/support/raw-server.ts";
import { until } from "../../test/support/until.ts";
import { describeError } from "../core/errors.ts";
import { TlsMaterial, type TlsSettings } from "../core/tls-material.ts";
import { classify } from "./classify.ts";
import { DirectTransport } from "./direct-transport.ts";
import { EgressGuard, type EgressRules, type EgressScope } from "./egress.ts";
import type { Lookup } from "./guarded-lookup.ts";
import { type PostLimits, type PostResult, postLimits, transportLimits } from "./post.ts";

const never = new AbortController().signal;
const answerWith = (status: string, ...fields: string[]) =>
  `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join("")}content-length: 0\r\n\r\n`;
const ok = answerWith("200 OK");

let server: RawServer;
const opened: DirectTransport[] = [];
let transport: DirectTransport;

beforeEach(async () => {
  server = await startRawServer((socket) => socket.write(ok));
  transport = open();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await server[Symbol.asyncDispose]();
});

interface Options {
  readonly connectMs?: number;
  readonly rules?: EgressRules;
  readonly scope?: EgressScope;
  readonly tls?: TlsSettings;
  readonly lookup?: Lookup;
}

function open(options: Options = {}): DirectTransport {
  const made = new DirectTransport({
    limits: { ...transportLimits, connectMs: options.connectMs ?? 1_000 },
    guard: new EgressGuard(options.rules ?? { deny: [], allow: [] }, options.scope ?? "operator"),
    tls: new TlsMaterial(options.tls ?? {}),
    ...(options.lookup && { lookup: options.lookup }),
  });
  opened.push(made);
  return made;
}

function post(
  origin = `http://127.0.0.1:${server.port}`,
  limits: Partial<PostLimits> = {},
  signal = never,
  body = Buffer.from("body"),
): Promise<PostResult> {
  const target = { origin, path: "/", headers: {} };
  return transport.post({ target, body }, { ...postLimits, ...limits }, signal);
}

function lookupOf(...addresses: readonly string[]): { readonly lookup: Lookup; readonly asked: string[] } {
  const asked: string[] = [];
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup = (name: string, _: unknown, callback: (error: null, all: typeof found) => void) => {
    asked.push(name);
    setImmediate(callback, null, found);
  };
  return { lookup: lookup as unknown as Lookup, asked };
}

/** What it means, and what a person reads of it. */
function told(result: PostResult): string {
  const context = { endpoint: "http://r/", authenticated: false, nowMs: 0 };
  const verdict = classify(result, context);
  const lost = "answerLost" in verdict && verdict.answerLost ? " lost" : "";
  const kind = verdict.kind === "retry" ? verdict.reason : verdict.kind;
  return `${kind}${lost}: ${"message" in verdict ? verdict.message : ""}`;
}

describe("kept connections", () => {
  const act =
    (...fields: string[]): Act =>
    (socket) =>
      socket.write(answerWith("200 OK", ...fields));
  test.each<[string, Act, number]>([
    ["an answer with a length", act(), 1],
    ["a longer limit of the server", act("keep-alive: timeout=600, max=5"), 1],
    ["a limit that is no number", act("keep-alive: timeout=soon"), 1],
    ["a limit so short that a request could miss it", act("keep-alive: timeout=2"), 3],
    ["close", act("connection: close"), 3],
    ["close among others", act("connection: upgrade, Close"), 3],
    ["HTTP/1.0", (socket) => socket.write("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"), 3],
    ["204", (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), 1],
    ["more than an answer", (socket) => socket.write(`${ok}more`), 3],
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
      expect(await post()).toMatchObject({ kind: "answer" });
      // A server that has closed the connection is heard of before the next request.
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
    await sleep(30);
    expect(await post()).toMatchObject({ kind: "answer", status: 200 });
    expect(server.sockets).toHaveLength(2);
  });

  test("a request that was answered before it was read leaves none", async () => {
    let accepted: Socket | undefined;
    const early = createServer((socket) => {
      accepted = socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.pause();
        socket.write(answerWith("413 Too Large"));
      });
    });
    await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
    const { port } = early.address() as { port: number };
    const large = Buffer.alloc(20_000_000, 1);
    expect(await post(`http://127.0.0.1:${port}`, {}, never, large)).toMatchObject({ status: 413 });
    await until("it is gone", () => transport.origins().length === 0);
    accepted?.destroy();
    early.close();
  });

  test("keep no process alive", async () => {
    const script = `
      import { DirectTransport } from ${JSON.stringify(new URL("./direct-transport.ts", import.meta.url).href)};
      const made = new DirectTransport({
        limits: { connectMs: 1_000, connections: 1 },
        guard: { refusal: () => undefined },
        tls: { connectOptions: () => ({}) },
      });
      const target = { origin: "http://127.0.0.1:${server.port}", path: "/", headers: {} };
      const limits = ${JSON.stringify(postLimits)};
      const result = await made.post({ target, body: Buffer.from("x") }, limits, new AbortController().signal);
      process.stdout.write(String(result.status));`;
    const options = ["--import", "tsx", "--input-type=module", "--eval", script];
    const startMs = performance.now();
    const { stdout } = await promisify(execFile)(process.execPath, options, { timeout: 60_000 });
    expect(stdout).toBe("200");
    expect(performance.now() - startMs).toBeLessThan(15_000);
  });

  test("belong to an origin, and nothing is left of one without any", async () => {
    const other = await startRawServer((socket) => socket.write(answerWith("200 OK", "connection: close")));
    await post();
    await post(`http://127.0.0.1:${other.port}`);
    await until("one is forgotten", () => transport.origins().length === 1);
    expect(transport.origins()).toEqual([`http://127.0.0.1:${server.port}`]);
    expect(await post("http://127.0.0.1:1")).toMatchObject({ kind: "no-answer" });
    server.sockets[0]!.end();
    await until("it is forgotten", () => transport.origins().length === 0);
    expect(await post()).toMatchObject({ kind: "answer" });
    await other[Symbol.asyncDispose]();
  });
});

describe("connections that cannot be made", () => {
  test.each([
    ["http://127.0.0.1:1", "connect: connect ECONNREFUSED 127.0.0.1:1"],
    ["http://[::1]:1", "connect: connect ECONNREFUSED ::1:1"],
    ["http://receiver.invalid", "dns: getaddrinfo ENOTFOUND receiver.invalid"],
  ])("%s", async (origin, expected) => {
    const result = await post(origin);
    expect(result).toMatchObject({ kind: "no-answer", written: false });
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
    expect(await closing).toMatchObject({ kind: "no-answer", written: false });
    mute.close();
  });

  test("a name that is never resolved: until the limit, or an abort", async () => {
    transport = open({ connectMs: 50, lookup: (() => undefined) as never });
    const abort = new AbortController();
    expect(told(await post("http://r.test"))).toBe("connect: no connection within 0.05 s");
    const aborted = post("http://r.test", {}, abort.signal);
    abort.abort();
    expect(await aborted).toEqual({ kind: "aborted", written: false });
  });
});

describe("what a person reads where no answer came", () => {
  test.each<[string, Act, string]>([
    ["closed", (socket) => socket.end(), "connection_lost lost: the other side closed the connection"],
    ["reset", (socket) => socket.resetAndDestroy(), "connection_lost lost: read ECONNRESET"],
    ["silent", () => undefined, "answer_timeout lost: no answer within 0.05 s"],
    [
      "no HTTP",
      (socket) => socket.end("SSH-2.0-OpenSSH\r\n"),
      "invalid_answer lost: it does not begin with an HTTP/1 status line",
    ],
  ])("%s", async (_, act, expected) => {
    server.act = act;
    expect(told(await post(undefined, { headersMs: 50 }))).toBe(expected);
  });
});

describe("egress", () => {
  test.each(["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"])(
    "an address is checked before anything: %s",
    async (host) => {
      transport = open({ scope: "tenant" });
      const result = await post(`http://${host}:${server.port}`);
      expect(result).toMatchObject({
        kind: "no-answer",
        written: false,
        error: { name: "EgressRefusedError" },
      });
      expect(told(result)).toMatch(/^forbidden: the endpoint must not be sent to: /);
      expect(server.sockets).toEqual([]);
    },
  );

  test("of a name's addresses those that are allowed, of one answer", async () => {
    const { lookup, asked } = lookupOf("169.254.169.254", "fe80::1", "127.0.0.1");
    transport = open({ lookup });
    expect(await post(`http://receiver.test:${server.port}`)).toMatchObject({ kind: "answer" });
    expect(asked).toEqual(["receiver.test"]);
    expect(server.requests[0]).toContain(`host: receiver.test:${server.port}\r\n`);
  });

  test("a name without an address that is allowed", async () => {
    for (const addresses of [["127.0.0.1", "10.0.0.1"], []]) {
      transport = open({ scope: "tenant", lookup: lookupOf(...addresses).lookup });
      const result = await post(`http://receiver.test:${server.port}`);
      expect(result).toMatchObject({ kind: "no-answer", written: false });
      expect(told(result)).toMatch(/^forbidden: .*receiver\.test: (127\.0\.0\.1 is not|the name has no)/);
    }
    expect(server.sockets).toEqual([]);
  });

  test("names are checked for https too", async () => {
    transport = open({ scope: "tenant", lookup: lookupOf("127.0.0.1").lookup });
    expect(told(await post(`https://receiver.test:${server.port}`))).toMatch(/^forbidden/);
    expect(server.sockets).toEqual([]);
  });
});

test("an IPv6 address", async () => {
  const six = await startRawServer((socket) => socket.write(ok), { host: "::1" });
  expect(await post(`http://[::1]:${six.port}`)).toMatchObject({ kind: "answer", status: 200 });
  expect(six.requests[0]).toContain(`host: [::1]:${six.port}\r\n`);
  await six[Symbol.asyncDispose]();
});

describe("TLS", () => {
  const authority = createAuthority();
  let folder: string;
  let caFile: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "telemetryd-transport-"));
    caFile = join(folder, "ca.pem");
    await writeFile(caFile, authority.cert);
  });
  afterEach(() => rm(folder, { recursive: true }));

  test.each<[string, readonly string[] | undefined, string, TlsSettings, string, string | false]>([
    ["a private authority", undefined, "127.0.0.1", {}, "delivered: ", false],
    ["its name for SNI", ["r.test"], "r.test", {}, "delivered: ", "r.test"],
    ["another name", ["r.test"], "127.0.0.1", { serverName: "r.test" }, "delivered: ", "r.test"],
    ["not checked", ["r.test"], "127.0.0.1", { insecureSkipVerify: true }, "delivered: ", false],
    ["a wrong host", ["r.test"], "other.test", {}, "tls: Hostname/IP does not match", "other.test"],
    ["a wrong address", ["r.test"], "127.0.0.1", {}, "tls: Hostname/IP does not match", false],
    ["nobody vouches", undefined, "127.0.0.1", { caFile: undefined }, "tls: unable to verify", false],
  ])("%s", async (_, names, host, settings, expected, servername) => {
    const seen: (string | false)[] = [];
    const certificate = authority.issue(names);
    const secure = await startRawServer(
      (socket) => {
        seen.push((socket as TLSSocket & { servername: string | false }).servername);
        socket.write(ok);
      },
      { tls: certificate },
    );
    transport = open({ tls: { caFile, ...settings }, lookup: lookupOf("127.0.0.1").lookup });
    for (let index = 0; index < 2; index++) {
      const result = await post(`https://${host}:${secure.port}`);
      expect(told(result).slice(0, expected.length)).toBe(expected);
      if (result.kind === "no-answer") expect(result.written).toBe(false);
    }
    if (expected === "delivered: ") {
      expect(seen).toEqual([servername, servername]);
      expect(secure.sockets).toHaveLength(1);
    } else {
      expect(seen).toEqual([]);
    }
    await secure[Symbol.asyncDispose]();
  });

  test("a large request, an answer in pieces, and a close by the server", async () => {
    const secure = await startRawServer(
      (socket) => {
        socket.write("HTTP/1.1 400 Bad\r\ncontent-");
        setTimeout(() => socket.end("length: 2\r\n\r\nno"), 10);
      },
      { tls: authority.issue() },
    );
    transport = open({ tls: { caFile } });
    const large = Buffer.alloc(300_000, "x");
    const result = await post(`https://127.0.0.1:${secure.port}`, {}, never, large);
    expect(result).toMatchObject({ kind: "answer", status: 400, body: "no" });
    expect(secure.requests[0]?.endsWith("x".repeat(300_000))).toBe(true);
    await until("it is forgotten", () => transport.origins().length === 0);
    await secure[Symbol.asyncDispose]();
  });

  test("files that cannot be used", async () => {
    transport = open({ tls: { caFile: join(folder, "none.pem") } });
    const result = await post("https://127.0.0.1:1");
    expect(result).toMatchObject({ kind: "no-answer", written: false });
    expect(result.kind === "no-answer" && describeError(result.error)).toContain("none.pem");
    await until("it is forgotten", () => transport.origins().length === 0);
  });

  test("plain HTTP where TLS is expected", async () => {
    expect(told(await post(`https://127.0.0.1:${server.port}`))).toMatch(/^(tls|connect): /);
  });
});
