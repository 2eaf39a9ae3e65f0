import "../support/leak-check.ts";
import { readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../scripts/daemon/build.ts";
import { startChild } from "../../scripts/servers/child.ts";
import { createBackup } from "../../src/app/commands/backup/create.ts";
import { exportProject } from "../../src/app/commands/backup/export.ts";
import { restoreBackup } from "../../src/app/commands/backup/restore.ts";
import type { Output } from "../../src/app/commands/progress.ts";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import {
  type ConnectedKubectl,
  connectKubectl,
  kubectlBinary,
  listOf,
} from "../support/plane/connected-kubectl.ts";
import {
  groupDomain,
  httpsRequest,
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { example, workload } from "../support/provider/compute-plane.ts";
import { startTestProvider } from "../support/provider/emulated-provider.ts";
import { startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** Backups of a platform that runs and is written to, restored whole and by project. */

const { signal } = new AbortController();
const quiet = { write: () => true };
let folder: string;
let platform: TestPlatform;
let kubectl: ConnectedKubectl;
let bearer: string;
let whole: string;

const web = projectBase("web");
const configMaps = (base: string) => `${base}/api/v1/namespaces/default/configmaps`;

const proxy = {
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name: "site" } },
  spec: { rules: [{ backends: [{ endpoint: "https://backend.example.com" }] }] },
};

/** The commands, with a configuration of their own. */
async function commandsFor(redisUrl: string) {
  const stateDirectory = join(folder, "commands");
  const file = join(folder, `${new URL(redisUrl).port}.yaml`);
  const config = { platform: { listen: "127.0.0.1:1", groupDomain }, redis: { url: redisUrl } };
  await writeFile(file, JSON.stringify({ ...config, state: { directory: stateDirectory } }));
  const common = { file, overrides: [], environment: {} };
  const none = Readable.from([]);
  return {
    create: (path: string, project?: string) =>
      createBackup({ ...common, path, project }, process.stdout, quiet, signal),
    restore: (path: string, project?: string, stderr: Output = quiet, stop = signal) =>
      restoreBackup({ ...common, path, project }, none, stderr, stop),
    async export(project: string, withSecrets: boolean) {
      let text = "";
      const out = {
        write(part: string) {
          text += part;
          return true;
        },
      };
      await exportProject({ ...common, project, withSecrets }, out, signal);
      return text;
    },
  };
}

/** All objects of all planes, by key: as stored, or without what a reconciliation may write. */
async function objectsIn(redisUrl: string): Promise<Map<string, string>> {
  const redis = new Redis(redisUrl);
  const found = new Map<string, string>();
  for (const key of await redis.keys("{telemetryd}:platform:*:objects")) {
    for (const [name, json] of Object.entries(await redis.hgetall(key))) found.set(`${key} ${name}`, json);
  }
  redis.disconnect();
  return found;
}

async function emptyRedis() {
  const redis = await startRedis({ persistent: true });
  onTestFinished(() => redis.stop());
  return redis;
}

setUpAll(async ({ keep, newFolder }) => {
  folder = await newFolder("backup");
  whole = join(folder, "whole.backup");
  platform = await keep(startTestPlatform({ gateway: { domain: "proxies.example.com" } }));
  bearer = await platform.exchange(platform.token);
  kubectl = await keep(connectKubectl(platform));
  if (kubectlBinary === undefined) return;
  const provider = await startTestProvider(platform);
  await kubectl.createProject();
  await kubectl.project.file(
    listOf(example("location"), example("network"), workload("web"), proxy),
    "create",
  );
  await kubectl.project.ok("wait", "--for=condition=Available", "workload/web", "--timeout=60s");
  await provider.stop();
});

const withKubectl = test.skipIf(kubectlBinary === undefined);

withKubectl("a backup under writes is the platform at one moment, over all control planes", async () => {
  const write = async (base: string, method: string, name: string, data = {}) => {
    const body = { metadata: { name }, data };
    const path = method === "POST" ? configMaps(base) : `${configMaps(base)}/${name}`;
    const { code } = await platform.fetch(path, { method, bearer, ...(method !== "DELETE" && { body }) });
    if (code >= 300) throw new Error(`${method} ${path}: ${code}`);
  };
  const first = organizationBase("acme");
  await write(first, "POST", "counter");
  await write(web, "POST", "z-counter");
  for (let index = 0; index < 30; index++)
    await write(web, "POST", `filler-${index}`, { text: "x".repeat(400_000) });
  let turns = 0;
  let isOver = false;
  const writing = (async () => {
    for (; !isOver; turns++) {
      await write(first, "PUT", "counter", { turn: String(turns) });
      await write(web, "PUT", "z-counter", { turn: String(turns) });
      await write(web, "POST", `short-${turns}`);
      await write(web, "DELETE", `short-${turns}`);
    }
  })();
  const commands = await commandsFor(platform.redis.url);
  const counters: number[][] = [];
  try {
    for (let round = 0; round < 2; round++) {
      await commands.create(whole);
      const other = await emptyRedis();
      await (await commandsFor(other.url)).restore(whole);
      const objects = await objectsIn(other.url);
      const found = [...objects].sort().filter(([key]) => /configmaps.default.(z-)?counter$/.test(key));
      counters.push(found.map(([, json]) => Number(JSON.parse(json).data?.turn ?? -1)));
      const shorts = [...objects.keys()].filter((key) => key.includes("/short-"));
      expect(shorts.length, shorts.join()).toBeLessThanOrEqual(1);
      expect([...objects.keys()].filter((key) => key.includes("/filler-"))).toHaveLength(30);
    }
  } finally {
    isOver = true;
    await writing;
  }
  expect(turns).toBeGreaterThan(3);
  // That of the organization's plane is written first, and read long before the other.
  for (const [ahead = 0, behind = 0] of counters) expect([0, 1]).toContain(ahead - behind);
  await platform.fetch(`${configMaps(web)}?fieldSelector=metadata.name!=z-counter`, {
    method: "DELETE",
    bearer,
  });
});

withKubectl("a restored platform has every object as it was, and its clients list again", async () => {
  const settled = async () => JSON.stringify([...(await objectsIn(platform.redis.url))].sort());
  let last = "";
  await until("the controllers have settled", async () => {
    const before = last;
    last = await settled();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return before === last;
  });
  const before = await objectsIn(platform.redis.url);
  await (await commandsFor(platform.redis.url)).create(whole);
  expect((await stat(whole)).mode & 0o777).toBe(0o600);
  const { json: proxyBefore } = await platform.fetch(
    `${web}/apis/networking.platformapis/v1alpha/namespaces/default/httpproxies/site`,
    { bearer },
  );
  const { json: listed } = await platform.fetch(configMaps(web), { bearer });

  const other = await emptyRedis();
  const commands = await commandsFor(other.url);
  await commands.restore(whole);
  expect(await objectsIn(other.url)).toEqual(before);
  await expect(commands.restore(whole)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("give an empty redis.url"),
  });

  const { stateDirectory } = platform;
  const common = { groupDomain, stateDirectory, clock: systemClock, log: silentLogger };
  const redis = createRedis({ ...common, urls: [other.url] });
  const gateway = { domain: "proxies.example.com" };
  const restored = createPlatform({ ...common, redis, gateway, listen: { host: "127.0.0.1", port: 0 } });
  const stop = new AbortController();
  const ended = restored.service.run(stop.signal);
  try {
    await until("the restored platform listens", () => restored.address() !== undefined);
    const fetch = (path: string) => httpsRequest(`${restored.address()}${path}`, { bearer });
    const watch = await fetch(
      `${configMaps(web)}?watch=1&resourceVersion=${listed.metadata.resourceVersion}`,
    );
    expect(watch.text).toMatch(/"code":410/);
    const relisted = await fetch(configMaps(web));
    expect(relisted.json.items).toEqual(listed.items);
    expect(Number(relisted.json.metadata.resourceVersion)).toBeGreaterThan(
      Number(listed.metadata.resourceVersion),
    );
    const store = new Redis(other.url);
    await until("the controllers have looked at every object", async () => {
      const works = await store.keys("{telemetryd}:platform:*:work");
      const due = await Promise.all(works.map((key) => store.zcount(key, "-inf", Date.now())));
      return due.every((count) => count === 0);
    });
    store.disconnect();
    const path = `${web}/apis/networking.platformapis/v1alpha/namespaces/default/httpproxies/site`;
    const { json: proxyAfter } = await fetch(path);
    expect(proxyAfter.status.hostnames).toEqual(proxyBefore.status.hostnames);
    expect(proxyAfter.metadata.uid).toBe(proxyBefore.metadata.uid);
    const after = await objectsIn(other.url);
    const isEvent = (key: string) => key.includes(":objects events/");
    const names = (objects: Map<string, string>) => [...objects.keys()].filter((key) => !isEvent(key)).sort();
    expect(names(after)).toEqual(names(before));
    const changed = names(before).filter((key) => after.get(key) !== before.get(key));
    expect(changed).toEqual([]);
  } finally {
    stop.abort();
    await ended;
  }
});

withKubectl("a truncated or changed file is refused before anything is written", async () => {
  const other = await emptyRedis();
  const commands = await commandsFor(other.url);
  const bytes = await readFile(whole);
  const path = join(folder, "broken.backup");
  await writeFile(path, bytes);
  await truncate(path, bytes.length - 1);
  await expect(commands.restore(path)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  const changed = Buffer.from(bytes);
  changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(path, changed);
  await expect(commands.restore(path)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  const redis = new Redis(other.url);
  expect(await redis.keys("*")).toEqual([]);
  redis.disconnect();
});

withKubectl("what is interrupted leaves no file and nothing in Redis", async () => {
  const other = await emptyRedis();
  const commands = await commandsFor(other.url);
  const stop = new AbortController();
  const write = (text: string) => {
    if (/^\d+ objects/.test(text)) stop.abort();
    return true;
  };
  const restoring = commands.restore(whole, undefined, { isTTY: true, write }, stop.signal);
  await expect(restoring).rejects.toThrow("aborted");
  expect(stop.signal.aborted).toBe(true);
  const redis = new Redis(other.url);
  const left = (await redis.keys("*")).filter((key) => !/format|restore:fence/.test(key));
  redis.disconnect();
  expect(left).toEqual([]);
  const missing = await commandsFor(platform.redis.url);
  await expect(missing.create(join(folder, "none.backup"), "acme/none")).rejects.toMatchObject({
    message: "there is no project acme/none: name it as ORGANIZATION/NAME",
  });
  expect((await readdir(folder)).filter((name) => /none|partial/.test(name))).toEqual([]);
});

withKubectl("a deleted project is restored beside others, from a whole backup and from its own", async () => {
  const commands = await commandsFor(platform.redis.url);
  const own = join(folder, "web.backup");
  await commands.create(own, "acme/web");
  await expect(commands.restore(own)).rejects.toMatchObject({
    message: expect.stringContaining("there is a project web already"),
  });
  const declared = async () => {
    const lists = await kubectl.project.ok("get", "workloads,networks,httpproxies,configmaps", "-o", "json");
    const all = JSON.parse(lists).items as {
      metadata: { uid: string; generation?: number };
      spec: unknown;
    }[];
    return all.map(({ metadata, spec }) => [metadata.uid, metadata.generation, spec]);
  };
  const before = await declared();
  for (const file of [whole, own]) {
    const provider = await startTestProvider(platform);
    await kubectl.organization.ok("delete", "project", "web", "--timeout=60s");
    await provider.stop();
    await commands.restore(file, file === whole ? "acme/web" : undefined);
    await kubectl.organization.ok("wait", "--for=condition=Ready", "project/web", "--timeout=30s");
    expect(await declared()).toEqual(before);
  }
});

withKubectl("an export is applied as another project", async () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login" },
    stringData: { token: "t" },
  };
  await kubectl.project.file(secret, "apply");
  const commands = await commandsFor(platform.redis.url);
  const text = await commands.export("acme/web", false);
  expect(text).toContain("# Secret default/login is not exported: use --with-secrets\n");
  expect(text).not.toMatch(/resourceVersion|uid:|status:|creationTimestamp|dG9r|SubnetClaim|provider-claim/);
  expect(await commands.export("acme/web", true)).toContain('token: "dA=="');
  expect(await kubectl.project.file(text, "apply", "--server-side", "--force-conflicts")).toMatch(
    /workload.*web/,
  );
  expect(await kubectl.project.file(text, "diff")).toBe("");
});

test("backups, restores and exports of Secrets are in the audit log, refused ones too", async () => {
  const commands = await commandsFor(platform.redis.url);
  const path = join(folder, "audited.backup");
  const log = join(folder, "commands", "platform", "audit.log");
  await rm(log, { force: true });
  await commands.create(path);
  await expect(commands.restore(path)).rejects.toThrow("give an empty redis.url");
  await expect(commands.restore(path, "acme/none")).rejects.toThrow();
  await expect(commands.export("acme/none", false)).rejects.toThrow();
  await expect(commands.export("acme/none", true)).rejects.toThrow();
  const events = (await readFile(log, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const brief = events.map(({ verb, objectRef, responseStatus, annotations }) =>
    [
      ...[verb, objectRef.resource, objectRef.subresource, responseStatus.code],
      annotations?.[`${groupDomain}/control-plane`],
    ].join(" "),
  );
  expect(brief).toEqual([
    "get backups  200 ",
    "create backups restore 400 ",
    "create backups restore 400 project/none",
    "list secrets  400 project/none",
  ]);
});

test("what a restore leaves that is killed is removed by the next start, or the next restore", async () => {
  const bigger = join(folder, "bigger.backup");
  const source = await commandsFor(platform.redis.url);
  for (let index = 0; index < 20; index++) {
    const body = { metadata: { name: `filler-${index}` }, data: { text: "x".repeat(400_000) } };
    const base = configMaps(organizationBase("acme"));
    expect((await platform.fetch(base, { method: "POST", bearer, body })).code).toBe(201);
  }
  await source.create(bigger);
  const other = await emptyRedis();
  const redis = new Redis(other.url);
  onTestFinished(() => redis.disconnect());
  const left = async () => (await redis.keys("*")).filter((key) => !/:format$|fence$/.test(key));
  const config = join(folder, `${new URL(other.url).port}.yaml`);
  const commands = await commandsFor(other.url);
  const killed = async () => {
    const args = ["--import", "tsx", "src/cli.ts", "backup", "restore", bigger, "--config", config];
    const child = await startChild({ name: "restore", program: process.execPath, args, cwd: projectRoot });
    await until("it has begun to write", async () => {
      if ((await redis.keys("*:objects")).length === 0) return false;
      await redis.call("CLIENT", "PAUSE", "60000", "WRITE");
      return true;
    });
    await child.kill();
    await redis.call("CLIENT", "UNPAUSE");
    expect((await left()).filter((key) => /:objects$/.test(key))).not.toEqual([]);
    expect(await redis.exists("{telemetryd}:platform:organizations")).toBe(0);
    await until(
      "its lease has expired",
      async () => (await redis.exists("{telemetryd}:platform:restore")) === 0,
    );
  };
  await killed();
  await expect(commands.restore(bigger, "acme/none")).rejects.toThrow("no project acme/none");
  expect(await left()).toEqual([]);
  await killed();
  const common = { groupDomain, stateDirectory: platform.stateDirectory, clock: systemClock };
  const options = {
    ...common,
    log: silentLogger,
    redis: createRedis({ ...common, urls: [other.url], log: silentLogger }),
  };
  const started = createPlatform({ ...options, listen: { host: "127.0.0.1", port: 0 } });
  const stop = new AbortController();
  const ended = started.service.run(stop.signal);
  await until("it listens", () => started.address() !== undefined);
  stop.abort();
  await ended;
  expect((await left()).filter((key) => /:objects$|:index$|restored|unfinished/.test(key))).toEqual([]);
});
