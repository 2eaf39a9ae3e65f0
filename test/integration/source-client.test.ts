import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { StoreClient } from "../../src/exporter/metrics-store/client/store-client.ts";
import type {
  MetricsStoreSettings,
  StoreTimeouts,
} from "../../src/exporter/metrics-store/client/store-settings.ts";
import { createAuthority } from "../support/net/certificates.ts";

const forever = new AbortController().signal;
const request = { path: "/api/v1/export", form: new URLSearchParams({ "match[]": "up" }) };

let server: Server;
let respond: RequestListener = (_, response) => response.end();
const asked: IncomingMessage[] = [];
let client: StoreClient;

beforeAll(async () => {
  server = createServer((message, response) => {
    asked.push(message);
    message.resume();
    respond(message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await client.close();
  await client.close();
  asked.length = 0;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function settingsOf(): MetricsStoreSettings {
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/prefix/`, flavor: "auto", concurrency: 2 };
}

function connect(
  settings: Partial<MetricsStoreSettings> = {},
  timeouts: Partial<StoreTimeouts> = {},
): StoreClient {
  client = new StoreClient({ ...settingsOf(), ...settings }, { timeouts });
  return client;
}

async function bodyOf(
  of: StoreClient,
): Promise<{ response: Awaited<ReturnType<StoreClient["request"]>>; text: string }> {
  let text = "";
  const got = await of.request(
    request,
    (chunk) => {
      text += chunk.toString();
      return true;
    },
    forever,
  );
  return { response: got, text };
}

describe("bodies", () => {
  const body = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join("");

  test("compressed ones are unpacked", async () => {
    respond = (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(body));
    };
    expect(await bodyOf(connect())).toMatchObject({
      response: { kind: "response", whole: true },
      text: body,
    });
  });

  test("a compressed one that is cut off is a lost connection", async () => {
    respond = (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(body).subarray(0, 10_000));
    };
    expect((await bodyOf(connect())).response).toMatchObject({ kind: "failed", reason: "connection_lost" });
  });

  test("shorter than announced is a lost connection", async () => {
    respond = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.socket?.destroy());
    };
    expect((await bodyOf(connect())).response).toMatchObject({ kind: "failed", reason: "connection_lost" });
  });

  test("what the callee throws is the caller's", async () => {
    respond = (_, response) => response.end(body);
    const failing = connect().request(
      request,
      () => {
        throw new Error("the callee's fault");
      },
      forever,
    );
    await expect(failing).rejects.toThrow("the callee's fault");
  });

  test("an aborted signal rejects with its reason, before and after the headers", async () => {
    respond = (_, response) => {
      response.write("beginning");
    };
    const abort = new AbortController();
    const reading = connect().request(
      request,
      () => {
        abort.abort(new Error("enough"));
        return true;
      },
      abort.signal,
    );
    await expect(reading).rejects.toThrow("enough");
    await expect(client.request(request, () => true, abort.signal)).rejects.toThrow("enough");
  });
});

describe("limits", () => {
  test("no headers", async () => {
    respond = () => {};
    expect((await bodyOf(connect({}, { headersMs: 50 }))).response).toMatchObject({ reason: "timeout" });
  });

  test("a body that stalls", async () => {
    respond = (_, response) => {
      response.write("beginning");
    };
    expect((await bodyOf(connect({}, { bodyIdleMs: 50 }))).response).toMatchObject({ reason: "timeout" });
  });
});

describe("connections", () => {
  test("are kept between requests", async () => {
    let sockets = 0;
    const count = () => sockets++;
    server.on("connection", count);
    respond = (_, response) => response.end("x");
    connect();
    for (let index = 0; index < 5; index++) await bodyOf(client);
    server.off("connection", count);
    // The next request may start just before the previous connection is released.
    expect(sockets).toBeLessThanOrEqual(2);
  });

  test("a kept one that the store closed meanwhile costs no read", async () => {
    respond = (_, response) => response.end("x");
    connect();
    await bodyOf(client);
    let resets = 0;
    respond = (message, response) => {
      if (resets++ === 0) message.socket.resetAndDestroy();
      else response.end("again");
    };
    expect(await bodyOf(client)).toMatchObject({ response: { kind: "response" }, text: "again" });
    respond = (message) => message.socket.resetAndDestroy();
    expect((await bodyOf(client)).response).toMatchObject({ kind: "failed", reason: "connection_lost" });
    expect(asked).toHaveLength(5);
  });
});

describe("credentials", () => {
  test("are sent, and read again when their file has changed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "telemetryd-client-"));
    const passwordFile = join(folder, "password");
    respond = (_, response) => response.end();
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    client = new StoreClient({ ...settingsOf(), basicAuth: { username: "reader", passwordFile } }, { clock });
    expect((await bodyOf(client)).response).toMatchObject({
      kind: "failed",
      reason: "credentials_unreadable",
    });
    for (const password of ["one", "two"]) {
      await writeFile(passwordFile, `${password}\n`);
      nowMs += 10_000;
      await bodyOf(client);
    }
    await rm(folder, { recursive: true });
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual(
      ["one", "two"].map((password) => [
        "/prefix/api/v1/export",
        `Basic ${Buffer.from(`reader:${password}`).toString("base64")}`,
      ]),
    );
  });

  test("a compressed body of an error is quoted as text", async () => {
    respond = (_, response) => {
      response.writeHead(503, { "content-encoding": "gzip" }).end(gzipSync("too many\n concurrent queries"));
    };
    const { response } = await bodyOf(connect());
    expect(response).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("too many concurrent queries"),
    });
  });

  test("a failure's message holds no credential of the address", async () => {
    const url = "http://user:hunter2@127.0.0.1:1/?token=hunter2";
    expect(JSON.stringify((await bodyOf(connect({ url }))).response)).not.toContain("hunter2");
  });
});

describe("TLS", () => {
  const authority = createAuthority();
  const own = authority.issue(["store.internal"]);
  let folder: string;
  let secure: TlsServer;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "telemetryd-tls-"));
    await writeFile(join(folder, "ca.pem"), authority.cert);
    const { key, cert } = authority.issue();
    await writeFile(join(folder, "key.pem"), key);
    await writeFile(join(folder, "cert.pem"), cert);
    secure = createTlsServer(
      { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
      (message, response) => {
        message.resume();
        response.end(String((message.socket as TLSSocket).authorized));
      },
    );
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    secure.closeAllConnections();
    await new Promise((resolve) => secure.close(resolve));
    await rm(folder, { recursive: true });
  });

  test("the authority, the name and a certificate of our own are as configured", async () => {
    const [caFile, certFile, keyFile] = ["ca", "cert", "key"].map((name) => join(folder, `${name}.pem`));
    connect({ url, tls: { caFile, certFile, keyFile, serverName: "store.internal" } });
    expect(await bodyOf(client)).toMatchObject({ response: { kind: "response" }, text: "true" });
  });

  test.each([
    ["an unknown authority", {}],
    ["another name", { caFile: "ca.pem" }],
    ["a file that is missing", { caFile: "none.pem" }],
  ])("%s makes the store unreachable", async (_, { caFile }: { caFile?: string }) => {
    connect({ url, tls: { caFile: caFile && join(folder, caFile) } });
    expect((await bodyOf(client)).response).toMatchObject({ kind: "failed", reason: "unreachable" });
  });

  test("the system's authorities count too", async () => {
    vi.stubEnv("SSL_CERT_FILE", join(folder, "ca.pem"));
    connect({ url, tls: { serverName: "store.internal" } });
    expect(await bodyOf(client)).toMatchObject({ response: { kind: "response" }, text: "false" });
    vi.unstubAllEnvs();
  });

  test("nothing is verified when that is asked for", async () => {
    connect({ url, tls: { insecureSkipVerify: true } });
    expect(await bodyOf(client)).toMatchObject({ response: { kind: "response" }, text: "false" });
  });
});

describe("what the store is", () => {
  test("a store that knows no buildinfo is asked for an export", async () => {
    respond = (message, response) => {
      response.statusCode = message.url?.endsWith("/export") === true ? 200 : 404;
      response.end();
    };
    expect(await connect().probe(forever)).toEqual({ kind: "flavor", flavor: "victoriametrics" });
    expect(client.knownFlavor()).toBe("victoriametrics");
    await client.flavor(forever);
    expect(asked).toHaveLength(2);
  });

  test("a store that knows neither is unknown, and asked again", async () => {
    respond = (_, response) => {
      response.statusCode = 404;
      response.end();
    };
    expect(await connect().flavor(forever)).toMatchObject({ kind: "failed", reason: "unknown_flavor" });
    expect(client.knownFlavor()).toBeUndefined();
  });

  test("one that is configured is taken at its word, without asking", async () => {
    expect(await connect({ flavor: "prometheus" }).flavor(forever)).toEqual({
      kind: "flavor",
      flavor: "prometheus",
    });
    expect(asked).toHaveLength(0);
  });
});
