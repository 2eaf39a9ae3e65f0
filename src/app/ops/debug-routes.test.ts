import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { createLogger, type Logger } from "../../base/log/log.ts";
import { logLevel } from "../commands/log-level.ts";
import { debugRoutes } from "./debug-routes.ts";

const headers = { "x-telemetryd-command": "1" };
const never = new AbortController().signal;
let close: () => Promise<unknown>;
let log: Logger;
let address: string;

beforeEach(async () => {
  log = createLogger("info", { write: () => undefined }, false);
  const app = Fastify();
  app.register(debugRoutes(log), { prefix: "/debug" });
  close = () => app.close();
  await app.listen({ host: "127.0.0.1", port: 0 });
  address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(() => close());

const get = (path: string, signal = never) => fetch(`${address}/debug/${path}`, { headers, signal });

test.each(["profile", "heap", "log-level"])("%s is for commands only", async (path) => {
  expect((await fetch(`${address}/debug/${path}`)).status).toBe(403);
});

test.each([
  ["profile", "nodes", ".cpuprofile"],
  ["heap", "head", ".heapprofile"],
])("%s is a profile of this process, as a file", async (path, field, ending) => {
  const response = await get(`${path}?seconds=1`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-disposition")).toContain(ending);
  expect(await response.json()).toHaveProperty(field);
});

test.each(["0", "61", "1.5", "", "x", "1&seconds=2"])("seconds=%s is refused", async (seconds) => {
  expect((await get(`profile?seconds=${seconds}`)).status).toBe(400);
});

test("there is one profile at a time, which ends with its client", async () => {
  const client = new AbortController();
  const first = get("profile?seconds=60", client.signal).catch(() => undefined);
  await until("a second one is refused", async () => (await get("heap?seconds=1")).status === 503);
  client.abort();
  await first;
  await until("it has ended", async () => (await get("profile?seconds=1")).status === 200);
});

test("telemetryd log-level shows and sets the level", async () => {
  let written = "";
  const run = (level?: string) => logLevel(address, level, { write: (text) => (written += text) }, never);
  await run();
  await run("debug");
  expect(written).toBe("info\ndebug (was info), until the configuration is read again\n");
  expect(log.level).toBe("debug");
  await expect(run("loud")).rejects.toThrow("level must be one of fatal, error, warn, info, debug, trace");
  expect(log.level).toBe("debug");
});
