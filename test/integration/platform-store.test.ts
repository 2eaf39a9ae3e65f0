import "../support/leak-check.ts";
import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/kube-server/api/object.ts";
import { type Plane, planeKey } from "../../src/kube-server/api/plane.ts";
import { configMapKind } from "../../src/kube-server/kinds/config-map.ts";
import type { ChangeType } from "../../src/kube-server/store/change.ts";
import { collectionPrefix, objectKey, planeKeys, usageKey } from "../../src/kube-server/store/keys.ts";
import { createObjectStore, type ObjectStore } from "../../src/kube-server/store/object-store.ts";
import {
  parseStored,
  storedParts,
  storedResourceVersion,
} from "../../src/kube-server/store/stored-object.ts";
import type { LogLimits } from "../../src/kube-server/store/write-scripts.ts";
import { countedResources, defaultQuotas } from "../../src/platform/default-quotas.ts";
import { servedKinds } from "../../src/platform/served-kinds.ts";
import { seededRandom } from "../support/random.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

/** The object store on a real Redis, checked against a model. */

let server: RunningServer;
let redis: Redis;
const limits: LogLimits = {
  maxBytes: 8 * 2 ** 20,
  maxEntries: 1_000,
  organizationBytes: 2 ** 40,
  crowdedBytes: 2 ** 20,
};

setUpAll(async ({ keep }) => {
  server = await keep(startRedis());
  redis = await keep(new Redis(server.url));
});

const planeOf = (name: string): Plane => ({ type: "project", name, uid: name, organization: "acme" });
const storeOf = (log: LogLimits): ObjectStore =>
  createObjectStore(redis, {
    ...{ kinds: servedKinds("platformapis"), log, quotas: defaultQuotas, countedResources },
  });
const noUsage = Object.fromEntries(
  ["objects", "bytes", ...countedResources].map((resource) => [resource, 0]),
);
const prefix = collectionPrefix(configMapKind, "default");
const configMap = (name: string, text: string, resourceVersion = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", resourceVersion },
  data: { text },
});

async function write(
  store: ObjectStore,
  plane: Plane,
  type: ChangeType,
  name: string,
  text: string,
  expectedVersion = "",
): Promise<{ json: string; resourceVersion: string }> {
  const outcome = await store.commit(plane, {
    key: objectKey(configMapKind, "default", name),
    expectedVersion,
    type,
    parts: storedParts(configMap(name, text)),
    requiredNamespace: "",
    work: [],
    nowMs: 0,
    referencesBefore: [],
    referencesAfter: [],
    counts: { projects: 0, policies: 0, sinks: 0 },
    isLimited: true,
    dryRun: false,
  });
  if (outcome.outcome !== "committed") throw new Error(outcome.outcome);
  return outcome;
}

/** Short enough for the message of a failing test. */
function digest(objects: ReadonlyMap<string, string>): string[] {
  const hash = (json: string) => createHash("sha1").update(json).digest("hex");
  return [...objects].map(([key, json]) => `${key} ${storedResourceVersion(json)} ${hash(json)}`).sort();
}

async function listed(store: ObjectStore, plane: Plane, resourceVersion: string, limit: number) {
  const found = new Map<string, string>();
  let pages = 0;
  for (let afterKey = ""; ; ) {
    const page = await store.page(plane, { prefix, afterKey, limit, resourceVersion });
    if (page.outcome !== "page") return { outcome: page.outcome, found, pages };
    pages++;
    expect(page.items.length).toBeLessThanOrEqual(limit);
    for (const { key, json } of page.items) {
      expect(found.has(key)).toBe(false);
      found.set(key, json);
    }
    if (page.cursor === undefined) return { outcome: page.outcome, found, pages };
    afterKey = page.cursor;
  }
}

async function changesAfter(store: ObjectStore, plane: Plane, version: string) {
  const all = [];
  for (let position = version; ; ) {
    const part = await store.changes(plane, position);
    if (part.outcome !== "changes") return { outcome: part.outcome, all };
    all.push(...part.changes);
    position = part.changes.at(-1)?.resourceVersion ?? position;
    if (position === part.newest) return { outcome: part.outcome, all };
  }
}

test.each([1, 2, 3])(
  "lists and changes of every version that is kept show what was (seed %d)",
  async (seed) => {
    const plane = planeOf(`model-${seed}`);
    const store = storeOf({ ...limits, maxBytes: 2 * 2 ** 20, maxEntries: 60 });
    await store.createPlane(plane);
    const random = seededRandom(seed);
    const state = new Map<string, string>();
    const history: { version: string; state: Map<string, string> }[] = [];
    for (let round = 0; round < 120; round++) {
      const name = `map-${Math.floor(random() * 12)}`;
      const key = objectKey(configMapKind, "default", name);
      const current = state.get(key);
      const isLarge = random() < 0.2;
      const text = "x".repeat(Math.floor(random() * (isLarge ? 400_000 : 2_000)));
      const type = current === undefined ? "ADDED" : random() < 0.3 ? "DELETED" : "MODIFIED";
      const expected = current === undefined ? "" : storedResourceVersion(current);
      const { json, resourceVersion } = await write(store, plane, type, name, text, expected);
      if (type === "DELETED") state.delete(key);
      else state.set(key, json);
      history.push({ version: resourceVersion, state: new Map(state) });
    }
    const size = (json: string) => Buffer.byteLength(json);
    expect(await store.usage(plane)).toEqual({
      ...noUsage,
      objects: state.size,
      bytes: [...state.values()].reduce((sum, json) => sum + size(json), 0),
    });
    let kept = 0;
    for (const { version, state: past } of history) {
      const limit = 1 + Math.floor(random() * 6);
      const list = await listed(store, plane, version, limit);
      const changes = await changesAfter(store, plane, version);
      if (list.outcome !== "page") {
        expect([list.outcome, changes.outcome]).toEqual(["unknown-version", "expired"]);
        continue;
      }
      kept++;
      expect(digest(list.found)).toEqual(digest(past));
      const replayed = new Map(past);
      for (const { type, key, json, previous, resourceVersion } of changes.all) {
        expect(previous === (replayed.get(key) ?? "")).toBe(true);
        expect(storedResourceVersion(json)).toBe(resourceVersion);
        if (type === "DELETED") {
          const { metadata, ...rest } = parseStored(previous);
          expect(parseStored(json)).toEqual({ ...rest, metadata: { ...metadata, resourceVersion } });
          replayed.delete(key);
        } else replayed.set(key, json);
      }
      expect(digest(replayed)).toEqual(digest(state));
    }
    expect(kept).toBeGreaterThan(3);
    expect(kept).toBeLessThanOrEqual(61);

    // Every superseded state belongs to a log entry, and is counted.
    const keys = planeKeys(planeKey(plane));
    const entries = await redis.xrange(keys.log, "-", "+");
    const replacedVersions = entries.map(([, fields]) => fields[5] ?? "").filter((version) => version !== "");
    const superseded = await redis.hgetall(keys.superseded);
    expect(Object.keys(superseded).sort()).toEqual(replacedVersions.sort());
    const bytes = Object.values(superseded).reduce((sum, json) => sum + size(json), 0);
    expect(await redis.hget(keys.plane, "logBytes")).toBe(String(bytes));
    expect(bytes).toBeLessThanOrEqual(2 * 2 ** 20);
  },
);

test("what is read at once is bounded by bytes, and an object that is larger still comes", async () => {
  const plane = planeOf("bytes");
  const store = storeOf(limits);
  await store.createPlane(plane);
  const from = (await store.newestVersion(plane)) ?? "";
  for (let index = 0; index < 6; index++)
    await write(store, plane, "ADDED", `m${index}`, "x".repeat(1_200_000));
  const page = await store.page(plane, { prefix, afterKey: "", limit: 500, resourceVersion: "" });
  const part = await store.changes(plane, from);
  expect(page).toMatchObject({ outcome: "page", items: [{}], remaining: 5 });
  expect(part).toMatchObject({ outcome: "changes", changes: [{}] });
  expect((await listed(store, plane, "", 500)).found.size).toBe(6);
  expect((await changesAfter(store, plane, from)).all).toHaveLength(6);
});

test("the states of one object take what the log may take, not more", async () => {
  const plane = planeOf("large");
  const store = storeOf(limits);
  await store.createPlane(plane);
  const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
  const before = await usedBytes();
  let version = (await write(store, plane, "ADDED", "large", "x".repeat(2 ** 20))).resourceVersion;
  const first = version;
  for (let round = 0; round < 60; round++) {
    version = (await write(store, plane, "MODIFIED", "large", `${round}${"x".repeat(2 ** 20)}`, version))
      .resourceVersion;
  }
  expect((await usedBytes()) - before).toBeLessThan(2 * limits.maxBytes);
  expect((await store.changes(plane, first)).outcome).toBe("expired");
});

test("the logs of an organization's planes have a bound together, and one that goes gives its share back", async () => {
  const store = storeOf({ ...limits, organizationBytes: 4_000_000, crowdedBytes: 1_000_000 });
  const planes = ["one", "two", "three"].map((name) => ({ ...planeOf(name), organization: "crowd" }));
  const logBytes = async () => Number(await redis.hget(usageKey("crowd"), "logBytes"));
  for (const plane of planes) {
    await store.createPlane(plane);
    let version = (await write(store, plane, "ADDED", "a", "x".repeat(400_000))).resourceVersion;
    for (let round = 0; round < 8; round++) {
      version = (await write(store, plane, "MODIFIED", "a", `${round}${"x".repeat(400_000)}`, version))
        .resourceVersion;
    }
    // A watch that keeps up sees the last change.
    expect((await store.changes(plane, version)).outcome).toBe("changes");
  }
  const shares = await Promise.all(
    planes.map((plane) => redis.hget(planeKeys(planeKey(plane)).plane, "logBytes")),
  );
  expect(shares.map((bytes) => Math.round(Number(bytes) / 400_000))).toEqual([8, 2, 2]);
  expect(await logBytes()).toBe(shares.reduce((sum, bytes) => sum + Number(bytes), 0));
  for (const plane of planes) await store.removePlane(plane);
  expect(await logBytes()).toBe(0);
  expect(await store.organizationUsage("crowd")).toEqual(noUsage);
});

test("a plane of an older version: its objects stay, its log is dropped, watches list again", async () => {
  const plane = planeOf("older");
  const store = storeOf(limits);
  const keys = planeKeys(planeKey(plane));
  const json = (text: string, version: string): string => {
    const { before, after } = storedParts(configMap("a", text));
    return `${before}${version}${after}`;
  };
  const key = objectKey(configMapKind, "default", "a");
  await redis.hset(keys.plane, { rv: "1002", compacted: "1000" });
  await redis.hset(keys.objects, key, json("new", "1002"));
  await redis.zadd(keys.index, 0, key);
  await redis.xadd(keys.log, "1001-0", "t", "ADDED", "k", key, "o", json("old", "1001"), "p", "");
  const modified = ["t", "MODIFIED", "k", key, "o", json("new", "1002"), "p", json("old", "1001")];
  await redis.xadd(keys.log, "1002-0", ...modified);

  const read = async () => [
    (await store.changes(plane, "1001")).outcome,
    (await listed(store, plane, "1001", 5)).outcome,
    (await store.changes(plane, "1002")).outcome,
    [...(await listed(store, plane, "", 5)).found.keys()],
  ];
  const expected = ["expired", "unknown-version", "changes", [key]];
  expect(await read()).toEqual(expected);
  expect(await store.compact(plane, "5")).toBe("1002");
  expect(await redis.exists(keys.log)).toBe(0);
  expect(await read()).toEqual(expected);

  const written = await write(store, plane, "MODIFIED", "a", "newest", "1002");
  expect(await changesAfter(store, plane, "1002")).toMatchObject({
    outcome: "changes",
    all: [{ type: "MODIFIED", json: written.json, previous: json("new", "1002") }],
  });
  // An older program version writes once more, as after a rollback: its entries are not mistaken for current
  // ones.
  const later = String(Number(written.resourceVersion) + 1);
  await redis.hset(keys.objects, key, json("by the older", later));
  await redis.xadd(
    keys.log,
    `${later}-0`,
    "t",
    "MODIFIED",
    "k",
    key,
    "o",
    json("by the older", later),
    "p",
    "",
  );
  await redis.hset(keys.plane, "rv", later);
  expect((await store.changes(plane, written.resourceVersion)).outcome).toBe("expired");
  expect(await store.usage(plane)).toMatchObject({ objects: 1, bytes: json("by the older", later).length });
  const last = await write(store, plane, "DELETED", "a", "", later);
  expect(await store.usage(plane)).toEqual(noUsage);
  expect(await changesAfter(store, plane, later)).toMatchObject({
    all: [{ type: "DELETED", resourceVersion: last.resourceVersion, previous: json("by the older", later) }],
  });
});
