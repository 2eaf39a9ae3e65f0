import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { startChild } from "../../scripts/servers/child.ts";
import type { Finding } from "../../src/app/commands/doctor/findings.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { freePort, type RunningServer, startRedis, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll, setUpEach } from "../support/set-up.ts";

/** `telemetryd doctor`: each part of an installation, there and missing. */

const forever = new AbortController().signal;
let store: RunningServer;
let receiver: Receiver;
let folder: string;
let opsPort: number;
const password = "s3cret-of-the-policy";

setUpAll(async ({ keep }) => {
  await ensureBuilt(forever, () => undefined);
  store = await keep(startVictoriaMetrics());
}, 240_000);

setUpEach(async ({ keep, newFolder }) => {
  folder = await newFolder("doctor");
  receiver = await keep(startReceiver());
  opsPort = await freePort();
  await mkdir(join(folder, "policies"));
  await writePolicy({ endpoint: receiver.url });
  await configure();
});

async function writePolicy({ endpoint = "", metricsql = "up" }): Promise<void> {
  const target = { prometheusRemoteWrite: { endpoint, batch: { timeout: "1s", maxSize: 10 } } };
  const spec = {
    sources: [{ name: "all", metrics: { metricsql } }],
    sinks: [{ name: "receiver", sources: ["all"], target }],
  };
  const metadata = { name: "export", namespace: "default" };
  const policy = { apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy", metadata, spec };
  await writeFile(join(folder, "policies", "policy.json"), JSON.stringify(policy));
}

async function configure(...more: string[]): Promise<void> {
  const lines = [
    "policies: { directory: ./policies }",
    `metrics: { url: "${store.url}", headers: { X-Key: ${password} } }`,
    `ops: { listen: "127.0.0.1:${opsPort}" }`,
    "state: { directory: ./state }",
  ];
  const given = (line: string) => !more.some((other) => other.split(":")[0] === line.split(":")[0]);
  await writeFile(join(folder, "telemetryd.yaml"), [...lines.filter(given), ...more].join("\n"));
}

async function call(...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = await startChild({
    name: "telemetryd",
    program: process.execPath,
    args: [builtCli, "doctor", "--config", "telemetryd.yaml", "--address", `127.0.0.1:${opsPort}`, ...args],
    cwd: folder,
    env: { NO_COLOR: "1" },
  });
  const { code } = await child.exited;
  return { status: code, output: child.log() };
}

async function findings(): Promise<Map<string, Finding>> {
  const { output } = await call("--output", "json");
  return new Map((JSON.parse(output) as Finding[]).map((each) => [each.check, each]));
}

test("an installation that works", async () => {
  const { status, output } = await call();
  expect(output).toMatch(/^CHECK +RESULT +DETAIL\n/);
  expect(output).toMatch(/^metrics\.url +ok +http:.* responds \(victoriametrics\)$/m);
  expect(output).toMatch(/^sink default\/export\/receiver +ok +.* accepts requests \(HTTP 2\d\d\)$/m);
  expect(output).toMatch(/\n0 failed, 0 warnings, \d+ ok\n$/);
  expect(status).toBe(0);
  // It changes nothing: the directory would belong to whoever runs it.
  await expect(readFile(join(folder, "state"))).rejects.toThrow("ENOENT");
  expect(receiver.samples().size).toBe(0);
});

test.each<[string, () => Promise<unknown>, string, RegExp]>([
  [
    "a store that is unavailable",
    () => configure('metrics: { url: "http://127.0.0.1:9" }'),
    "metrics.url",
    /ECONNREFUSED/,
  ],
  [
    "a receiver that refuses the login",
    async () => receiver.respond(() => ({ status: 401, body: "who" })),
    "sink default/export/receiver",
    /401/,
  ],
  [
    "a receiver that is unavailable",
    () => writePolicy({ endpoint: "http://127.0.0.1:9/w" }),
    "sink default/export/receiver",
    /ECONNREFUSED/,
  ],
  [
    "a policy with a mistake",
    () => writePolicy({ endpoint: receiver.url, metricsql: "up{" }),
    "sink default/export/receiver",
    /metricsql/,
  ],
  [
    "a file that is no YAML",
    () => writeFile(join(folder, "policies", "broken.yaml"), "a: ["),
    "policies.directory",
    /broken\.yaml/,
  ],
  [
    "no Redis",
    () => configure('redis: { url: "redis://127.0.0.1:9" }', "export: { schedule: queue }"),
    "redis.url",
    /ECONNREFUSED/,
  ],
])("%s is found, with a remedy", async (_, breakIt, check, detail) => {
  await breakIt();
  const found = (await findings()).get(check);
  expect(found?.status).toBe("failed");
  expect(found?.detail).toMatch(detail);
  expect(found?.remedy).not.toBe("");
  expect((await call()).status).toBe(4);
});

test.each([
  [200, "tdp_good", "ok", /accepts the token$/],
  [401, "tdp_old", "failed", /the platform refuses the access token \(HTTP 401\)$/],
  [503, "tdp_good", "failed", /the token exchange responds with HTTP 503$/],
])("the platform's response %d to the access token", async (status, token, result, detail) => {
  const asked: (string | undefined)[] = [];
  const platform = createHttpServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(status).end(JSON.stringify({ access_token: "bearer", token_type: "Bearer" }));
  }).listen(0, "127.0.0.1");
  await once(platform, "listening");
  try {
    await writeFile(join(folder, "token"), `${token}\n`);
    const { port } = platform.address() as AddressInfo;
    const plane = { apiUrl: `http://127.0.0.1:${port}`, projects: ["web"], accessTokenFile: "./token" };
    await configure(
      `controlPlane: ${JSON.stringify(plane)}`,
      `metrics: { url: "${store.url}", tenantLabel: project }`,
    );
    const found = (await findings()).get("controlPlane.accessTokenFile");
    expect(found).toMatchObject({ status: result, detail: expect.stringMatching(detail) });
    expect(found?.remedy === undefined).toBe(result === "ok");
    expect(asked).toEqual([`/platform-os/oauth/token/exchange Bearer ${token}`]);
  } finally {
    platform.close();
  }
});

test("an address that is taken; programs that are missing", async () => {
  const taken = createServer().listen(opsPort, "127.0.0.1");
  const programs = join(folder, "programs");
  await mkdir(programs);
  await writeFile(join(programs, "redis-server"), "#!/bin/sh\nexit 1\n");
  await chmod(join(programs, "redis-server"), 0o755);
  const port = await freePort();
  await configure(`platform: { listen: "127.0.0.1:${port}" }`);
  const { REDIS_SERVER_BIN } = process.env;
  process.env["REDIS_SERVER_BIN"] = join(programs, "redis-server");
  try {
    const found = await findings();
    expect(found.get("ops.listen")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("EADDRINUSE"),
    });
    expect(found.get("platform.listen")?.status).toBe("ok");
    expect(found.get("Redis")?.status).toBe("failed");
  } finally {
    taken.close();
    if (REDIS_SERVER_BIN === undefined) delete process.env["REDIS_SERVER_BIN"];
    else process.env["REDIS_SERVER_BIN"] = REDIS_SERVER_BIN;
  }
});

test("a Redis that can be used", async () => {
  await using redis = await startRedis();
  await configure(`redis: { url: "${redis.url}" }`, "export: { schedule: queue }");
  expect((await findings()).get("redis.url")).toMatchObject({
    status: "ok",
    detail: expect.stringMatching(/^Redis \d/),
  });
});

test("the bundle has what a running daemon says, and no secret", async () => {
  const daemon = await startDaemon({ configFile: join(folder, "telemetryd.yaml"), opsPort, signal: forever });
  try {
    const { status, output } = await call("--bundle", "bundle.tar.gz");
    expect(output).toContain("is in use by a telemetryd");
    expect(output).not.toContain("ops.listen");
    expect(status).toBe(0);
    await promisify(execFile)("tar", ["-xzf", "bundle.tar.gz"], { cwd: folder });
    const read = (name: string) => readFile(join(folder, name), "utf8");
    expect(JSON.parse(await read("status.json"))).toMatchObject({ policies: [{ name: "export" }] });
    expect(await read("metrics.txt")).toContain("telemetryd_sink_lag_seconds");
    expect(JSON.parse(await read("configuration.json"))).toMatchObject({ metrics: { headers: "(removed)" } });
    for (const name of ["doctor.txt", "configuration.json", "status.json", "metrics.txt"]) {
      expect(await read(name)).not.toContain(password);
    }
  } finally {
    await daemon.child.kill();
  }
});
