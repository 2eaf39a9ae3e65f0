import { afterEach, expect, test } from "vitest";
import { Releasers } from "../../base/core/service.ts";
import { silentLogger } from "../../base/log/log.ts";
import { listenerOf } from "../../base/net/listen-address.ts";
import type { Backlog, BacklogCacheStatus } from "../board/backlog.ts";
import { defaultPace } from "../page/page.ts";
import { createApp } from "./app.ts";
import { createHttpServer } from "./http-server.ts";
import { createApiMetrics } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";
import { type Operation, operations } from "./operations.ts";
import { createRateCounter } from "./rate-counter.ts";

const backlog: Backlog = {
  meta: {
    format: 1,
    updatedAt: 7,
    readAt: 7,
    board: "b",
    boardVersion: "v",
    statuses: ["Planned"],
    contentId: "c",
  },
  items: [{ number: 1, title: "T", url: "https://example.com/1", labels: [], status: "Planned" }],
};

interface State {
  status: BacklogCacheStatus | undefined;
  backlog: Backlog | undefined;
  isBroken: boolean;
}

const releasers = new Releasers();
afterEach(() => releasers.releaseAll());

function setUp(limit = 100) {
  const state: State = { status: { updatedAt: 7, isRefreshing: false }, backlog, isBroken: false };
  const metrics = createApiMetrics();
  const app = createApp({
    roadmap: {
      status: () => {
        if (state.isBroken) throw new Error("secret inside");
        return state.status;
      },
      backlog: () => state.backlog,
      noticeRequest: () => undefined,
    },
    rate: createRateCounter({ limit, windowMs: 60_000 }, () => Date.now()),
    trustProxy: false,
    pace: defaultPace,
    log: silentLogger,
  });
  const bounds = { connections: 9, connectionsPerAddress: 9 };
  const server = createHttpServer({ app, bounds, metrics, log: silentLogger });
  const listening = listenerOf(server).listen({ host: "127.0.0.1", port: 0 });
  releasers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch((await listening) + path, { headers });
    const body = await response.text();
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers) as Record<string, string | undefined>,
      body,
      json: () => JSON.parse(body) as unknown,
    };
  };
  return { state, get, metrics };
}

type Setting = ReturnType<typeof setUp>;

/** How to provoke each documented response. */
const recipes: Record<string, (setting: Setting) => Record<string, string>> = {
  200: () => ({}),
  304: () => ({ "if-none-match": "*" }),
  429: () => ({}),
  500: ({ state }) => {
    state.status = undefined;
    state.backlog = undefined;
    return {};
  },
  503: ({ state }) => {
    state.backlog = undefined;
    return {};
  },
};

const documented = Object.entries(
  openApiDocument()["paths"] as Record<string, { get: { responses: object } }>,
).flatMap(([path, { get }]) => Object.keys(get.responses).map((status) => [path, status] as const));

test.each(documented)("%s responses %s as documented", async (path, status) => {
  const setting = setUp(status === "429" ? 0 : 100);
  const headers = recipes[status]!(setting);
  const response = await setting.get(path, headers);
  expect(String(response.statusCode)).toBe(status);
  const operation: Operation = Object.values(operations).find((one) => one.path === path)!;
  const spec = operation.responses[Number(status)]!;
  expect(response.headers["content-type"]).toBe(spec.contentType);
  for (const name of spec.headers) expect(response.headers, name).toHaveProperty(name.toLowerCase());
  const all = ["RateLimit-Limit", "Retry-After", "Deprecation", "Link", "ETag", "Sunset"];
  for (const name of all.filter((one) => !spec.headers.some((header) => header === one))) {
    expect(response.headers, name).not.toHaveProperty(name.toLowerCase());
  }
});

test("every route that is served is documented, and the other way round", async () => {
  const { get } = setUp();
  const documentedPaths = Object.keys(openApiDocument()["paths"] as object);
  expect(Object.values(operations).map(({ path }) => path)).toEqual(documentedPaths);
  for (const path of documentedPaths) expect((await get(path)).statusCode, path).toBe(200);
});

test("every reference in the document resolves", () => {
  const text = JSON.stringify(openApiDocument());
  const document = JSON.parse(text) as Record<string, unknown>;
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(references.length).toBeGreaterThan(10);
  for (const reference of references) {
    const found = reference
      .split("/")
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
    expect(found, reference).toBeTypeOf("object");
  }
});

test("a fault inside is a 500 that says nothing of it", async () => {
  const { state, get } = setUp();
  state.isBroken = true;
  const response = await get("/api/v1/roadmap/backlog-meta");
  expect(response.statusCode).toBe(500);
  expect(response.json()).toEqual({ type: "about:blank", title: "Internal Server Error", status: 500 });
  expect(response.headers["ratelimit-remaining"]).toBe("99");
});

test("a page that cannot be rendered is a 500 too", async () => {
  const { state, get, metrics } = setUp();
  state.isBroken = true;
  const response = await get("/roadmap");
  expect([response.statusCode, response.headers["ratelimit-limit"]]).toEqual([500, undefined]);
  expect(await metrics.registry.metrics()).toContain('{operation="page",code="500"} 1');
});

test("the backlog's tag stays while the items do, and changes with them", async () => {
  const { state, get } = setUp();
  const tag = (await get("/api/v1/roadmap/backlog")).headers.etag as string;
  state.backlog = { ...backlog, meta: { ...backlog.meta, updatedAt: 8 } };
  const again = await get("/api/v1/roadmap/backlog", { "if-none-match": `"other", W/${tag}` });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
  state.backlog = { ...backlog, items: [] };
  const changed = await get("/api/v1/roadmap/backlog", { "if-none-match": tag });
  expect([changed.statusCode, changed.json()]).toEqual([200, { statuses: ["Planned"], items: [] }]);
});

test("requests are counted by operation and code", async () => {
  const { get, metrics } = setUp();
  await get("/api/v1/roadmap/backlog-meta");
  await get("/nowhere");
  const text = await metrics.registry.metrics();
  expect(text).toContain('telemetryd_api_requests_total{operation="status",code="200"} 1');
  expect(text).toContain('telemetryd_api_requests_total{operation="other",code="404"} 1');
});
