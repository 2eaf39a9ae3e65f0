import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { KubeObject } from "../../src/kube-server/api/object.ts";
import type { Plane } from "../../src/kube-server/api/plane.ts";
import { establishPlane } from "../../src/kube-server/controllers/plane-content.ts";
import { configMapKind } from "../../src/kube-server/kinds/config-map.ts";
import { namespaceKind } from "../../src/kube-server/kinds/namespace.ts";
import { createObjectReader } from "../../src/kube-server/resources/object-reader.ts";
import type { WriteOptions } from "../../src/kube-server/resources/target.ts";
import { assemble } from "../../src/platform/platform.ts";
import { groupDomain } from "../support/plane/platform.ts";
import { gadgetGroupWidgetKind, testKinds, widgetKind } from "../support/plane/test-kinds.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

/** Reading the other objects of a plane, from a real Redis. */

const plane: Plane = { type: "project", name: "web", uid: "u", organization: "acme" };
let server: RunningServer;
let redis: Redis;
let parts: ReturnType<typeof assemble>;

setUpAll(async ({ keep }) => {
  server = await keep(startRedis());
  redis = await keep(new Redis(server.url));
  const options = { groupDomain, kinds: testKinds, clock: systemClock, log: silentLogger };
  parts = assemble(options, redis, redis);
  await establishPlane(plane, parts.store, parts.resources);
  await create(namespaceKind, "", "other");
});

async function create(
  kind: typeof configMapKind,
  namespace: string,
  name: string,
  fields = {},
): Promise<void> {
  const { group, version } = kind;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const body: KubeObject = { apiVersion, kind: kind.kind, metadata: { name }, ...fields };
  const options: WriteOptions = {
    dryRun: false,
    fieldValidation: "Ignore",
    fieldManager: "test",
    subresource: "",
    byServer: true,
  };
  await parts.resources.create({ plane, kind, namespace, name }, body, undefined, options);
}

test("one object, all of a kind, those of a namespace; as the kind that is asked for", async () => {
  const names = Array.from({ length: 1_201 }, (_, index) => `c${String(index).padStart(4, "0")}`);
  for (const name of names) await create(configMapKind, "default", name);
  await create(configMapKind, "other", "elsewhere");
  await create(widgetKind, "default", "w");
  const reader = createObjectReader(parts.store, plane);
  const found: string[] = [];
  for await (const { metadata } of reader.each(configMapKind)) found.push(metadata.name ?? "");
  expect(found).toEqual([...names, "elsewhere"]);
  const inOther = await reader.list(configMapKind, "other");
  expect(inOther.map(({ metadata }) => metadata.name)).toEqual(["elsewhere"]);
  expect(await reader.get(configMapKind, "default", "elsewhere")).toBeUndefined();
  expect((await reader.get(configMapKind, "other", "elsewhere"))?.metadata.namespace).toBe("other");
  expect((await reader.get(namespaceKind, "default", "other"))?.kind).toBe("Namespace");
  for (const kind of [widgetKind, gadgetGroupWidgetKind]) {
    const apiVersion = `${kind.group}/v1alpha`;
    expect((await reader.get(kind, "default", "w"))?.apiVersion).toBe(apiVersion);
    expect((await reader.list(kind)).map((each) => each.apiVersion)).toEqual([apiVersion]);
  }
  // Counted and stored once, in the form of the kind that it is stored as.
  expect(await parts.store.usage(plane)).toMatchObject({ objects: names.length + 4 });
  expect(await parts.store.get(plane, `widgets.${widgetKind.group}/default/w`)).toMatch(
    `{"apiVersion":"${widgetKind.group}/v1alpha","kind":"Widget"`,
  );
});

test("what is held at once has a bound, what is read part by part has none", async () => {
  await create(namespaceKind, "", "large");
  const text = "x".repeat(1_000_000);
  for (let index = 0; index < 5; index++) {
    await create(configMapKind, "large", `l${index}`, { data: { text } });
  }
  const reader = createObjectReader(parts.store, plane);
  await expect(reader.list(configMapKind, "large")).rejects.toMatchObject({
    status: { code: 413, message: expect.stringContaining("configmaps that this change must be checked") },
  });
  let count = 0;
  for await (const _ of reader.each(configMapKind, "large")) count++;
  expect(count).toBe(5);
});
