import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { keyPrefix } from "../../src/base/redis/connection.ts";
import type { ObjectStore } from "../../src/kube-server/store/object-store.ts";
import { countedField, type Quotas, type Usage } from "../../src/kube-server/store/usage.ts";
import { countedResources } from "../../src/platform/default-quotas.ts";
import { assemble } from "../../src/platform/platform.ts";
import {
  type FetchOptions,
  groupDomain,
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { setUpEach } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const quotas: Quotas = {
  organization: { objects: 40, bytes: 300_000, projects: 2, policies: 4, sinks: 5 },
  project: { objects: 10, bytes: 100_000, policies: 3, sinks: 4 },
};

let platform: TestPlatform;
let bearer: string;
let redis: Redis;
let store: ObjectStore;

const projects = `${organizationBase("acme")}/apis/resourcemanager.${groupDomain}/v1alpha/projects`;
const configMaps = (project: string) => `${projectBase(project)}/api/v1/namespaces/default/configmaps`;
const policies = (project: string) =>
  `${projectBase(project)}/apis/telemetry.${groupDomain}/v1alpha1/namespaces/default/exportpolicies`;
const merge = { headers: { "content-type": "application/merge-patch+json" } };

setUpEach(async ({ keep }) => {
  platform = await keep(
    startTestPlatform({
      quotas,
      limits: { requestsPerSecondPerToken: 100_000 },
    }),
  );
  bearer = await platform.exchange(platform.token);
  redis = await keep(new Redis(platform.redis.url));
  store = assemble({ groupDomain, quotas, clock: systemClock, log: silentLogger }, redis, redis).store;
});

const call = (method: string, path: string, body?: unknown, options: FetchOptions = {}) =>
  platform.fetch(path, { method, bearer, body, ...options });

async function createProject(name: string): Promise<void> {
  expect((await call("POST", projects, { metadata: { name } })).code).toBe(201);
  await until(`${name} is ready`, async () => (await call("GET", configMaps(name))).code === 200);
  await until(`${name} has its condition`, async () => {
    const { json } = await call("GET", `${projects}/${name}`);
    return json.status?.conditions?.[0]?.status === "True";
  });
}

const configMap = (name: string, bytes = 0) => ({ metadata: { name }, data: { text: "x".repeat(bytes) } });

const policy = (name: string, sinks: number) => ({
  metadata: { name },
  spec: {
    sources: [{ name: "cpu", metrics: { metricsql: "up" } }],
    sinks: Array.from({ length: sinks }, (_, index) => ({
      name: `s${index}`,
      sources: ["cpu"],
      target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/w" } },
    })),
  },
});

const usage = (): Promise<Usage> => store.organizationUsage("acme");

test("creations at the same time do not pass the number of objects; deletions give back", async () => {
  await createProject("web");
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => call("POST", configMaps("web"), configMap(`m${index}`))),
  );
  // The namespace default is the tenth object.
  expect(responses.filter(({ code }) => code === 201)).toHaveLength(9);
  const refused = responses.filter(({ code }) => code !== 201);
  for (const { code, json } of refused) {
    expect([code, json.reason]).toEqual([403, "Forbidden"]);
    expect(json.message).toMatch(
      /^configmaps "m\d+" is forbidden: exceeded quota: project, requested: objects=1, used: objects=10, limited: objects=10$/,
    );
  }
  const made = responses.find(({ code }) => code === 201)?.json.metadata.name;
  const dry = await call("POST", `${configMaps("web")}?dryRun=All`, configMap("dry"));
  expect([dry.code, dry.json.reason]).toEqual([403, "Forbidden"]);
  expect((await call("DELETE", `${configMaps("web")}/${made}`)).code).toBe(200);
  expect((await call("POST", `${configMaps("web")}?dryRun=All`, configMap("dry"))).code).toBe(201);
  expect((await call("POST", configMaps("web"), configMap("again"))).code).toBe(201);
  expect((await call("POST", configMaps("web"), configMap("more"))).code).toBe(403);
});

test("bytes: what grows beyond is refused, what shrinks is not, and what is full can be emptied", async () => {
  await createProject("web");
  const map = `${configMaps("web")}/a`;
  const withFinalizer = { metadata: { name: "a", finalizers: ["example.com/wait"] }, data: { text: "" } };
  expect((await call("POST", configMaps("web"), withFinalizer)).code).toBe(201);
  const grow = (bytes: number, query = "") =>
    call("PATCH", `${map}${query}`, { data: { text: "x".repeat(bytes) } }, merge);
  expect((await grow(98_000)).code).toBe(200);
  const refused = await grow(101_000);
  expect([refused.code, refused.json.reason]).toEqual([403, "Forbidden"]);
  expect(refused.json.message).toMatch(
    /exceeded quota: project, requested: bytes=3\d{3}, used: bytes=9\d{4}, limited: bytes=100000$/,
  );
  expect((await grow(101_000, "?dryRun=All")).code).toBe(403);
  expect((await grow(99_000 - 200)).code).toBe(200);
  // Marking the object as deleted needs more bytes than are free.
  await grow(99_200);
  expect((await call("DELETE", map)).json.metadata?.deletionTimestamp).toBeDefined();
  expect((await call("PATCH", map, { metadata: { finalizers: null } }, merge)).code).toBe(200);
  expect((await call("GET", map)).code).toBe(404);
  expect((await call("POST", configMaps("web"), configMap("b", 90_000))).code).toBe(201);
});

test("projects, policies and sinks, of a project and of the organization", async () => {
  await createProject("web");
  await createProject("shop");
  const third = await call("POST", projects, { metadata: { name: "third" } });
  expect([third.code, third.json.message]).toEqual([
    403,
    `projects.resourcemanager.${groupDomain} "third" is forbidden: exceeded quota: organization, requested: projects=1, used: projects=2, limited: projects=2`,
  ]);

  expect((await call("POST", policies("web"), policy("a", 3))).code).toBe(201);
  expect((await call("PUT", `${policies("web")}/a`, await withSinks("web", "a", 5))).json.message).toContain(
    "exceeded quota: project, requested: sinks=2, used: sinks=3, limited: sinks=4",
  );
  expect((await call("POST", policies("shop"), policy("b", 2))).code).toBe(201);
  expect((await call("POST", policies("shop"), policy("c", 1))).json.message).toContain(
    "exceeded quota: organization, requested: sinks=1, used: sinks=5, limited: sinks=5",
  );
  expect(await usage()).toMatchObject({ projects: 2, policies: 2, sinks: 5 });
  expect((await call("PUT", `${policies("web")}/a`, await withSinks("web", "a", 1))).code).toBe(200);
  expect((await call("POST", policies("shop"), policy("c", 1))).code).toBe(201);
  expect(await usage()).toMatchObject({ projects: 2, policies: 3, sinks: 4 });

  // Deleting a project releases its usage; the rejected project did not reserve the name.
  await call("DELETE", `${projects}/shop`);
  await until("the project is gone", async () => (await call("GET", `${projects}/shop`)).code === 404);
  expect(await usage()).toMatchObject({ projects: 1, policies: 1, sinks: 1 });
  await createProject("third");
});

async function withSinks(project: string, name: string, sinks: number): Promise<unknown> {
  const { json } = await call("GET", `${policies(project)}/${name}`);
  return { ...json, spec: policy(name, sinks).spec };
}

test("what an older version has written is counted", async () => {
  await createProject("web");
  await call("POST", policies("web"), policy("a", 2));
  for (let index = 0; index < 3; index++) await call("POST", configMaps("web"), configMap(`m${index}`, 100));
  const before = await usage();
  expect(before).toMatchObject({ projects: 1, policies: 1, sinks: 2 });
  const stored = [];
  for (const key of await redis.keys(`${keyPrefix}:platform:*:objects`))
    stored.push(...(await redis.hvals(key)));
  expect([before["objects"], before["bytes"]]).toEqual([
    stored.length,
    stored.reduce((sum, json) => sum + Buffer.byteLength(json), 0),
  ]);

  const resources = ["objects", "bytes", ...countedResources];
  const forget = async (): Promise<void> => {
    await redis.del(`${keyPrefix}:platform:usage:acme`);
    for (const key of await redis.keys(`${keyPrefix}:platform:*:plane`)) {
      await redis.hdel(key, countedField(resources), ...resources);
    }
  };
  await forget();
  const eight = ["b", "c", "d", "e", "f", "g", "h", "i"];
  const responses = await Promise.all(eight.map((name) => call("POST", configMaps("web"), configMap(name))));
  expect(responses.filter(({ code }) => code === 201)).toHaveLength(5);
  // The organization's own control plane is counted on the next refresh, or on a write to it.
  await forget();
  await platform.restart();
  await until(
    "everything is counted",
    async () => (await usage())["objects"] === (before["objects"] ?? 0) + 5,
  );
  expect(await usage()).toMatchObject({ projects: 1, policies: 1, sinks: 2 });
});
