import "../support/leak-check.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type FetchOptions,
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
  type TestResponse,
} from "../support/plane/platform.ts";
import { testKinds } from "../support/plane/test-kinds.ts";
import { openWatch, type WatchEventLine } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Features of kinds that the served kinds hardly use, over HTTP, with kinds made for the test. */

let platform: TestPlatform;
let bearer: string;

beforeAll(async () => {
  platform = await startTestPlatform({ kinds: testKinds });
  bearer = await platform.exchange(platform.token);
  await platform.organization("other");
  await platform.member("other", "alice@example.com");
  await platform.createProject("web");
  await call("POST", configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "known" } });
});

afterAll(() => platform.stop());

const project = { apiVersion: "resourcemanager.platformapis/v1alpha", kind: "Project" };
const web = projectBase("web");
const configMaps = `${web}/api/v1/namespaces/default/configmaps`;
const groups = ["things.platformapis", "gadgets.platformapis"] as const;
const [things, gadgets] = groups;
const widgetsOf = (group: string) => `${web}/apis/${group}/v1alpha/namespaces/default/widgets`;
const shards = `${web}/apis/shards.k8s.io/v1/namespaces/default/shards`;

function call(
  method: string,
  path: string,
  body?: unknown,
  options: FetchOptions = {},
): Promise<TestResponse> {
  return platform.fetch(path, { method, bearer, body, ...options });
}

const typed = (type: string) => ({ headers: { "content-type": `application/${type}` } });
const merge = typed("merge-patch+json");
const apply = typed("apply-patch+yaml");
const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };
const partial = { headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } };

const widget = (name: string, spec: object = {}, group: string = things) => ({
  ...{ apiVersion: `${group}/v1alpha`, kind: "Widget" },
  metadata: { name },
  spec,
});

const causes = ({ json }: TestResponse) =>
  (json.details.causes as { field: string; message: string }[]).map(
    ({ field, message }) => `${field}: ${message}`,
  );

describe("admission against other objects", () => {
  const path = widgetsOf(things);
  const unknown = ['spec.configMap: Not found: "missing": known are known'];

  test.each<[string, string, string, unknown, FetchOptions]>([
    ["create", "POST", "", widget("bad", { configMap: "missing" }), {}],
    ["create, dry run", "POST", "?dryRun=All", widget("bad", { configMap: "missing" }), {}],
    [
      "create by apply",
      "PATCH",
      "/bad?fieldManager=t",
      JSON.stringify(widget("bad", { configMap: "missing" })),
      apply,
    ],
    ["update", "PUT", "/good", widget("good", { configMap: "missing" }), {}],
    ["update, dry run", "PUT", "/good?dryRun=All", widget("good", { configMap: "missing" }), {}],
    ["patch", "PATCH", "/good", { spec: { configMap: "missing" } }, merge],
    [
      "apply",
      "PATCH",
      "/good?fieldManager=t&force=true",
      JSON.stringify(widget("good", { configMap: "missing" })),
      apply,
    ],
  ])("%s is refused with 422", async (_name, method, rest, body, options) => {
    const good = await call("POST", path, widget("good", { configMap: "known" }));
    expect([201, 409]).toContain(good.code);
    const { resourceVersion } = (await call("GET", `${path}/good`)).json.metadata;
    const sent =
      method === "PUT" ? { ...(body as object), metadata: { name: "good", resourceVersion } } : body;
    const refused = await call(method, `${path}${rest}`, sent, options);
    expect([refused.code, refused.json.reason, causes(refused)]).toEqual([422, "Invalid", unknown]);
    expect(refused.json.details).toMatchObject({ group: things, kind: "Widget" });
    expect((await call("GET", `${path}/bad`)).code).toBe(404);
  });

  test("does not happen for status, nor beside other faults", async () => {
    await call("POST", configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "brief" } });
    expect((await call("POST", path, widget("s", { configMap: "brief" }))).code).toBe(201);
    await call("DELETE", `${configMaps}/brief`);
    const written = await call("PATCH", `${path}/s/status`, { status: { phase: "On" } }, merge);
    expect([written.code, written.json.status]).toEqual([200, { phase: "On" }]);
    const refused = await call("POST", path, widget("x", { configMap: "missing", topology: {} }));
    expect(causes(refused)).toEqual([
      "spec.topology: Invalid value: 0: spec.topology in body should have at least 1 properties",
    ]);
  });

  test("a dry run finds that a project's name is taken in another organization", async () => {
    const path = `${organizationBase("other")}/apis/resourcemanager.platformapis/v1alpha/projects`;
    for (const query of ["?dryRun=All", ""]) {
      const taken = await call("POST", `${path}${query}`, { metadata: { name: "web" }, ...project });
      expect([taken.code, taken.json.reason]).toEqual([409, "AlreadyExists"]);
    }
    const free = await call("POST", `${path}?dryRun=All`, { metadata: { name: "free" }, ...project });
    expect(free.code).toBe(201);
    // The dry run has claimed nothing.
    expect((await call("POST", path, { metadata: { name: "free" }, ...project })).code).toBe(201);
  });
});

describe("schemas", () => {
  const path = widgetsOf(things);
  const notChecked =
    '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

  test.each<[string, object, string[]]>([
    [
      "too many items",
      { ports: [{ name: "a" }, { name: "b" }, { name: "c" }] },
      ["spec.ports: Too many: 3: must have at most 2 items", notChecked],
    ],
    [
      "neither integer nor text",
      { port: true },
      [
        'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
        notChecked,
      ],
    ],
    [
      "a fault that does not keep rules from being checked",
      { topology: {} },
      ["spec.topology: Invalid value: 0: spec.topology in body should have at least 1 properties"],
    ],
  ])("%s", async (_name, spec, expected) => {
    const refused = await call("POST", path, widget("x", spec));
    expect([refused.code, causes(refused)]).toEqual([422, expected]);
  });

  test("an integer or text: default, update, patches and apply keep the type that was sent", async () => {
    const created = await call("POST", path, widget("ports", { ports: [{ name: "a", port: "http" }] }));
    expect(created.json.spec).toEqual({ port: 80, ports: [{ name: "a", port: "http" }] });
    const patched = await call("PATCH", `${path}/ports`, { spec: { port: "web" } }, merge);
    expect([patched.json.spec.port, patched.json.metadata.generation]).toEqual(["web", 2]);
    const applied = { ...widget("ports", { port: 8080, ports: [{ name: "b", port: 1 }] }) };
    const query = "fieldManager=t&force=true";
    const result = await call("PATCH", `${path}/ports?${query}`, JSON.stringify(applied), apply);
    expect(result.json.spec).toEqual({
      port: 8080,
      ports: [
        { name: "a", port: "http" },
        { name: "b", port: 1 },
      ],
    });
    const text = { ...applied, spec: { ...applied.spec, port: "8080" } };
    const changed = await call("PATCH", `${path}/ports?${query}`, JSON.stringify(text), apply);
    expect(changed.json.spec.port).toBe("8080");
  });
});

test("a built-in kind may have a generation, and is patched by strategic merge", async () => {
  const shard = { apiVersion: "shards.k8s.io/v1", kind: "Shard", metadata: { name: "s" } };
  const created = await call("POST", shards, { ...shard, ports: [{ name: "a", port: 1 }] });
  expect(created.json.metadata.generation).toBe(1);
  const strategic = typed("strategic-merge-patch+json");
  const patched = await call("PATCH", `${shards}/s`, { ports: [{ name: "b", port: "x" }] }, strategic);
  expect(patched.json.ports).toEqual([
    { name: "a", port: 1 },
    { name: "b", port: "x" },
  ]);
  expect(patched.json.metadata.generation).toBe(2);
  const labelled = await call("PATCH", `${shards}/s`, { metadata: { labels: { a: "b" } } }, strategic);
  expect(labelled.json.metadata.generation).toBe(2);
  const document = (await call("GET", `${web}/openapi/v3/apis/shards.k8s.io/v1`)).json;
  expect(Object.keys(document.components.schemas)).toContain("io.k8s.api.shards.v1.Shard");
});

describe("two groups that serve the same objects", () => {
  const version = (group: string) => `${group}/v1alpha`;

  test("created in one, read in both", async () => {
    const created = await call("POST", widgetsOf(gadgets), widget("both", {}, gadgets));
    expect([created.code, created.json.apiVersion]).toEqual([201, version(gadgets)]);
    for (const group of groups) {
      const { json } = await call("GET", `${widgetsOf(group)}/both`);
      expect(json).toEqual({ ...created.json, apiVersion: version(group) });
    }
    const twice = await call("POST", widgetsOf(things), widget("both", {}, things));
    expect([twice.code, twice.json.details.group]).toEqual([409, things]);
    const missing = await call("GET", `${widgetsOf(gadgets)}/missing`);
    expect([missing.code, missing.json.message]).toEqual([404, `widgets.${gadgets} "missing" not found`]);
    const wrong = await call("POST", widgetsOf(gadgets), widget("wrong", {}, things));
    expect(wrong.code).toBe(400);
  });

  test("written through both: one resource version, each manager with the version that it used", async () => {
    await call("POST", `${widgetsOf(things)}?fieldManager=first`, widget("written"));
    const path = (group: string) => `${widgetsOf(group)}/written`;
    const patch = { spec: { families: ["IPv4"] } };
    const patched = await call("PATCH", `${path(gadgets)}?fieldManager=second`, patch, merge);
    expect(patched.json).toMatchObject({ apiVersion: version(gadgets), metadata: { generation: 2 } });
    const stale = await call("PUT", path(things), {
      ...widget("written"),
      metadata: { name: "written", resourceVersion: "1" },
    });
    expect(stale.code).toBe(409);
    const current = (await call("GET", path(things))).json;
    expect(current.metadata.resourceVersion).toBe(patched.json.metadata.resourceVersion);
    const updated = await call("PUT", path(things), { ...current, spec: { families: ["IPv6"] } });
    expect(updated.json).toMatchObject({ apiVersion: version(things), spec: { families: ["IPv6"] } });
    const configuration = JSON.stringify(widget("written", { port: 1 }, gadgets));
    const query = "fieldManager=third&force=true";
    const applied = await call("PATCH", `${path(gadgets)}?${query}`, configuration, apply);
    expect(applied.json).toMatchObject({ apiVersion: version(gadgets), spec: { port: 1 } });
    const status = await call("PATCH", `${path(gadgets)}/status`, { status: { phase: "On" } }, merge);
    expect(status.json).toMatchObject({ apiVersion: version(gadgets), status: { phase: "On" } });
    const same = await call("PATCH", `${path(gadgets)}/status`, { status: { phase: "On" } }, merge);
    expect(same.json).toEqual(status.json);
    const { json } = await call("GET", path(things));
    expect(json.status).toEqual({ phase: "On" });
    const managers = json.metadata.managedFields.map((each: Record<string, string>) => {
      return [each["manager"], each["apiVersion"]];
    });
    expect(managers).toEqual(
      expect.arrayContaining([
        ["first", version(things)],
        ["third", version(gadgets)],
      ]),
    );
    const dry = await call("PUT", `${path(gadgets)}?dryRun=All`, { ...json, apiVersion: version(gadgets) });
    expect([dry.code, dry.json.apiVersion]).toEqual([200, version(gadgets)]);
  });

  test("lists, whole and in parts, selected, as a table and as metadata", async () => {
    for (const name of ["l1", "l2", "l3"]) {
      const labels = { list: "yes" };
      await call("POST", widgetsOf(things), { ...widget(name), metadata: { name, labels } });
    }
    for (const group of groups) {
      const shown = async (query: string) => {
        const { json } = await call("GET", `${widgetsOf(group)}?${query}`);
        expect([json.kind, json.apiVersion]).toEqual(["WidgetList", version(group)]);
        for (const item of json.items) expect(item.apiVersion).toBe(version(group));
        return json;
      };
      const names = (json: { items: { metadata: { name: string } }[] }) =>
        json.items.map(({ metadata }) => metadata.name);
      expect(names(await shown("labelSelector=list=yes"))).toEqual(["l1", "l2", "l3"]);
      expect(names(await shown(""))).toEqual(expect.arrayContaining(["l1", "l2", "l3"]));
      const first = await shown("limit=2");
      const rest = await shown(`limit=500&continue=${first.metadata.continue}`);
      expect([...names(first), ...names(rest)]).toEqual(names(await shown("")));
      const rows = await call("GET", `${widgetsOf(group)}?includeObject=Object`, undefined, table);
      for (const row of rows.json.rows) expect(row.object.apiVersion).toBe(version(group));
      expect(rows.json.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
        ...["Name", "Age", "Families", "Phase"],
      ]);
      const one = await call("GET", `${widgetsOf(group)}/l1`, undefined, partial);
      expect([one.json.kind, one.json.metadata.name]).toEqual(["PartialObjectMetadata", "l1"]);
    }
  });

  test("watches see every change in their own group's form", async () => {
    await call("POST", widgetsOf(things), widget("before"));
    const seen = new Map<string, WatchEventLine[]>();
    const watches = groups.flatMap((group) =>
      ["", "&labelSelector=never!=there"].map((selector) => {
        const events: WatchEventLine[] = [];
        seen.set(group + selector, events);
        const query = `watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true${selector}`;
        const url = `${platform.url}${widgetsOf(group)}?${query}`;
        return openWatch(url, bearer, (event) => events.push(event));
      }),
    );
    const all = [...seen.values()];
    const hasBookmark = (events: WatchEventLine[]) => events.some(({ type }) => type === "BOOKMARK");
    await until("the initial events have been sent", () => all.every(hasBookmark));
    await call("POST", widgetsOf(gadgets), widget("seen", {}, gadgets));
    await call("PATCH", `${widgetsOf(things)}/seen`, { spec: { port: 1 } }, merge);
    await call("DELETE", `${widgetsOf(gadgets)}/seen`);
    const isDeleted = (events: WatchEventLine[]) => events.some(({ type }) => type === "DELETED");
    await until("the deletion has been seen", () => all.every(isDeleted));
    for (const watch of watches) watch.stop();
    for (const [name, events] of seen) {
      const group = name.split("&", 1)[0] ?? "";
      expect(new Set(events.map(({ object }) => object.apiVersion))).toEqual(new Set([version(group)]));
      const own = events.filter(({ object }) => object.metadata.name === "seen");
      expect(own.map(({ type, object }) => [type, object.spec.port])).toEqual([
        ["ADDED", 80],
        ["MODIFIED", 1],
        ["DELETED", 1],
      ]);
    }
    const versions = [...seen.values()].map((events) =>
      events.map(({ object }) => object.metadata.resourceVersion),
    );
    for (const each of versions) expect(each).toEqual(versions[0]);
  });

  test("owners of both groups hold their dependents, and the dependents go with them", async () => {
    const owner = (await call("POST", widgetsOf(things), widget("owner"))).json;
    const dependentOf = (group: string) => ({
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: {
        name: `of-${group}`,
        ownerReferences: [
          { apiVersion: version(group), kind: "Widget", name: "owner", uid: owner.metadata.uid },
        ],
      },
    });
    for (const group of groups) {
      expect((await call("POST", configMaps, dependentOf(group))).code).toBe(201);
    }
    const { uid } = owner.metadata;
    const held = { ...widget("held", {}, gadgets) };
    const finalizers = ["example.com/hold"];
    await call("POST", widgetsOf(gadgets), { ...held, metadata: { name: "held", finalizers } });
    const deleting = await call("DELETE", `${widgetsOf(gadgets)}/held`);
    expect(deleting.json).toMatchObject({ apiVersion: version(gadgets), metadata: { finalizers } });
    const freed = await call(
      "PATCH",
      `${widgetsOf(gadgets)}/held`,
      { metadata: { finalizers: null } },
      merge,
    );
    expect([freed.code, freed.json.apiVersion]).toEqual([200, version(gadgets)]);
    expect((await call("GET", `${widgetsOf(things)}/held`)).code).toBe(404);
    for (const group of groups) expect((await call("GET", `${configMaps}/of-${group}`)).code).toBe(200);
    const deleted = await call("DELETE", `${widgetsOf(gadgets)}/owner`);
    expect(deleted.json.details).toMatchObject({ group: gadgets, uid });
    await until("the dependents are gone", async () => {
      const codes = await Promise.all(
        groups.map(async (group) => (await call("GET", `${configMaps}/of-${group}`)).code),
      );
      return codes.every((code) => code === 404);
    });
  });

  test("a collection is deleted once, in the form of its group; so is a namespace's contents", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } };
    await call("POST", `${web}/api/v1/namespaces`, namespace);
    const inside = (group: string) => widgetsOf(group).replace("/default/", "/brief/");
    for (const name of ["a", "b"]) await call("POST", inside(things), widget(name));
    const deleted = await call("DELETE", inside(gadgets));
    expect(deleted.json.items.map((item: { apiVersion: string }) => item.apiVersion)).toEqual([
      version(gadgets),
      version(gadgets),
    ]);
    expect((await call("GET", inside(things))).json.items).toEqual([]);
    await call("POST", inside(gadgets), widget("c", {}, gadgets));
    await call("DELETE", `${web}/api/v1/namespaces/brief`);
    await until("the namespace is gone", async () => {
      return (await call("GET", `${web}/api/v1/namespaces/brief`)).code === 404;
    });
    expect((await call("GET", inside(things))).json.items).toEqual([]);
  });

  test("discovery and OpenAPI list both", async () => {
    const hashes: string[] = [];
    for (const group of groups) {
      const { resources } = (await call("GET", `${web}/apis/${group}/v1alpha`)).json;
      expect(resources.map(({ name }: { name: string }) => name)).toEqual(["widgets", "widgets/status"]);
      hashes.push(resources[0].storageVersionHash);
      const document = (await call("GET", `${web}/openapi/v3/apis/${group}/v1alpha`)).json;
      const [prefix] = group.split(".");
      const schema = document.components.schemas[`platformapis.${prefix}.v1alpha.Widget`];
      expect(schema["x-kubernetes-group-version-kind"]).toEqual([
        { group, version: "v1alpha", kind: "Widget" },
      ]);
      const { spec } = schema.properties;
      expect(spec.properties.port).toEqual({
        description: "Number or name of a port",
        "x-kubernetes-int-or-string": true,
        default: 80,
        anyOf: [{ type: "integer" }, { type: "string" }],
      });
      expect([spec.properties.topology.minProperties, spec["x-kubernetes-validations"]]).toEqual([
        1,
        [{ rule: "!has(self.port) || self.port != 13", message: "unlucky" }],
      ]);
    }
    expect(hashes[0]).toBe(hashes[1]);
    const { definitions } = (await call("GET", `${web}/openapi/v2`)).json;
    expect(definitions["platformapis.gadgets.v1alpha.Widget"].properties.spec.properties.port).toEqual({
      description: "Number or name of a port",
      "x-kubernetes-int-or-string": true,
    });
  });
});
