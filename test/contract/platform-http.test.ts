import "../support/leak-check.ts";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectBase, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { openWatch, type WatchEventLine } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Behavior beyond a single request and response; the rest is in `test/fidelity/http-cases.ts`. */

let platform: TestPlatform;
let bearer: string;
const base = projectBase("fidelity");
const groupVersion = `${base}/apis/telemetry.platformapis/v1alpha1`;
const policies = `${groupVersion}/namespaces/default/exportpolicies`;
const configMaps = `${base}/api/v1/namespaces/default/configmaps`;

const policy = (name: string) => ({
  ...{ apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy", metadata: { name } },
  spec: {
    sources: [{ name: "all", metrics: { metricsql: "up" } }],
    sinks: [
      {
        ...{ name: "s", sources: ["all"] },
        target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/write" } },
      },
    ],
  },
});

beforeAll(async () => {
  platform = await startTestPlatform();
  bearer = await platform.exchange(platform.token);
  await platform.createProject("fidelity");
  expect((await platform.fetch(policies, { method: "POST", bearer, body: policy("there") })).code).toBe(201);
});
afterAll(() => platform.stop());

test("36: more than 128 KiB are compressed for who takes it, an object and a list, and nobody else", async () => {
  const data = { text: "x".repeat(200_000) };
  const body = { metadata: { name: "large" }, data };
  expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
  for (const path of [`${configMaps}/large`, configMaps, `${configMaps}?pretty=true`]) {
    const plain = await platform.fetch(path, { bearer });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const headers = { "accept-encoding": "gzip" };
    const zipped = await platform.fetchBytes(path, { bearer, headers });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toEqual(plain.json);
    expect(zipped.bytes.length).toBeLessThan(50_000);
  }
  const headers = { "accept-encoding": "gzip" };
  const small = await platform.fetch(`${policies}/there`, { bearer, headers });
  expect([small.headers["content-encoding"], small.json.kind]).toEqual([undefined, "ExportPolicy"]);
});

test("43: what is deleted is shown as it last was, at the version of its deletion", async () => {
  const body = { ...policy("brief") };
  const { json: created } = await platform.fetch(policies, { method: "POST", bearer, body });
  const events: WatchEventLine[] = [];
  const url = `${platform.url}${policies}?watch=1&resourceVersion=${created.metadata.resourceVersion}`;
  const watch = openWatch(url, bearer, (event) => events.push(event));
  const list = await platform.fetch(`${policies}?fieldSelector=metadata.name%3Dbrief`, {
    ...{ method: "DELETE", bearer },
  });
  await until("its deletion has come", () => events.length === 1);
  watch.stop();
  await watch.ended;
  const [deleted, shown] = [events[0]?.object, list.json.items[0]];
  for (const object of [deleted, shown]) {
    const { resourceVersion, ...metadata } = object.metadata;
    const { resourceVersion: before, ...old } = created.metadata;
    expect([object.spec, metadata]).toEqual([created.spec, old]);
    expect(Number(resourceVersion)).toBeGreaterThan(Number(before));
  }
});

test("52: health below the control plane, for who may use it", async () => {
  for (const path of ["/healthz", "/livez", "/readyz"]) {
    const { code, text, headers } = await platform.fetch(`${base}${path}`, { bearer });
    expect([code, text, headers["content-type"]]).toEqual([200, "ok", "text/plain; charset=utf-8"]);
    expect((await platform.fetch(`${base}${path}`, {})).code).toBe(403);
  }
});
