import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthority } from "../../../../test/support/net/certificates.ts";
import { type RawServer, startRawServer } from "../../../../test/support/net/raw-server.ts";
import {
  bareResponse,
  lookupOf,
  postTo,
  told,
  withReceiver,
} from "../../../../test/support/receiver/posted-transport.ts";
import { until } from "../../../../test/support/until.ts";
import { describeError } from "../../../base/core/errors.ts";
import type { TlsSettings } from "../../../base/net/tls-material.ts";
import type { PostResult } from "./post.ts";
import type { HttpTransport } from "./transport.ts";

/** Targets of connections: permitted addresses, names, certificates. */
const ok = bareResponse("200 OK");

const fixture = withReceiver();
const { open } = fixture;
let server: RawServer;
let transport: HttpTransport;

beforeEach(() => {
  server = fixture.server;
  transport = open();
});

function post(origin = `http://127.0.0.1:${server.port}`, body?: Buffer): Promise<PostResult> {
  return postTo(transport, origin, {}, undefined, body);
}

describe("egress", () => {
  test.each(["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"])(
    "an address is checked before anything: %s",
    async (host) => {
      transport = open({ scope: "tenant" });
      const result = await post(`http://${host}:${server.port}`);
      expect(result).toMatchObject({
        kind: "no-response",
        written: false,
        error: { name: "EgressBlockedError" },
      });
      expect(told(result)).toMatch(/^forbidden: the endpoint must not be sent to: /);
      expect(server.sockets).toEqual([]);
    },
  );

  test("of a name's addresses those that are allowed, of one response", async () => {
    const { lookup, asked } = lookupOf("169.254.169.254", "fe80::1", "127.0.0.1");
    transport = open({ lookup });
    expect(await post(`http://receiver.test:${server.port}`)).toMatchObject({ kind: "response" });
    expect(asked).toEqual(["receiver.test"]);
    expect(server.requests[0]).toContain(`host: receiver.test:${server.port}\r\n`);
  });

  test("a name without an address that is allowed", async () => {
    for (const addresses of [["127.0.0.1", "10.0.0.1"], []]) {
      transport = open({ scope: "tenant", lookup: lookupOf(...addresses).lookup });
      const result = await post(`http://receiver.test:${server.port}`);
      expect(result).toMatchObject({ kind: "no-response", written: false });
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
  expect(await post(`http://[::1]:${six.port}`)).toMatchObject({ kind: "response", status: 200 });
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
      if (result.kind === "no-response") expect(result.written).toBe(false);
    }
    if (expected === "delivered: ") {
      expect(seen).toEqual([servername, servername]);
      expect(secure.sockets).toHaveLength(1);
    } else {
      expect(seen).toEqual([]);
    }
    await secure[Symbol.asyncDispose]();
  });

  test("a large request, a response in pieces, and a close by the server", async () => {
    const secure = await startRawServer(
      (socket) => {
        socket.write("HTTP/1.1 400 Bad\r\ncontent-");
        setTimeout(() => socket.end("length: 2\r\n\r\nno"), 10);
      },
      { tls: authority.issue() },
    );
    transport = open({ tls: { caFile } });
    const large = Buffer.alloc(300_000, "x");
    const origin = `https://127.0.0.1:${secure.port}`;
    expect(await post(origin, large)).toMatchObject({ kind: "response", status: 400, body: "no" });
    expect(secure.requests[0]?.endsWith("x".repeat(300_000))).toBe(true);
    await until("it is forgotten", () => transport.origins().length === 0);
    secure.act = (socket) => socket.write(ok);
    for (let index = 0; index < 3; index++) expect(await post(origin, large)).toMatchObject({ status: 200 });
    expect(secure.sockets).toHaveLength(2);
    await secure[Symbol.asyncDispose]();
  });

  test("files that cannot be used", async () => {
    transport = open({ tls: { caFile: join(folder, "none.pem") } });
    const result = await post("https://127.0.0.1:1");
    expect(result).toMatchObject({ kind: "no-response", written: false });
    expect(result.kind === "no-response" && describeError(result.error)).toContain("none.pem");
    await until("it is forgotten", () => transport.origins().length === 0);
  });

  test("plain HTTP where TLS is expected", async () => {
    expect(told(await post(`https://127.0.0.1:${server.port}`))).toMatch(/^(tls|connect): /);
  });
});
