import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FaultsError } from "../../base/core/fault.ts";
import { loadConfig, pathProblem } from "./load.ts";

const forever = new AbortController().signal;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "config-"));
});
afterEach(() => rm(folder, { recursive: true }));

const load = async (text: string, environment: Record<string, string> = {}, flags: string[] = []) => {
  const file = join(folder, "telemetryd.yaml");
  await writeFile(file, text);
  return (await loadConfig({ file, environment, flags }, forever)).config;
};

test("defaults: only the sections that are present, the rest filled in", async () => {
  expect(await load("ops:\n")).toEqual({
    delivery: {
      maxWindowMs: 300_000,
      maxBackfillMs: 86_400_000,
      startFromMs: 0,
      latenessMs: 3_600_000,
      sentLog: { maxBytes: 1_073_741_824 },
      onExhausted: "replay",
      concurrency: 4,
      maxConnections: 2_000,
      protocol: "1.0",
      memoryLimitBytes: 268_435_456,
      shutdownTimeoutMs: 25_000,
      rejected: { maxBytes: 67_108_864, maxAgeMs: 604_800_000 },
      endpoints: [],
    },
    egress: {
      deny: ["169.254.0.0/16", "fe80::/10"],
      allow: [],
      trustProxy: false,
      nameServers: [],
      nat64Prefixes: [],
    },
    state: { directory: join(folder, "data") },
    export: { schedule: "local" },
    ops: { listen: { host: "127.0.0.1", port: 9464 }, hosts: [], dashboard: "read" },
    log: { level: "info", format: "auto" },
  });
});

test("an empty gateway has every default", async () => {
  const { gateway } = await load("platform:\ngateway:\n");
  expect(gateway).toEqual({
    listen: { host: "127.0.0.1", port: 8082 },
    tlsListen: { host: "127.0.0.1", port: 8443 },
    domain: "proxy.localhost",
    tls: {},
    trustedProxies: [],
    zones: [],
    accessLog: false,
    limits: { connections: 10_000, connectionsPerAddress: 200, requestsPerProxy: 1_000 },
  });
});

test("the file < the environment < flags", async () => {
  const text = "ops:\nmetrics: { url: http://file, interval: 1s, delay: 1s, concurrency: 1 }\n";
  const environment = {
    TELEMETRYD_METRICS_INTERVAL: "2s",
    TELEMETRYD_METRICS_DELAY: "2s",
    TELEMETRYD_METRICS_CONCURRENCY: "2",
    TELEMETRYD_METRICS_TLS_INSECURE_SKIP_VERIFY: "true",
    TELEMETRYD_LOG_LEVEL: "debug",
    TELEMETRYD_EGRESS_ALLOW: "10.0.0.0/8, fd00::/8",
    TELEMETRYD_API_LISTEN: ":8080",
    TELEMETRYD_REDIS_URL: "redis://a,redis://b",
    OTHER: "x",
  };
  const flags = [
    "metrics.interval=3s",
    "egress.deny=",
    "metrics.headers.X-Scope-OrgID=42",
    "roadmap.file=telemetryd.yaml",
  ];
  const config = await load(text, environment, flags);
  expect(config.metrics).toMatchObject({
    url: "http://file",
    intervalMs: 3_000,
    delayMs: 2_000,
    concurrency: 2,
    headers: { "X-Scope-OrgID": "42" },
    tls: { insecureSkipVerify: true },
  });
  expect(config.log.level).toBe("debug");
  expect(config.egress).toMatchObject({ deny: [], allow: ["10.0.0.0/8", "fd00::/8"], trustProxy: false });
  expect(config.redis?.url).toEqual(["redis://a", "redis://b"]);
  expect(config.api?.listen).toEqual({ host: "", port: 8080 });
  expect(config.roadmap?.file).toBe(join(folder, "telemetryd.yaml"));
});

test.each([
  ["redis+sentinel://a:1,b:2/mymaster", ["redis+sentinel://a:1,b:2/mymaster"]],
  [
    "redis+sentinel://a/mymaster, redis+sentinel://b/mymaster",
    ["redis+sentinel://a/mymaster", "redis+sentinel://b/mymaster"],
  ],
])("the environment's Redis %s is a list only where an address follows a comma", async (text, expected) => {
  const config = await load("ops:\n", { TELEMETRYD_REDIS_URL: text }, []);
  expect(config.redis?.url).toEqual(expected);
});

test("paths are relative to the file's folder, and looked at", async () => {
  await mkdir(join(folder, "policies"));
  await writeFile(join(folder, "token"), "secret\n");
  const config = await load(
    "policies: { directory: policies }\nmetrics: { url: http://h, bearerTokenFile: ./token, tls: { caFile: '' } }\nstate: { directory: /var/lib/telemetryd }\n",
  );
  expect(config.policies?.directory).toBe(join(folder, "policies"));
  expect(config.metrics?.bearerTokenFile).toBe(join(folder, "token"));
  expect(config.metrics?.tls).toEqual({ insecureSkipVerify: false });
  expect(config.state.directory).toBe("/var/lib/telemetryd");
});

test("text is taken as it was written where text is wanted", async () => {
  const config = await load(
    "ops:\ndelivery:\n  protocol: 1.0\n  startFrom: 0\n  endpoints:\n    - urlPrefix: http://h/\n      externalLabels: { shard: 007, on: true }\n",
  );
  expect(config.delivery.protocol).toBe("1.0");
  expect(config.delivery.endpoints[0]?.externalLabels).toEqual({ shard: "007", on: "true" });
});

test("a key that is left empty is absent", async () => {
  const config = await load("ops:\nmetrics:\n  url: http://h\n  basicAuth:\n  interval:\n  headers:\n");
  expect(config.metrics).not.toHaveProperty("basicAuth");
  expect(config.metrics).toMatchObject({ intervalMs: 15_000, headers: {} });
});

test("every fault at once, as one error with the printed list", async () => {
  const failure = await load("ops: { port: 1 }\nlog: { level: loud }\n").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FaultsError);
  const { code, exitStatus, faults, message } = failure as FaultsError;
  expect([code, exitStatus, faults.length]).toEqual(["INVALID_CONFIGURATION", 2, 2]);
  expect(message.replaceAll(`${folder}/`, "")).toBe(
    `telemetryd.yaml:1:8: error: ops.port: is not a key; known here: listen, hosts, dashboard
telemetryd.yaml:2:15: error: log.level: must be fatal, error, warn, info, debug or trace, not "loud"`,
  );
});

test("a warning stops nothing", async () => {
  const file = join(folder, "telemetryd.yaml");
  await writeFile(file, "ops:\n");
  const { warnings } = await loadConfig({ file, environment: { TELEMETRYD_TYPO: "x" } }, forever);
  expect(warnings).toMatchObject([{ severity: "warning", file: "environment TELEMETRYD_TYPO" }]);
});

test.each([
  ["missing", /telemetryd\.yaml cannot be read: ENOENT/],
  ["directory", /cannot be read: EISDIR/],
  ["large", /cannot be read: it is larger than 1 MiB/],
])("a configuration file that is %s", async (kind, message) => {
  const file = join(folder, "telemetryd.yaml");
  if (kind === "directory") await mkdir(file);
  if (kind === "large") await writeFile(file, "#".repeat(1024 * 1024 + 1));
  await expect(loadConfig({ file }, forever)).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    message: expect.stringMatching(message),
  });
});

describe("pathProblem", () => {
  test.each([
    ["file", "file", undefined],
    ["folder", "directory", undefined],
    ["folder", "new directory", undefined],
    ["none", "new directory", undefined],
    ["none", "file", "names a file that does not exist: PATH"],
    ["folder", "file", "must be a file; PATH is a directory"],
    ["file", "new directory", "must be a directory; PATH is a file"],
    ["file/below", "file", "cannot be used: ENOTDIR: not a directory, stat 'PATH'"],
  ])("%s as a %s", async (name, expects, problem) => {
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "file"), "");
    const path = join(folder, name);
    expect(await pathProblem(path, expects)).toBe(problem?.replace("PATH", path));
  });
});
