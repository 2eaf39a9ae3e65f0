import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { runScript } from "../../src/base/redis/run-script.ts";
import { parseLabelSelector } from "../../src/kube-server/api/label-selector.ts";
import type { KubeObject } from "../../src/kube-server/api/object.ts";
import { type Plane, planeKey } from "../../src/kube-server/api/plane.ts";
import { parseFieldSelector } from "../../src/kube-server/api/selectors.ts";
import { type Selector, selects, traitsOf } from "../../src/kube-server/api/traits.ts";
import { secretKind } from "../../src/kube-server/kinds/secret.ts";
import { collectionPrefix, objectKey, planeKeys, usageKey } from "../../src/kube-server/store/keys.ts";
import { createObjectStore, type ObjectStore } from "../../src/kube-server/store/object-store.ts";
import type { RunOnPlane } from "../../src/kube-server/store/page.ts";
import {
  parseStored,
  storedParts,
  storedResourceVersion,
} from "../../src/kube-server/store/stored-object.ts";
import { TraitsIndex } from "../../src/kube-server/store/traits-index.ts";
import { seededRandom } from "../support/random.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

/** Pages of a collection by labels and fields, on a real Redis, checked against a model. */

let server: RunningServer;
let redis: Redis;

setUpAll(async ({ keep }) => {
  server = await keep(startRedis());
  redis = await keep(new Redis(server.url));
});

const planeOf = (name: string): Plane => ({ type: "project", name, uid: name, organization: "acme" });
const storeOf = (maxEntries: number): ObjectStore =>
  createObjectStore(redis, {
    kinds: [secretKind],
    quotas: { organization: {}, project: {} },
    countedResources: [],
    log: { maxEntries, maxBytes: 2 ** 24, organizationBytes: 2 ** 40, crowdedBytes: 2 ** 20 },
  });
const namespaces = ["a", "b"];
const teams = ["x", "y", "z"];
const types = ["Opaque", "example.com/other"];

interface Secret {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: string;
}

/** @returns the stored JSON */
async function write(store: ObjectStore, plane: Plane, secret: Secret, before: string, isDeleted = false) {
  const { namespace, name, labels, type } = secret;
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name, labels },
    type,
  };
  const outcome = await store.commit(plane, {
    key: objectKey(secretKind, namespace, name),
    expectedVersion: storedResourceVersion(before),
    type: isDeleted ? "DELETED" : before === "" ? "ADDED" : "MODIFIED",
    parts: storedParts(object),
    requiredNamespace: "",
    work: [],
    nowMs: 0,
    referencesBefore: [],
    referencesAfter: [],
    counts: {},
    isLimited: false,
    dryRun: false,
  });
  if (outcome.outcome !== "committed") throw new Error(outcome.outcome);
  return outcome;
}

function selectorOf(labelSelector: string, fieldSelector: string): Selector {
  const [labels, fields] = [parseLabelSelector(labelSelector), parseFieldSelector(fieldSelector)];
  if (!labels.ok || !fields.ok) throw new Error("a selector of this test is invalid");
  return { labels: labels.requirements, fields: fields.requirements };
}

const selectors = [
  ["team=x", ""],
  ["team notin (x,y)", ""],
  ["!team,tier", ""],
  ["tier in (1,2)", "type=Opaque"],
  ["", "metadata.name=s-3"],
  ["tier>1", "metadata.namespace!=a"],
].map(([labels = "", fields = ""]) => selectorOf(labels, fields));

test.each([1, 2, 3])(
  "pages by selector show the matches of their version, whatever is written between them (seed %d)",
  async (seed) => {
    const plane = planeOf(`selected-${seed}`);
    const store = storeOf(80);
    await store.createPlane(plane);
    const random = seededRandom(seed);
    const any = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const state = new Map<string, string>();
    const history: { readonly version: string; readonly state: ReadonlyMap<string, string> }[] = [];
    const change = async (): Promise<void> => {
      const [namespace, name] = [any(namespaces), `s-${Math.floor(random() * 15)}`];
      const key = objectKey(secretKind, namespace, name);
      const before = state.get(key) ?? "";
      const isDeleted = before !== "" && random() < 0.3;
      const labels: Record<string, string> = {};
      if (random() < 0.8) labels["team"] = any(teams);
      if (random() < 0.6) labels["tier"] = String(Math.floor(random() * 4));
      const secret = { namespace, name, labels, type: any(types) };
      const { json, resourceVersion } = await write(store, plane, secret, before, isDeleted);
      if (isDeleted) state.delete(key);
      else state.set(key, json);
      history.push({ version: resourceVersion, state: new Map(state) });
    };
    let listed = 0;
    for (let round = 0; round < 60; round++) {
      for (let changes = 0; changes < 1 + random() * 6; changes++) await change();
      const isNewest = random() < 0.6;
      const shown = isNewest ? history.at(-1) : any(history.slice(-60));
      const selector = any(selectors);
      const prefix = collectionPrefix(secretKind, any([undefined, ...namespaces]));
      const limit = 1 + Math.floor(random() * 6);
      const found: string[] = [];
      let resourceVersion = isNewest ? "" : (shown?.version ?? "");
      let isHeld = true;
      for (let afterKey: string | undefined = ""; afterKey !== undefined && isHeld; ) {
        const selection = { kind: secretKind, selector };
        const page = await store.page(plane, { prefix, afterKey, limit, resourceVersion, selection });
        isHeld = page.outcome === "page";
        if (page.outcome !== "page") continue;
        resourceVersion = page.resourceVersion;
        found.push(...page.items.map(({ json }) => json));
        afterKey = page.cursor;
        while (random() < 0.5) await change();
      }
      if (!isHeld) continue;
      listed++;
      expect(resourceVersion).toBe(shown?.version);
      const expected = [...(shown?.state ?? [])]
        .filter(([key, json]) => {
          return key.startsWith(prefix) && selects(selector, traitsOf(parseStored(json), secretKind));
        })
        .sort(([a], [b]) => (a < b ? -1 : 1));
      expect(found).toEqual(expected.map(([, json]) => json));
    }
    expect(listed).toBeGreaterThan(20);
  },
);

const secret = (index: number, labels: Record<string, string>): Secret => ({
  ...{ namespace: "a", name: `s-${String(index).padStart(4, "0")}`, labels, type: "Opaque" },
});
const all = { prefix: collectionPrefix(secretKind, undefined), afterKey: "", limit: 5_000 };
const selection = { kind: secretKind, selector: selectorOf("team=x", "") };
const scriptKeys = (plane: Plane) => [
  ...Object.values(planeKeys(planeKey(plane))),
  usageKey("acme"),
  "p",
  "f",
];

test("a list sees all that was written before it, also beside others that are under way", async () => {
  const plane = planeOf("concurrent");
  const store = storeOf(10_000);
  await store.createPlane(plane);
  const counts = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      await write(store, plane, secret(index, { team: "x" }), "");
      const page = await store.page(plane, { ...all, resourceVersion: "", selection });
      if (page.outcome !== "page") throw new Error(page.outcome);
      return page.items.some(({ key }) => key.endsWith(secret(index, {}).name));
    }),
  );
  expect(counts).toEqual(counts.map(() => true));
});

test("labels are kept up to a number of bytes; a collection that is larger is not indexed", async () => {
  const planes = ["first", "second", "third"].map(planeOf);
  const store = storeOf(10_000);
  const counted = new Map<Plane, number>();
  const runOn =
    (plane: Plane): RunOnPlane =>
    (script, args) => {
      counted.set(plane, (counted.get(plane) ?? 0) + 1);
      return runScript(redis, script, scriptKeys(plane), args);
    };
  for (const plane of planes) {
    await store.createPlane(plane);
    for (let index = 0; index < 20; index++) await write(store, plane, secret(index, { team: "x" }), "");
  }
  const [first, second, third] = planes as [Plane, Plane, Plane];
  const index = new TraitsIndex({ maxBytes: 25_000, maxOrganizationBytes: 25_000 });
  /** @returns the number of matches, and of reads that were needed */
  const select = async (plane: Plane) => {
    counted.clear();
    const selected = await index.select(plane, selection, all, runOn(plane));
    return [selected?.keys.length, counted.get(plane)];
  };
  // A collection takes about 12 kB: two fit.
  expect(await select(first)).toEqual([20, 2]);
  expect(await select(second)).toEqual([20, 2]);
  expect(await select(first)).toEqual([20, 1]);
  expect(await select(third)).toEqual([20, 2]);
  expect(await select(first)).toEqual([20, 1]);
  expect(await select(second)).toEqual([20, 2]);
  for (let more = 20; more < 80; more++) await write(store, first, secret(more, { team: "y" }), "");
  expect(await select(first)).toEqual([undefined, 1]);
  expect(await select(first)).toEqual([undefined, undefined]);
});
