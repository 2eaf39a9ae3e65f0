import "../support/leak-check.ts";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { buildIn, previousCommit } from "../support/daemon/other-build.ts";
import { type BalancedDaemons, startBalancedDaemons } from "../support/plane/balanced-daemons.ts";
import { groupDomain, httpsRequest, organizationBase, projectBase } from "../support/plane/platform.ts";
import { startWriteLoad } from "../support/plane/write-load.ts";
import { example, workload } from "../support/provider/compute-plane.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** Daemons of the previous commit's build are replaced by this one's while clients use them. */

/** Five starts and as many stops: it takes a minute, and many times that on a busy machine. */
const limitMs = 600_000;
const run = promisify(execFile);
const configMaps = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;
const web = projectBase("web");

let folder: string;
let builds: { readonly previous: string; readonly current: string };
let redis: RunningServer;
let daemons: BalancedDaemons;
let bearer: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-upgrade-"));
  const commit = await previousCommit();
  if (commit === undefined) console.log("no previous commit here: one build takes the part of both");
  const current = await buildIn(join(folder, "current"));
  const previous = commit === undefined ? current : await buildIn(join(folder, "previous"), commit);
  builds = { previous, current };
  redis = await startRedis({ persistent: true });
  const config = join(folder, "telemetryd.yaml");
  await writeFile(
    config,
    stringify({
      platform: { listen: "127.0.0.1:1", groupDomain },
      redis: { url: redis.url },
      state: { directory: join(folder, "state") },
    }),
  );
  const command = async (...args: string[]) =>
    (await run(process.execPath, [previous, ...args, "--config", config])).stdout.trim();
  await command("organization", "create", "acme");
  await command("organization", "add-member", "acme", "--user", "alice");
  const token = await command("token", "create", "--user", "alice");
  daemons = await startBalancedDaemons(redis.url, 3, previous);
  const exchange = `${daemons.url}/platform-os/oauth/token/exchange`;
  bearer = (await httpsRequest(exchange, { bearer: token })).json.access_token;
}, limitMs);

afterAll(async () => {
  await daemons?.stop();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = async (url: string) => (await httpsRequest(url, { bearer })).json;

async function create(path: string, body: object): Promise<void> {
  const { code, text } = await httpsRequest(`${daemons.url}${path}`, { method: "POST", bearer, body });
  expect(code, text).toBe(201);
}

/** A project with objects that controllers of both versions work on. */
async function createProject(): Promise<void> {
  await create(`${organizationBase("acme")}/apis/resourcemanager.platformapis/v1alpha/projects`, {
    ...{ apiVersion: "resourcemanager.platformapis/v1alpha", kind: "Project", metadata: { name: "web" } },
  });
  await until("its control plane responds", async () => {
    return (await get(`${daemons.url}${web}/api/v1/namespaces/default`)).kind === "Namespace";
  });
  const at = (group: string, plural: string) => `${web}/apis/${group}/namespaces/default/${plural}`;
  await create(at("networking.platformapis/v1alpha", "locations"), example("location"));
  await create(at("networking.platformapis/v1alpha", "networks"), example("network"));
  await create(at("compute.platformapis/v1alpha", "workloads"), workload("web"));
  await create(at("networking.platformapis/v1alpha", "httpproxies"), {
    ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name: "site" } },
    spec: { rules: [{ backends: [{ endpoint: "https://backend.example.com" }] }] },
  });
  await create(`${web}/api/v1/namespaces/default/secrets`, {
    ...{ metadata: { name: "login" }, stringData: { password: "correct horse" } },
  });
}

/** All objects of the kinds that a daemon serves in both control planes, by the lists' addresses. */
async function listsOf(url: string): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {};
  for (const base of [organizationBase("acme"), web]) {
    const { groups } = await get(`${url}${base}/apis`);
    const versions = groups.flatMap((group: { versions: { groupVersion: string }[] }) => group.versions);
    const roots = versions.map(({ groupVersion }: { groupVersion: string }) => `apis/${groupVersion}`);
    for (const root of ["api/v1", ...roots]) {
      const { resources } = await get(`${url}${base}/${root}`);
      for (const { name, verbs } of resources as { name: string; verbs: string[] }[])
        if (verbs.includes("list")) {
          const { items } = await get(`${url}${base}/${root}/${name}`);
          if (items.length > 0) lists[`${base}/${root}/${name}`] = items;
        }
    }
  }
  return lists;
}

test("an upgrade under load, back and forth, loses no write, request or event", {
  timeout: limitMs,
}, async () => {
  await createProject();
  const collection = `${daemons.url}${configMaps}`;
  const load = await startWriteLoad({ collection, bearer, clients: 4, requestsPerSecond: 100, watches: 3 });
  onTestFinished(async () => void (await load.stop(0)));
  const areEqual = async (): Promise<void> => {
    await load.pause();
    let lists: Record<string, unknown>[] = [];
    // Controllers may write between two lists.
    const compare = async () => {
      lists = await Promise.all(daemons.urls.map(listsOf));
      return lists.every((each) => JSON.stringify(each) === JSON.stringify(lists[0]));
    };
    await until("lists are equal", compare, 10_000).catch((error: unknown) => {
      for (const each of lists) expect(each).toEqual(lists[0]);
      throw error;
    });
    const kinds = Object.keys(lists[0] ?? {}).map((path) => path.slice(path.lastIndexOf("/") + 1));
    expect(kinds).toEqual(expect.arrayContaining(["configmaps", "projects", "workloads", "secrets"]));
    load.resume();
  };
  await until("there are objects", () => load.acknowledged.size > 50);
  await areEqual();
  const { previous, current } = builds;
  const upgrade = [0, 1, 2].map((index) => [index, current] as const);
  for (const [index, cli] of [...upgrade, [0, previous], [0, current]] as const) {
    await daemons.end(index);
    await daemons.start(index, cli);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await areEqual();
  }
  const { gaps, connections } = await load.stop(20_000);
  expect(load.faults).toEqual([]);
  expect(gaps).toEqual([]);
  // Every watch has moved at least once.
  expect(connections).toBeGreaterThanOrEqual(6);
  expect(load.requests()).toBeGreaterThan(500);
  // Five daemons have ended, with at most eight kept connections each.
  expect(load.repeated()).toBeLessThanOrEqual(40);
  const counts = { requests: load.requests(), repeated: load.repeated(), connections };
  console.log(JSON.stringify({ ...counts, objects: load.acknowledged.size }));
  const { items } = await get(collection);
  const found = (items as { metadata: Record<string, string>; data?: Record<string, string> }[])
    .filter(({ metadata }) => metadata["name"]?.startsWith("client-"))
    .map(({ metadata, data }) => [
      metadata["name"],
      metadata["uid"],
      metadata["resourceVersion"],
      data?.["turn"],
    ]);
  const expected = [...load.acknowledged].map(([name, each]) => [
    name,
    each.uid,
    String(each.version),
    each.turn,
  ]);
  expect(found.sort()).toEqual(expected.sort());
  expect(found.length).toBeGreaterThan(50);
});
