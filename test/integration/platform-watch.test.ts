import "../support/leak-check.ts";
import { Agent } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  httpsRequest,
  organizationBase,
  projectsPath,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { openWatch, resumingWatch, type WatchEventLine } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

let platform: TestPlatform;
let bearer: string;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

beforeAll(async () => {
  platform = await startTestPlatform({
    limits: { requestsPerSecondPerToken: 100_000 },
    bookmarkMs: 500,
    changeLogMs: 2_000,
    changeLog: { maxEntries: 100_000 },
  });
  bearer = await platform.exchange(platform.token);
});

afterAll(async () => {
  agent.destroy();
  await platform.stop();
});

const base = organizationBase("acme");
const configMaps = `${base}/api/v1/namespaces/default/configmaps`;
const merge = { "content-type": "application/merge-patch+json" };

function write(method: string, path: string, body?: unknown) {
  const headers = method === "PATCH" ? merge : {};
  return httpsRequest(`${platform.url}${path}`, { method, bearer, body, headers, agent });
}

async function create(name: string, labels: Record<string, string> = {}): Promise<string> {
  const { json } = await write("POST", configMaps, { metadata: { name, labels } });
  return json.metadata.resourceVersion as string;
}

const newestVersion = async (): Promise<string> =>
  (await platform.fetch(`${configMaps}?limit=1`, { bearer })).json.metadata.resourceVersion as string;

test("10,000 changes and a restart: none lost, none twice, none out of order", async () => {
  const from = await newestVersion();
  const seen: string[] = [];
  const errors: WatchEventLine[] = [];
  const urlOf = (version: string) => `${platform.url}${configMaps}?watch=1&resourceVersion=${version}`;
  const watch = resumingWatch(urlOf, bearer, from, (event) => {
    if (event.type === "ERROR") errors.push(event);
    else seen.push(event.object.metadata.resourceVersion as string);
  });
  const written: string[] = [];
  let failed = 0;
  const total = 10_000;
  let next = 0;
  const worker = async (index: number): Promise<void> => {
    await write("POST", configMaps, { metadata: { name: `many-${index}` } }).then(({ json }) =>
      written.push(json.metadata.resourceVersion),
    );
    while (next < total) {
      const count = next++;
      try {
        const { code, json } = await write("PATCH", `${configMaps}/many-${index}`, {
          data: { count: `${count}` },
        });
        if (code === 200) written.push(json.metadata.resourceVersion);
        else failed++;
      } catch {
        // The server was unavailable: this write is in doubt.
        failed++;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const workers = Promise.all(Array.from({ length: 8 }, (_, index) => worker(index)));
  await until("half of it is written", () => next > total / 2);
  await platform.restart();
  await workers;
  await until("the watch has seen the last change", async () => seen.at(-1) === (await newestVersion()));
  await watch.stop();

  expect(errors).toEqual([]);
  expect(watch.connections()).toBeGreaterThan(1);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => Number(a) - Number(b)));
  const inWatch = new Set(seen);
  expect(written.filter((version) => !inWatch.has(version))).toEqual([]);
  expect(seen.length - written.length).toBeLessThanOrEqual(failed);
  expect(written.length).toBeGreaterThan(total / 2);
});

test("what there is comes first, then bookmarks and changes; a selection sees objects come and go", async () => {
  await create("first", { color: "red" });
  const events: string[] = [];
  let bookmark = "";
  const selector = "labelSelector=color%3Dred&allowWatchBookmarks=true";
  const watch = openWatch(`${platform.url}${configMaps}?watch=1&${selector}`, bearer, ({ type, object }) => {
    if (type === "BOOKMARK") bookmark = object.metadata.resourceVersion;
    else events.push(`${type} ${object.metadata.name}`);
  });
  try {
    await until("what there is has come", () => events.length === 1);
    await create("second", { color: "red" });
    await create("other", { color: "blue" });
    await write("PATCH", `${configMaps}/first`, { metadata: { labels: { color: "blue" } } });
    await write("PATCH", `${configMaps}/other`, { metadata: { labels: { color: "red" } } });
    await write("DELETE", `${configMaps}/second`);
    await until("the changes have come", () => events.length === 5);
    expect(events).toEqual(["ADDED first", "ADDED second", "DELETED first", "ADDED other", "DELETED second"]);
    // A bookmark also covers versions without events for the watch.
    const newest = await create("unseen");
    await until("a bookmark is past it", () => Number(bookmark) >= Number(newest));
  } finally {
    watch.stop();
    await watch.ended;
  }
});

test("sendInitialEvents ends what there is with a bookmark that says so", async () => {
  const events: WatchEventLine[] = [];
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watch = openWatch(`${platform.url}${configMaps}?${query}`, bearer, (event) => events.push(event));
  await until("the bookmark has come", () => {
    return events.some(({ object }) => object.metadata.annotations?.["k8s.io/initial-events-end"] === "true");
  });
  watch.stop();
  await watch.ended;
  expect(events[0]?.type).toBe("ADDED");
});

test("as a table, the columns with the first event only; timeoutSeconds ends it", async () => {
  const events: WatchEventLine[] = [];
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const path = `${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dother`;
  const watch = openWatch(`${platform.url}${path}`, bearer, (event) => events.push(event), { accept });
  await until("the first has come", () => events.length === 1);
  await write("PATCH", `${configMaps}/other`, { data: { a: "b" } });
  await watch.ended;
  expect(events.map(({ type, object }) => [type, object.kind, object.columnDefinitions === null])).toEqual([
    ["ADDED", "Table", false],
    ["MODIFIED", "Table", true],
  ]);
});

test("a version that is compacted, or never was, is one ERROR event", async () => {
  const old = await create("aging");
  await create("newer");
  const exactly = () =>
    platform.fetch(`${configMaps}?resourceVersion=${old}&resourceVersionMatch=Exact`, { bearer });
  await until("the version is compacted", async () => (await exactly()).code === 410);
  for (const version of [old, "5", String(Number(await newestVersion()) + 1)]) {
    const events: WatchEventLine[] = [];
    const watch = openWatch(
      `${platform.url}${configMaps}?watch=1&resourceVersion=${version}`,
      bearer,
      (event) => events.push(event),
    );
    await watch.ended;
    expect(events.map(({ type, object }) => [type, object.kind, object.code, object.reason])).toEqual([
      ["ERROR", "Status", 410, "Expired"],
    ]);
    expect(events[0]?.object.message).toMatch(/^too old resource version/);
  }
  const { json } = await exactly();
  expect([json.code, json.reason]).toEqual([410, "Expired"]);
});

test("a watch of a project that is deleted ends", async () => {
  await platform.createProject("brief");
  const inside = `${base.replace("organizations/acme", "projects/brief")}/api/v1/secrets`;
  const watch = openWatch(`${platform.url}${inside}?watch=1`, bearer, () => undefined);
  await watch.opened;
  await write("DELETE", `${projectsPath}/brief`);
  await watch.ended;
  expect((await platform.fetch(inside, { bearer })).code).toBe(403);
});
