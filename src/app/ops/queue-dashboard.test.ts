import { Queue } from "bullmq";
import type { FastifyInstance } from "fastify";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { silentLogger } from "../../base/log/log.ts";
import { buildOpsApp } from "./app.ts";
import { queueDashboard } from "./queue-dashboard.ts";
import { createQueueRegistry } from "./queue-metrics.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A queue whose Redis is unreachable. */
function idleQueue(): Queue {
  const connection = new Redis({ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  connection.on("error", () => undefined);
  const queue = new Queue("export-cycles", { connection, skipVersionCheck: true, skipWaitingForReady: true });
  queue.on("error", () => undefined);
  closing.push(() => connection.disconnect());
  return queue;
}

function appWith(isWritable: boolean): FastifyInstance {
  const queues = [idleQueue()];
  const app = buildOpsApp({
    listenHost: "127.0.0.1",
    hosts: [],
    status: () => ({
      version: "1",
      startedAt: "",
      state: "running",
      ready: true,
      degraded: [],
      policies: [],
    }),
    readiness: () => ({ ready: true, reasons: [] }),
    degraded: () => [],
    registries: [createQueueRegistry(queues)],
    dashboard: queueDashboard({ queues, isWritable }),
    nowMs: () => 0,
    log: silentLogger,
  });
  closing.push(() => app.close());
  return app;
}

test("the dashboard is a page under /queues, with a policy of its own", async () => {
  const app = appWith(false);
  const page = await app.inject("/queues");
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain("telemetryd queues");
  expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
  const script = /src="(static\/js\/main[^"]+)"/.exec(page.body)?.[1];
  expect((await app.inject(`/queues/${script}`)).statusCode).toBe(200);
  expect((await app.inject("/")).headers["content-security-policy"]).not.toContain("script-src 'self'");
});

test.each([
  ["read", false, {}, true],
  ["read, from another site", false, { "sec-fetch-site": "cross-site" }, true],
  ["write, from another site", true, { "sec-fetch-site": "cross-site" }, true],
  ["write, from another site's subdomain", true, { "sec-fetch-site": "same-site" }, true],
  ["write, from who knows where", true, {}, true],
  ["write, from another origin", true, { origin: "http://evil.example" }, true],
  ["write, from a page without an origin", true, { origin: "null" }, true],
  ["write, from another port", true, { origin: "http://localhost:1" }, true],
  [
    "write, what Origin says when Sec-Fetch-Site says otherwise",
    true,
    { origin: "http://localhost", "sec-fetch-site": "cross-site" },
    true,
  ],
  ["write", true, { "sec-fetch-site": "same-origin" }, false],
  ["write, by an old browser", true, { origin: "http://localhost" }, false],
])("ops.dashboard: %s", async (_, isWritable, headers, isRefused) => {
  const url = "/queues/api/queues/export-cycles/pause";
  const response = await appWith(isWritable).inject({ method: "PUT", url, headers });
  expect(response.statusCode === 403).toBe(isRefused);
});

test("metrics leave the queues out while Redis is unavailable", async () => {
  const response = await appWith(false).inject("/metrics");
  expect(response.statusCode).toBe(200);
  expect(response.body).not.toContain("bullmq_job_count{");
});
