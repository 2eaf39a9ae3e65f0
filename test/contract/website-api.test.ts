import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest, METHODS } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { freePort } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** Every sentence of the website API's contract, tested against running daemons over sockets. */

const current = "/api/v1/roadmap/backlog-meta";
const alias = "/api/roadmap/backlog-meta";

const releasers = new Releasers();
/**
 * A server with a filled cache, one that allows each client three requests a minute, and one with an empty
 * cache.
 */
let url = "";
let strictUrl = "";
let blindUrl = "";
/** Response to a client that never completes its request; started early, since it takes a while. */
let toSlowClient: Promise<string>;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "contract-"));
  releasers.push(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "backlog.json");
  const item = { number: 1, title: "T", url: "https://example.com/1", labels: ["a"], status: "Planned" };
  await writeFile(file, JSON.stringify({ items: [item] }));
  const open = { limit: 1_000_000, window: "60s" };
  const dead = { redis: { url: `redis://127.0.0.1:${await freePort()}` } };
  url = await startWebsite(directory, "filled", { api: { rateLimit: open }, file });
  strictUrl = await startWebsite(directory, "strict", {
    api: { rateLimit: { limit: 3, window: "2s" }, trustProxy: true },
    file,
  });
  blindUrl = await startWebsite(directory, "blind", { api: { rateLimit: open }, file, ...dead });
  toSlowClient = raw(url, `GET ${current} HTTP/1.1\r\nHost: a\r\n`);
  await until("the cache is filled", async () => (await statusOf(url)).updatedAt !== null);
  await until("nothing refreshes", async () => !(await statusOf(url)).isRefreshing);
});
afterAll(() => releasers.releaseAll());

/** A daemon that serves the website API; without `redis`, it runs a private redis-server. */
async function startWebsite(
  directory: string,
  name: string,
  { file, api, ...sections }: { readonly file: string; readonly api: object; readonly redis?: object },
): Promise<string> {
  const port = await freePort();
  const daemon = await spawnDaemon({
    directory: join(directory, name),
    config: {
      roadmap: { file, refreshInterval: "1h" },
      api: { listen: `127.0.0.1:${port}`, ...api },
      state: { directory: join(directory, name, "state") },
      ...sections,
    },
  });
  releasers.push(() => endDaemon(daemon));
  const base = `http://127.0.0.1:${port}`;
  await until("the website API listens", async () => (await fetch(base + current)).status > 0);
  return base;
}

async function statusOf(base: string): Promise<{ updatedAt: number | null; isRefreshing: boolean }> {
  return (await (await fetch(base + current)).json()) as { updatedAt: number | null; isRefreshing: boolean };
}

/** A request from a separate client, for the rate limit: the strict server trusts its proxy's header. */
function strictly(path: string, client: string): Promise<Response> {
  return fetch(strictUrl + path, { headers: { "x-forwarded-for": client } });
}

async function expectProblem(response: Response, status: number): Promise<Record<string, unknown>> {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("api-version")).toBe("v1");
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem["type"]).toBe("about:blank");
  expect(problem["title"]).toMatch(/\w/);
  expect(problem["status"]).toBe(status);
  for (const key of Object.keys(problem)) {
    expect(["type", "title", "status", "detail", "instance"]).toContain(key);
  }
  return problem;
}

function expectRateLimit({ headers }: Response): { limit: number; remaining: number; reset: number } {
  const read = (name: string): number => {
    expect(headers.get(name), name).toMatch(/^\d+$/);
    return Number(headers.get(name));
  };
  expect(headers.get("api-version")).toBe("v1");
  return {
    limit: read("ratelimit-limit"),
    remaining: read("ratelimit-remaining"),
    reset: read("ratelimit-reset"),
  };
}

/** A server's response to bytes that no HTTP client would send. */
function raw(base: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(base);
    const socket = connect({ port: Number(port), host: hostname }, () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    // A server may close while the client still sends: the response received before counts.
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(text)));
    socket.on("close", () => resolve(text));
    socket.setTimeout(30_000, () => socket.destroy(new Error("no response")));
  });
}

function expectRawProblem(text: string, status: number): void {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/^content-type: application\/problem\+json\r?$/im);
  expect(head).toMatch(/^api-version: v1\r?$/im);
  expect(JSON.parse(body)).toMatchObject({ type: "about:blank", status });
}

describe.each([
  ["the current path", current],
  ["the alias", alias],
])("GET %s", (_name, path) => {
  const isAlias = path === alias;

  test("200: the status, as application/json, without authentication", async () => {
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body).sort()).toEqual(["isRefreshing", "updatedAt"]);
    expect(body["isRefreshing"]).toBe(false);
    expect(Number.isInteger(body["updatedAt"])).toBe(true);
    // Milliseconds, not seconds.
    expect(Math.abs(Number(body["updatedAt"]) - Date.now())).toBeLessThan(600_000);
    expectRateLimit(response);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test(`200 ${isAlias ? "carries" : "does not carry"} Deprecation and Link, and no Sunset`, async () => {
    const { headers } = await fetch(url + path);
    expect(headers.get("sunset")).toBeNull();
    if (!isAlias) {
      expect([headers.get("deprecation"), headers.get("link")]).toEqual([null, null]);
      return;
    }
    expect(headers.get("link")).toBe('</api/v1/roadmap/backlog-meta>; rel="successor-version"');
    expect(headers.get("deprecation")).toMatch(/^@\d{10}$/);
    expect(Number(headers.get("deprecation")?.slice(1)) * 1_000).toBeLessThan(Date.now());
  });

  test("429: Too Many Requests, with Retry-After = the rest of the window; then it is true", async () => {
    const client = isAlias ? "192.0.2.1" : "192.0.2.2";
    // A window may end between two of the requests; this one is then in the next window.
    let refused = await strictly(path, client);
    for (let asked = 0; asked < 6 && refused.status !== 429; asked++) refused = await strictly(path, client);
    const { limit, remaining, reset } = expectRateLimit(refused);
    expect([limit, remaining]).toEqual([3, 0]);
    expect(reset).toBeLessThanOrEqual(2);
    expect(refused.headers.get("retry-after")).toBe(String(reset));
    expect(refused.headers.get("deprecation")).toBeNull();
    expect((await expectProblem(refused, 429))["title"]).toBe("Too Many Requests");
    await delay(reset * 1_000);
    const again = await strictly(path, client);
    expect(again.status).toBe(200);
    expect(expectRateLimit(again).remaining).toBe(2);
  });

  test("500: nothing was ever known; nothing of the inside is shown", async () => {
    const response = await fetch(blindUrl + path);
    expectRateLimit(response);
    expect(response.headers.get("deprecation")).toBeNull();
    const problem = await expectProblem(response, 500);
    expect(problem).toEqual({ type: "about:blank", title: "Internal Server Error", status: 500 });
  });

  test("HEAD responds as GET, without a body", async () => {
    const [get, head] = [await fetch(url + path), await fetch(url + path, { method: "HEAD" })];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    const names = (response: Response): string[] =>
      [...response.headers.keys()].filter((name) => name !== "keep-alive").sort();
    expect(names(head)).toEqual(names(get));
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });

  test("takes no parameters: a query changes nothing", async () => {
    const response = await fetch(`${url}${path}?updatedAt=1&isRefreshing=true`);
    expect(response.status).toBe(200);
    expect(((await response.json()) as { isRefreshing: boolean }).isRefreshing).toBe(false);
  });

  test("any page may read it and its headers", async () => {
    const response = await fetch(url + path, { headers: { origin: "https://elsewhere.example" } });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const exposed = response.headers.get("access-control-expose-headers")?.toLowerCase().split(", ");
    expect(exposed).toEqual(
      expect.arrayContaining([
        ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "api-version"],
        ...["retry-after", "deprecation", "link"],
      ]),
    );
    const preflight = await fetch(url + path, {
      method: "OPTIONS",
      headers: { origin: "https://elsewhere.example", "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
    expect(preflight.headers.get("api-version")).toBe("v1");
  });

  test("every method that Node knows gets a response, all but three with 405 and Allow", async () => {
    for (const method of METHODS.filter((one) => !["GET", "HEAD", "OPTIONS", "CONNECT"].includes(one))) {
      const [head = "", body = ""] = await new Promise<[string, string]>((resolve, reject) => {
        const asked = httpRequest(url + path, { method, agent: false }, (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on("end", () =>
            resolve([
              `${response.statusCode} ${response.headers["content-type"]} ${response.headers.allow}`,
              text,
            ]),
          );
        });
        asked.on("error", reject);
        asked.end();
      });
      expect(head, method).toBe("405 application/problem+json GET, HEAD, OPTIONS");
      expect(JSON.parse(body)).toMatchObject({ status: 405, title: "Method Not Allowed" });
    }
  });
});

describe("the rate limit", () => {
  test("counts both paths together, and each client for itself", async () => {
    await startOfWindow();
    const first = expectRateLimit(await strictly(current, "192.0.2.10"));
    const second = expectRateLimit(await strictly(alias, "192.0.2.10"));
    const other = expectRateLimit(await strictly(current, "192.0.2.11"));
    expect([first.limit, first.remaining, second.remaining, other.remaining]).toEqual([3, 2, 1, 2]);
    expect(first.reset).toBeLessThanOrEqual(2);
    expect(first.reset).toBeGreaterThanOrEqual(1);
  });

  test("IPv6 clients count by their /64", async () => {
    await startOfWindow();
    const remaining = async (client: string): Promise<number> =>
      expectRateLimit(await strictly(current, client)).remaining;
    expect([
      await remaining("2001:db8:1:1::1"),
      await remaining("2001:db8:1:1:ffff::2"),
      await remaining("2001:db8:1:2::1"),
    ]).toEqual([2, 1, 2]);
  });

  test("X-Forwarded-For is believed only behind a proxy", async () => {
    const remaining = async (client: string): Promise<number> =>
      expectRateLimit(await fetch(url + current, { headers: { "x-forwarded-for": client } })).remaining;
    const [first, second] = [await remaining("198.51.100.1"), await remaining("198.51.100.2")];
    // Both requests come from the same client, so the count goes down unless the window ended in between.
    expect(second === first - 1 || second === 999_999).toBe(true);
  });

  /** Waits until the next requests fall into one window. */
  async function startOfWindow(): Promise<void> {
    const { reset } = expectRateLimit(await strictly(current, "192.0.2.99"));
    await delay(reset * 1_000);
  }
});

describe("every other response that is not 2xx is a Problem too", () => {
  test.each([
    "/",
    "/nowhere",
    "/api/v1/roadmap",
    `${current}/`,
    "/api/v2/roadmap/backlog-meta",
    "/%zz",
    "/a%00b",
  ])("404 or 400 for %s", async (path) => {
    const response = await fetch(url + path);
    expect([400, 404]).toContain(response.status);
    await expectProblem(response, response.status);
  });

  test("404 for other methods on unknown paths", async () => {
    await expectProblem(await fetch(`${url}/nowhere`, { method: "POST", body: "x" }), 404);
  });

  test("413 for a large body, 411 for one of unknown length", async () => {
    await expectProblem(await fetch(url + current, { method: "POST", body: "x".repeat(100_000) }), 413);
    const chunked = `POST ${current} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`;
    expectRawProblem(await raw(url, chunked), 411);
  });

  test.each<[string, number, () => string]>([
    ["no HTTP at all", 400, () => "hello\r\n\r\n"],
    ["an unknown method", 400, () => "FETCH / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a header without a colon", 400, () => `GET ${current} HTTP/1.1\r\nHost a\r\n\r\n`],
    ["two Hosts", 400, () => `GET ${current} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`],
    ["no Host", 400, () => `GET ${current} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    [
      "a long target",
      414,
      () => `GET /${"x".repeat(9_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ],
    ["a very long target", 414, () => `GET /${"x".repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [
      "large headers",
      431,
      () => `GET ${current} HTTP/1.1\r\nHost: a\r\n${`X-A: ${"b".repeat(100)}\r\n`.repeat(900)}\r\n`,
    ],
    [
      "an expectation that nobody meets",
      417,
      () => `GET ${current} HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n`,
    ],
    [
      "two Host headers, to a shortcut",
      400,
      () => `GET ${current} HTTP/1.1\r\nHost: a\r\nHOST: b\r\nConnection: close\r\n\r\n`,
    ],
    [
      "two Host headers, to the page",
      400,
      () => "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n",
    ],
    ["CONNECT", 405, () => "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"],
    [
      "both a length and chunks",
      400,
      () =>
        `POST ${current} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])("%s: %i", async (_name, status, bytes) => {
    expectRawProblem(await raw(url, bytes()), status);
  });

  test("408 for a client that does not get on with its request", async () => {
    expectRawProblem(await toSlowClient, 408);
  });

  test("an upgrade that nobody offers is an ordinary request", async () => {
    const text = await raw(
      url,
      `GET ${current} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("HTTP/1.0 without a Host is served", async () => {
    expect(await raw(url, `GET ${current} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("the additions", () => {
  test("the backlog, with a tag and 304", async () => {
    const response = await fetch(`${url}/api/v1/roadmap/backlog`);
    expect(response.status).toBe(200);
    expectRateLimit(response);
    const { items } = (await response.json()) as { items: unknown[] };
    expect(items.length).toBe(1);
    const tag = response.headers.get("etag") ?? "";
    const again = await fetch(`${url}/api/v1/roadmap/backlog`, { headers: { "if-none-match": tag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
    expectRateLimit(again);
  });

  test("the OpenAPI document names both operations as the contract does", async () => {
    const response = await fetch(`${url}/api/v1/openapi.json`);
    const document = (await response.json()) as {
      openapi: string;
      paths: Record<string, { get: { operationId: string; deprecated?: boolean } }>;
    };
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.paths[current]?.get.operationId).toBe("getRoadmapBacklogMeta");
    expect(document.paths[alias]?.get.operationId).toBe("getRoadmapBacklogMetaLegacy");
    expect(document.paths[alias]?.get.deprecated).toBe(true);
  });

  test("the page is complete without script", async () => {
    const response = await fetch(`${url}/roadmap`);
    expect([response.status, response.headers.get("api-version")]).toEqual([200, "v1"]);
    expect(await response.text()).toContain('<a href="https://example.com/1"><bdi>T</bdi></a>');
  });
});
