import { beforeEach, describe, expect, test } from "vitest";
import { busyDaemon } from "../../../test/support/daemon/daemon-status.ts";
import { until } from "../../../test/support/until.ts";
import { Deferred } from "../../base/core/deferred.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { RejectedFolder } from "../../exporter/remote-write/rejected/rejected-access.ts";
import type { RejectedEntry } from "../../exporter/remote-write/rejected/rejected-file.ts";
import { buildOpsApp } from "./app.ts";

const entry = { id: "1", atMs: 5 } as RejectedEntry;
let calls: string[];
let replay: RejectedFolder["replay"];

beforeEach(() => {
  calls = [];
  replay = () => Promise.resolve({ entry, outcome: { kind: "undeclared" } });
});

const known = (id: string) => id === entry.id;
const folder: RejectedFolder = {
  async *entries(sinceMs) {
    calls.push(`list ${sinceMs}`);
    yield entry;
    yield entry;
  },
  read: () => Promise.reject(new Error("the routes send files")),
  file: (id) => Promise.resolve(known(id) ? Buffer.from(`file ${id}`) : undefined),
  replay: (id, signal) => {
    calls.push(`replay ${id}`);
    return known(id) ? replay(id, signal) : Promise.resolve(undefined);
  },
  remove: (id) => {
    calls.push(`remove ${id}`);
    return Promise.resolve(known(id));
  },
};

function app() {
  return buildOpsApp({
    listenHost: "0.0.0.0",
    hosts: ["ops.example"],
    status: () => busyDaemon(1, 0),
    readiness: () => ({ ready: true, reasons: [] }),
    degraded: () => [],
    registries: [],
    rejected: folder,
    nowMs: () => 0,
    log: silentLogger,
  });
}

const command = { host: "127.0.0.1:9464", "x-telemetryd-command": "rejected" };
const path = "/api/v1/rejected";

test.each([
  ["GET", path, 200, `${JSON.stringify(entry)}\n`.repeat(2), ["list 0"]],
  ["GET", `${path}?since=7`, 200, `${JSON.stringify(entry)}\n`.repeat(2), ["list 7"]],
  ["GET", `${path}/1`, 200, "file 1", []],
  ["GET", `${path}/2`, 404, "there is no such entry\n", []],
  ["POST", `${path}/1/replay`, 200, JSON.stringify({ entry, outcome: { kind: "undeclared" } }), ["replay 1"]],
  ["POST", `${path}/2/replay`, 404, "there is no such entry\n", ["replay 2"]],
  ["DELETE", `${path}/1`, 204, "", ["remove 1"]],
  ["DELETE", `${path}/2`, 404, "there is no such entry\n", ["remove 2"]],
  ["DELETE", path, 404, "not found\n", []],
] as const)("%s %s is %d", async (method, url, statusCode, body, called) => {
  const response = await app().inject({ method, url, headers: command });
  expect([response.statusCode, response.body]).toEqual([statusCode, body]);
  expect(calls).toEqual(called);
});

describe("only a command on this machine", () => {
  const requests = [
    ["GET", path],
    ["GET", `${path}/1`],
    ["POST", `${path}/1/replay`],
    ["DELETE", `${path}/1`],
  ] as const;

  test.each<[string, Record<string, string>, string?]>([
    ["a request from another machine", {}, "10.1.2.3"],
    ["a mapped address of another machine", {}, "::ffff:10.1.2.3"],
    ["a request for another host", { host: "10.1.2.3:9464" }],
    ["a configured name, which a proxy uses", { host: "ops.example" }],
    ["a page of another site, in any browser", { origin: "http://evil.example" }],
    ["a page without an origin", { origin: "null" }],
    ["a page of the same site", { "sec-fetch-site": "same-origin" }],
    ["a link", { referer: "http://evil.example/" }],
    ["a forwarded request", { "x-forwarded-for": "10.1.2.3" }],
    ["a request through a proxy", { via: "1.1 proxy" }],
    ["a request without the header of commands", { "x-telemetryd-command": "" }],
  ])("%s is refused", async (_, more, remoteAddress = "127.0.0.1") => {
    const headers: Record<string, string> = { ...command, ...more };
    if (headers["x-telemetryd-command"] === "") delete headers["x-telemetryd-command"];
    for (const [method, url] of requests) {
      const { statusCode, body } = await app().inject({ method, url, headers, remoteAddress });
      expect([url, statusCode]).toEqual([url, 403]);
      expect(body).not.toContain("evil");
    }
    expect(calls).toEqual([]);
  });

  test.each([
    ["localhost:9464", "127.0.0.1"],
    ["[::1]:9464", "::1"],
    ["127.0.0.1", "::ffff:127.0.0.1"],
  ])("host %s from %s is one", async (host, remoteAddress) => {
    const headers = { ...command, host };
    expect((await app().inject({ url: path, headers, remoteAddress })).statusCode).toBe(200);
  });

  test("a preflight gets no permission", async () => {
    const headers = { host: "127.0.0.1", origin: "http://evil.example" };
    const response = await app().inject({ method: "OPTIONS", url: path, headers });
    expect(response.statusCode).toBe(404);
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

test("two requests at once; their places are free again afterwards", async () => {
  const ended = new Deferred<void>();
  replay = async () => {
    await ended.promise;
    return { entry, outcome: { kind: "undeclared" } };
  };
  const server = app();
  const post = async () => server.inject({ method: "POST", url: `${path}/1/replay`, headers: command });
  const first = [post(), post()];
  await until("both are in progress", () => calls.length === 2);
  expect((await post()).statusCode).toBe(503);
  ended.resolve();
  for (const { statusCode } of await Promise.all(first)) expect(statusCode).toBe(200);
  expect((await post()).statusCode).toBe(200);
});

test("without exports there is no such path", async () => {
  const without = buildOpsApp({
    ...{ listenHost: "127.0.0.1", hosts: [], status: () => busyDaemon(1, 0), registries: [] },
    ...{ readiness: () => ({ ready: true, reasons: [] }), degraded: () => [], nowMs: () => 0 },
    log: silentLogger,
  });
  expect((await without.inject({ url: path, headers: command })).statusCode).toBe(404);
});
