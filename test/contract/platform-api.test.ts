import "../support/leak-check.ts";
import { Agent } from "node:https";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../src/base/log/log.ts";
import {
  type FetchOptions,
  inDaemon,
  organizationBase,
  policiesPath,
  projectBase,
  projectsPath,
  startTestPlatform,
  type TestPlatform,
  type TestResponse,
} from "../support/plane/platform.ts";
import { until } from "../support/until.ts";

/** The platform API's contract, over HTTP: token exchange, control planes, errors, conventions. */

let platform: TestPlatform;
let bearer: string;

beforeAll(async () => {
  platform = await startTestPlatform({}, silentLogger, inDaemon);
  bearer = await platform.exchange(platform.token);
  await createProject("web");
});

afterAll(() => platform.stop());

const web = projectBase("web");
const configMaps = `${web}/api/v1/namespaces/default/configmaps`;
const policies = policiesPath("web");
const merge = { headers: { "content-type": "application/merge-patch+json" } };

function call(
  method: string,
  path: string,
  body?: unknown,
  options: FetchOptions = {},
): Promise<TestResponse> {
  return platform.fetch(path, { method, bearer, body, ...options });
}

async function createProject(name: string, as = bearer, organization = "acme"): Promise<void> {
  const path = `${organizationBase(organization)}/apis/resourcemanager.platformapis/v1alpha/projects`;
  const body = { apiVersion: "resourcemanager.platformapis/v1alpha", kind: "Project", metadata: { name } };
  const created = await platform.fetch(path, { method: "POST", bearer: as, body });
  expect(created.code).toBe(201);
  await until(`project ${name} is ready`, async () => {
    const { json } = await platform.fetch(`${path}/${name}`, { bearer: as });
    return json.status?.conditions?.[0]?.status === "True";
  });
}

const configMap = (name: string, data: Record<string, string> = {}, metadata = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name, ...metadata },
  data,
});

const policy = (name: string, spec: object = {}) => ({
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name },
  spec: {
    sources: [{ name: "cpu", metrics: { metricsql: "up" } }],
    sinks: [
      {
        name: "s",
        sources: ["cpu"],
        target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/api/v1/write" } },
      },
    ],
    ...spec,
  },
});

const refusal = (method: string, path: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `forbidden: User "system:anonymous" cannot ${method} path "${path}"`,
  reason: "Forbidden",
  details: {},
  code: 403,
});

describe("token exchange", () => {
  test("gives a bearer token", async () => {
    const response = await platform.fetch("/platform-os/oauth/token/exchange", { bearer: platform.token });
    expect(response.code).toBe(200);
    expect(response.json).toEqual({ access_token: expect.any(String), token_type: "Bearer" });
    expect(response.headers["cache-control"]).toBe("no-store");
  });

  test.each([
    ["no token", undefined],
    ["nonsense", "nonsense"],
    ["a made-up token", `tdp_${"0".repeat(16)}_${"A".repeat(43)}`],
    ["a bearer token instead", "bearer"],
  ])("%s is refused", async (_name, token) => {
    const path = "/platform-os/oauth/token/exchange";
    const response = await platform.fetch(path, { bearer: token === "bearer" ? bearer : token });
    expect([response.code, response.json]).toEqual([403, refusal("get", path)]);
  });
});

test("missing, wrong, changed, stranger's and revoked tokens, and planes that are not: one and the same response", async () => {
  const stranger = await platform.exchange((await platform.newToken("mallory@example.com")).text);
  const second = await platform.newToken("alice@example.com");
  const revoked = await platform.exchange(second.text);
  expect((await platform.fetch(`${web}/api/v1/secrets`, { bearer: revoked })).code).toBe(200);
  await platform.revoke(second.id);
  const cases: [string, string | undefined][] = [
    [web, undefined],
    [web, "nonsense"],
    [web, platform.token],
    [web, `${bearer.slice(0, -3)}abc`],
    [web, stranger],
    [web, revoked],
    [projectBase("missing"), bearer],
    [projectBase("missing"), stranger],
    [organizationBase("acme"), stranger],
    [organizationBase("missing"), bearer],
  ];
  for (const [base, token] of cases) {
    for (const path of ["/openapi/v3", "/api", "/api/v1/secrets", "/version", "/"]) {
      const response = await platform.fetch(`${base}${path}`, { bearer: token });
      expect([response.code, response.json]).toEqual([403, refusal("get", path)]);
    }
    const written = await platform.fetch(`${base}/api/v1/namespaces`, {
      method: "POST",
      bearer: token,
      body: {},
    });
    expect([written.code, written.json]).toEqual([403, refusal("post", "/api/v1/namespaces")]);
  }
  const root = await platform.fetch("/openapi/v3", {});
  expect([root.code, root.json]).toEqual([403, refusal("get", "/openapi/v3")]);
  const again = await platform.fetch("/platform-os/oauth/token/exchange", { bearer: second.text });
  expect(again.code).toBe(403);
});

test("OpenAPI: the same documents under the plane and at the root, by a hash of their content", async () => {
  const { json } = await call("GET", `${web}/openapi/v3`);
  const url: string = json.paths["apis/telemetry.platformapis/v1alpha1"].serverRelativeURL;
  expect(url).toMatch(/^\/openapi\/v3\/apis\/telemetry\.platformapis\/v1alpha1\?hash=[0-9A-F]{128}$/);
  expect(json.paths["apis/resourcemanager.platformapis/v1alpha"]).toBeUndefined();
  const [inPlane, atRoot] = await Promise.all([call("GET", `${web}${url}`), call("GET", url)]);
  expect(inPlane.code).toBe(200);
  expect(atRoot.text).toBe(inPlane.text);
  expect(inPlane.headers["cache-control"]).toContain("immutable");
  const stale = await call("GET", url.replace(/hash=.*/, "hash=00"));
  expect([stale.code, stale.headers["cache-control"]]).toEqual([200, "private, no-cache"]);
});

describe("in the form that the client asks for", () => {
  const as = (form: string, version = "v1") => ({
    headers: { accept: `application/json;as=${form};v=${version};g=meta.k8s.io` },
  });

  test("a table and metadata of the version that is asked for", async () => {
    await call("POST", configMaps, configMap("formed"));
    for (const version of ["v1", "v1beta1"]) {
      const apiVersion = `meta.k8s.io/${version}`;
      const partial = { kind: "PartialObjectMetadata", apiVersion };
      const table = await call("GET", configMaps, undefined, as("Table", version));
      expect(table.json).toMatchObject({ kind: "Table", apiVersion, rows: [{ object: partial }] });
      const one = await call("GET", `${configMaps}/formed`, undefined, as("PartialObjectMetadata", version));
      expect(one.json).toMatchObject(partial);
      const list = await call("GET", configMaps, undefined, as("PartialObjectMetadataList", version));
      expect(list.json).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion, items: [partial] });
    }
  });

  test("what was deleted as a collection", async () => {
    const deleted = await call("DELETE", configMaps, undefined, as("Table"));
    expect(deleted.json).toMatchObject({
      kind: "Table",
      rows: [{ cells: ["formed", "0", expect.anything()] }],
    });
    await call("POST", configMaps, configMap("formed"));
    const again = await call("DELETE", configMaps, undefined, as("PartialObjectMetadataList"));
    expect(again.json).toMatchObject({
      kind: "PartialObjectMetadataList",
      items: [{ metadata: { name: "formed" } }],
    });
    const none = await call("DELETE", configMaps);
    expect(none.json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1", items: [] });
  });

  test("nothing is done for which there is no form", async () => {
    const html = { headers: { accept: "text/html" } };
    expect((await call("POST", configMaps, configMap("unformed"), html)).code).toBe(406);
    expect((await call("GET", `${configMaps}/unformed`)).code).toBe(404);
  });
});

test("a document that the client has already is not sent again", async () => {
  const discovery = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
  const cases: [string, Record<string, string>][] = [
    ["/openapi/v2", {}],
    ["/openapi/v3", {}],
    ["/openapi/v3/api/v1", {}],
    ["/apis", discovery],
  ];
  for (const [path, headers] of cases) {
    const first = await call("GET", web + path, undefined, { headers });
    const { etag } = first.headers;
    expect([path, first.code, etag]).toEqual([path, 200, expect.stringMatching(/^"[0-9A-F]{128}"$/)]);
    const ask = (tag: string) =>
      call("GET", web + path, undefined, { headers: { ...headers, "if-none-match": tag } });
    const again = await ask(`"other", W/${etag}`);
    expect([path, again.code, again.text, again.headers["etag"]]).toEqual([path, 304, "", etag]);
    expect((await ask('"other"')).text).toBe(first.text);
  }
});

describe("the response of an API server that refuses", () => {
  test.each<[string, string, string, unknown, FetchOptions, number, string, string | RegExp]>([
    [
      "unknown object",
      "GET",
      `${configMaps}/none`,
      undefined,
      {},
      404,
      "NotFound",
      'configmaps "none" not found',
    ],
    [
      "unknown kind",
      "GET",
      `${web}/api/v1/pods`,
      undefined,
      {},
      404,
      "NotFound",
      /could not find the requested/,
    ],
    [
      "unknown namespace",
      "POST",
      `${web}/api/v1/namespaces/none/configmaps`,
      configMap("a"),
      {},
      404,
      "NotFound",
      'namespaces "none" not found',
    ],
    ["no such method", "PUT", configMaps, {}, {}, 405, "MethodNotAllowed", /does not allow this method/],
    [
      "not acceptable",
      "GET",
      configMaps,
      undefined,
      { headers: { accept: "text/html" } },
      406,
      "NotAcceptable",
      /application\/json/,
    ],
    [
      "unknown type of body",
      "POST",
      configMaps,
      "x",
      { headers: { "content-type": "text/plain" } },
      415,
      "UnsupportedMediaType",
      /unknown format/,
    ],
    ["no JSON", "POST", configMaps, "{", {}, 400, "BadRequest", /not valid JSON/],
    [
      "too deep",
      "POST",
      configMaps,
      `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
      {},
      400,
      "BadRequest",
      /nested too deeply/,
    ],
    [
      "__proto__",
      "POST",
      configMaps,
      '{"metadata":{"name":"a"},"data":{"__proto__":"x"}}',
      {},
      400,
      "BadRequest",
      /__proto__/,
    ],
    [
      "too large a body",
      "POST",
      configMaps,
      JSON.stringify(configMap("a", { a: "x".repeat(3_200_000) })),
      {},
      413,
      "RequestEntityTooLarge",
      /too large/,
    ],
    [
      "no name",
      "POST",
      configMaps,
      { ...configMap("a"), metadata: {} },
      {},
      422,
      "Invalid",
      /name or generateName is required/,
    ],
    [
      "a wrong name",
      "POST",
      configMaps,
      configMap("A_b"),
      {},
      422,
      "Invalid",
      /ConfigMap "A_b" is invalid: metadata.name: Invalid value/,
    ],
    [
      "a wrong kind",
      "POST",
      configMaps,
      { ...configMap("a"), kind: "Secret" },
      {},
      400,
      "BadRequest",
      /does not match the expected kind/,
    ],
    [
      "a wrong namespace",
      "POST",
      configMaps,
      configMap("a", {}, { namespace: "other" }),
      {},
      400,
      "BadRequest",
      /namespace of the provided object/,
    ],
    [
      "strict fields",
      "POST",
      `${configMaps}?fieldValidation=Strict`,
      { ...configMap("a"), extra: 1 },
      {},
      400,
      "BadRequest",
      /strict decoding error: unknown field "extra"/,
    ],
    [
      "a label selector",
      "GET",
      `${configMaps}?labelSelector=a%3D%3D%3Db`,
      undefined,
      {},
      400,
      "BadRequest",
      /unable to parse requirement/,
    ],
    [
      "a field selector",
      "GET",
      `${configMaps}?fieldSelector=spec.x%3Db`,
      undefined,
      {},
      400,
      "BadRequest",
      "field label not supported: spec.x",
    ],
    [
      "a version of the future",
      "GET",
      `${configMaps}?resourceVersion=9007199254740991`,
      undefined,
      {},
      504,
      "Timeout",
      /Too large resource version/,
    ],
    [
      "a version of the past",
      "GET",
      `${configMaps}?resourceVersion=5&resourceVersionMatch=Exact`,
      undefined,
      {},
      410,
      "Expired",
      /too old/,
    ],
    [
      "a continue token",
      "GET",
      `${configMaps}?continue=x`,
      undefined,
      {},
      400,
      "BadRequest",
      "continue key is not valid",
    ],
    ["scale", "GET", `${policies}/p/scale`, undefined, {}, 404, "NotFound", /could not find the requested/],
    [
      "strategic merge of a custom kind",
      "PATCH",
      `${policies}/p`,
      "{}",
      { headers: { "content-type": "application/strategic-merge-patch+json" } },
      415,
      "UnsupportedMediaType",
      /unknown format/,
    ],
  ])("%s", async (_name, method, path, body, options, code, reason, message) => {
    const response = await call(method, path, body, options);
    expect(response.json).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason,
      code,
    });
    expect(response.code).toBe(code);
    expect(response.json.message).toMatch(message);
  });

  test("an ExportPolicy is held to the exporter's own rules", async () => {
    const bad = policy("bad", {
      sinks: [
        { name: "s", sources: ["nothing"], target: { prometheusRemoteWrite: { endpoint: "ftp://x" } } },
      ],
    });
    const { code, json } = await call("POST", policies, bad);
    expect([code, json.reason, json.details.kind]).toEqual([422, "Invalid", "ExportPolicy"]);
    const fields = json.details.causes.map((cause: { field: string }) => cause.field);
    expect(fields).toContain("spec.sinks[0].target.prometheusRemoteWrite.endpoint");
    expect(fields.some((field: string) => field.startsWith("spec.sinks[0].sources"))).toBe(true);
  });
});

describe("writing", () => {
  test("create, conflict, update, delete", async () => {
    const created = await call("POST", configMaps, configMap("life", { a: "1" }));
    expect(created.code).toBe(201);
    expect(created.json.metadata).toMatchObject({ namespace: "default", uid: expect.any(String) });
    expect((await call("POST", configMaps, configMap("life"))).json).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
    });
    const changed = await call("PUT", `${configMaps}/life`, { ...created.json, data: { a: "2" } });
    const version = (response: TestResponse) => Number(response.json.metadata.resourceVersion);
    expect(version(changed)).toBeGreaterThan(version(created));
    const late = await call("PUT", `${configMaps}/life`, { ...created.json, data: { a: "3" } });
    expect(late.json).toMatchObject({
      code: 409,
      reason: "Conflict",
      details: { name: "life", kind: "configmaps" },
    });
    const wrong = await call("DELETE", `${configMaps}/life`, { preconditions: { uid: "other" } });
    expect(wrong.json).toMatchObject({ code: 409, reason: "Conflict" });
    const gone = await call("DELETE", `${configMaps}/life`);
    expect(gone.json).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "life", kind: "configmaps" },
    });
    expect((await call("GET", `${configMaps}/life`)).code).toBe(404);
  });

  test("dryRun changes nothing", async () => {
    const created = await call("POST", `${configMaps}?dryRun=All`, configMap("dry"));
    expect([created.code, created.json.metadata.name]).toEqual([201, "dry"]);
    expect((await call("GET", `${configMaps}/dry`)).code).toBe(404);
  });

  test("generateName, generation, status apart from the rest", async () => {
    const { metadata: _, ...rest } = policy("x");
    const body = { ...rest, metadata: { generateName: "gen-" }, status: { conditions: [] } };
    const created = (await call("POST", policies, body)).json;
    expect(created.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(created.metadata.generation).toBe(1);
    expect(created.status).toBeUndefined();
    expect(created.spec.sinks[0].target.prometheusRemoteWrite.batch).toEqual({
      timeout: "5s",
      maxSize: 500,
      maxBytes: 3 * 2 ** 20,
    });
    const path = `${policies}/${created.metadata.name}`;
    const since = { lastTransitionTime: "2026-01-01T00:00:00Z" };
    const condition = { type: "Ready", status: "True", reason: "SinksAccepted", message: "", ...since };
    const status = { conditions: [condition] };
    const withStatus = (await call("PATCH", `${path}/status`, { spec: null, status }, merge)).json;
    expect([withStatus.metadata.generation, withStatus.status]).toEqual([1, status]);
    expect(withStatus.spec).toEqual(created.spec);
    const sources = [{ name: "cpu", metrics: { metricsql: "down" } }];
    const changed = (await call("PATCH", path, { spec: { sources }, status: { conditions: [] } }, merge))
      .json;
    expect([changed.metadata.generation, changed.status.conditions.length]).toEqual([2, 1]);
    const labelled = (await call("PATCH", path, { metadata: { labels: { a: "b" } } }, merge)).json;
    expect(labelled.metadata.generation).toBe(2);
    await call("DELETE", path);
  });

  test("an unknown field is dropped with a warning", async () => {
    const response = await call("POST", configMaps, { ...configMap("warned"), extra: 1 });
    expect(response.headers["warning"]).toBe('299 - "unknown field \\"extra\\""');
    expect(response.json.extra).toBeUndefined();
  });

  test("a patch that changes nothing writes nothing", async () => {
    const before = (await call("POST", configMaps, configMap("same", { a: "1" }))).json;
    const after = (await call("PATCH", `${configMaps}/same`, { data: { a: "1" } }, merge)).json;
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });
});

describe("lists", () => {
  const names = Array.from({ length: 7 }, (_, index) => `item-${index}`);

  test("in parts that show one version, whatever is written meanwhile", async () => {
    for (const name of names)
      await call("POST", configMaps, configMap(name, {}, { labels: { list: "parts" } }));
    const seen: string[] = [];
    let token = "";
    let version = "";
    do {
      const { json } = await call("GET", `${configMaps}?limit=3&continue=${token}`);
      expect(json.kind).toBe("ConfigMapList");
      version ||= json.metadata.resourceVersion;
      expect(json.metadata.resourceVersion).toBe(version);
      seen.push(...json.items.map((item: { metadata: { name: string } }) => item.metadata.name));
      token = json.metadata.continue ?? "";
      await call("DELETE", `${configMaps}/item-6`);
      await call("POST", configMaps, configMap(`late-${seen.length}`, {}, { labels: { list: "parts" } }));
    } while (token !== "");
    expect(seen.filter((name) => name.startsWith("item-"))).toEqual(names);
    expect(seen.filter((name) => name.startsWith("late-"))).toEqual([]);
  });

  test("selectors, and deletion of a whole collection", async () => {
    const list = (await call("GET", `${configMaps}?labelSelector=list%3Dparts&limit=2`)).json;
    expect([list.items.length, list.metadata.remainingItemCount]).toEqual([2, undefined]);
    await call("DELETE", `${configMaps}?labelSelector=list%3Dparts`);
    expect((await call("GET", `${configMaps}?labelSelector=list%3Dparts`)).json.items).toEqual([]);
    expect((await call("GET", `${configMaps}?fieldSelector=metadata.name%3Dsame`)).json.items).toHaveLength(
      1,
    );
  });

  test("as a table and as metadata", async () => {
    const accept = (as: string) => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } });
    const table = (await call("GET", configMaps, undefined, accept("Table"))).json;
    const columns = table.columnDefinitions.map(({ name }: { name: string }) => name);
    expect([table.kind, columns]).toEqual(["Table", ["Name", "Data", "Age"]]);
    expect(table.rows[0].object.kind).toBe("PartialObjectMetadata");
    const partial = (await call("GET", configMaps, undefined, accept("PartialObjectMetadataList"))).json;
    expect([partial.kind, partial.items[0].data]).toEqual(["PartialObjectMetadataList", undefined]);
  });
});

describe("the garbage collector", () => {
  const owned = (name: string, uid: string, extra = {}) =>
    configMap(
      name,
      {},
      { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...extra }] },
    );
  const exists = async (name: string) => (await call("GET", `${configMaps}/${name}`)).code === 200;

  test("background deletion takes the dependents along", async () => {
    const { uid } = (await call("POST", configMaps, configMap("owner"))).json.metadata;
    await call("POST", configMaps, owned("child", uid));
    await call("DELETE", `${configMaps}/owner`, { propagationPolicy: "Background" });
    await until("the dependent is gone", async () => !(await exists("child")));
  });

  test("foreground deletion waits for them", async () => {
    const { uid } = (await call("POST", configMaps, configMap("owner"))).json.metadata;
    const child = owned("child", uid, { blockOwnerDeletion: true });
    await call("POST", configMaps, {
      ...child,
      metadata: { ...child.metadata, finalizers: ["example.com/hold"] },
    });
    const deleting = await call("DELETE", `${configMaps}/owner`, { propagationPolicy: "Foreground" });
    expect(deleting.json.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await until("the dependent is being deleted", async () => {
      return (await call("GET", `${configMaps}/child`)).json.metadata.deletionTimestamp !== undefined;
    });
    expect(await exists("owner")).toBe(true);
    // The foreground deletion adds its own finalizer, which the collector may remove between these two
    // requests. The patch would then add it back to an object being deleted, and is rejected.
    await until("the finalizer is taken off", async () => {
      const { finalizers } = (await call("GET", `${configMaps}/child`)).json.metadata;
      const rest = finalizers.filter((each: string) => each !== "example.com/hold");
      const { code } = await call("PATCH", `${configMaps}/child`, { metadata: { finalizers: rest } }, merge);
      return code === 200;
    });
    await until("both are gone", async () => !(await exists("child")) && !(await exists("owner")));
  });

  test("orphans stay, without their owner", async () => {
    const { uid } = (await call("POST", configMaps, configMap("owner"))).json.metadata;
    await call("POST", configMaps, owned("child", uid));
    await call("DELETE", `${configMaps}/owner`, { propagationPolicy: "Orphan" });
    await until("the owner is gone", async () => !(await exists("owner")));
    const child = (await call("GET", `${configMaps}/child`)).json;
    expect(child.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("an object whose owner never was is deleted", async () => {
    await call("POST", configMaps, owned("lost", "00000000-0000-0000-0000-000000000000"));
    await until("it is gone", async () => !(await exists("lost")));
  });
});

describe("namespaces and projects", () => {
  test("a namespace is emptied before it goes, and takes nothing new", async () => {
    const namespaces = `${web}/api/v1/namespaces`;
    await call("POST", namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } });
    const inside = `${namespaces}/brief/configmaps`;
    await call("POST", inside, configMap("held", {}, { finalizers: ["example.com/hold"] }));
    await call("POST", inside, configMap("plain"));
    await call("DELETE", `${namespaces}/brief`);
    expect((await call("GET", `${namespaces}/brief`)).json.status.phase).toBe("Terminating");
    const refused = await call("POST", inside, configMap("late"));
    expect([refused.code, refused.json.message]).toEqual([403, expect.stringContaining("being terminated")]);
    expect(refused.json.details.causes).toEqual([
      {
        reason: "NamespaceTerminating",
        message: "namespace brief is being terminated",
        field: "metadata.namespace",
      },
    ]);
    await until("the rest is gone", async () => (await call("GET", `${inside}/plain`)).code === 404);
    await until("its conditions say what keeps it", async () => {
      const { conditions = [] } = (await call("GET", `${namespaces}/brief`)).json.status;
      const messages = conditions.map(({ type, status, message }: Record<string, string>) => {
        return `${type} ${status}: ${message}`;
      });
      return (
        messages.join("\n") ===
        "NamespaceContentRemaining True: Some resources are remaining: configmaps has 1 resource instances\n" +
          "NamespaceFinalizersRemaining True: Some content in the namespace has finalizers remaining: " +
          "example.com/hold in 1 resource instances"
      );
    });
    await call("PATCH", `${inside}/held`, { metadata: { finalizers: null } }, merge);
    await until("the namespace is gone", async () => (await call("GET", `${namespaces}/brief`)).code === 404);
  });

  test("namespaces are not deleted all at once", async () => {
    const response = await call("DELETE", `${web}/api/v1/namespaces`);
    expect([response.code, response.json.reason]).toEqual([405, "MethodNotAllowed"]);
    const { resources } = (await call("GET", `${web}/api/v1`)).json;
    const served = resources.find(({ name }: { name: string }) => name === "namespaces");
    expect(served.verbs).not.toContain("deletecollection");
  });

  test("the first namespace cannot be deleted", async () => {
    const response = await call("DELETE", `${web}/api/v1/namespaces/default`);
    expect([response.code, response.json.message]).toEqual([
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
  });

  test("a project that is deleted takes its control plane along, and its name is free again", async () => {
    await createProject("brief");
    const inside = `${projectBase("brief")}/api/v1/namespaces/default/configmaps`;
    expect((await call("POST", inside, configMap("a"))).code).toBe(201);
    expect((await call("POST", projectsPath, { metadata: { name: "brief" } })).json.reason).toBe(
      "AlreadyExists",
    );
    await call("DELETE", `${projectsPath}/brief`);
    await until("the project is gone", async () => (await call("GET", `${projectsPath}/brief`)).code === 404);
    const closed = await call("GET", inside);
    expect([closed.code, closed.json]).toEqual([
      403,
      refusal("get", "/api/v1/namespaces/default/configmaps"),
    ]);
    await createProject("brief");
    expect((await call("GET", inside)).json.items).toEqual([]);
  });

  test("nobody takes the server's finalizer from a project, in whatever way", async () => {
    await createProject("kept");
    const kept = `${projectsPath}/kept`;
    const { json: project } = await call("GET", kept);
    const [finalizer] = project.metadata.finalizers as string[];
    const apply = { headers: { "content-type": "application/apply-patch+yaml" } };
    const jsonPatch = { headers: { "content-type": "application/json-patch+json" } };
    const { apiVersion, kind } = project;
    const applied = {
      ...{ apiVersion, kind },
      metadata: { name: "kept", finalizers: [finalizer, "example.com/own"] },
    };
    expect((await call("PATCH", `${kept}?fieldManager=tool`, applied, apply)).code).toBe(200);
    const { json: newest } = await call("GET", kept);
    const without = { ...newest, metadata: { ...newest.metadata, finalizers: [] } };
    // A manifest has none: what is replaced keeps the server's.
    const replaced = await call("PUT", kept, without);
    expect([replaced.code, replaced.json.metadata.finalizers]).toEqual([200, [finalizer]]);
    const responses = [
      await call("PATCH", kept, { metadata: { finalizers: null } }, merge),
      await call("PATCH", kept, { metadata: { finalizers: ["example.com/own"] } }, merge),
      await call("PATCH", kept, [{ op: "remove", path: "/metadata/finalizers" }], jsonPatch),
      await call("PATCH", `${kept}?dryRun=All`, { metadata: { finalizers: null } }, merge),
    ];
    for (const { code, json } of responses) {
      expect([code, json.reason, json.details.causes?.[0].field]).toEqual([
        ...[422, "Invalid", "metadata.finalizers"],
      ]);
      expect(json.message).toContain(`Forbidden: ${finalizer} must stay`);
    }
    // Other finalizers can still be removed.
    const own = await call("PATCH", kept, { metadata: { finalizers: [finalizer] } }, merge);
    expect([own.code, own.json.metadata.finalizers]).toEqual([200, [finalizer]]);
    expect((await call("DELETE", kept)).code).toBe(200);
    await until("the project is gone", async () => (await call("GET", kept)).code === 404);
    expect((await call("GET", `${projectBase("kept")}/api/v1/secrets`)).code).toBe(403);
  });

  test("nobody takes the server's finalizer from a namespace: what is in it would stay behind", async () => {
    const namespaces = `${web}/api/v1/namespaces`;
    await call("POST", namespaces, { metadata: { name: "guarded" } });
    const response = await call("PATCH", `${namespaces}/guarded`, { spec: { finalizers: [] } }, merge);
    expect([response.code, response.json.spec]).toEqual([200, { finalizers: ["kubernetes"] }]);
    const inside = `${namespaces}/guarded/configmaps`;
    expect((await call("POST", inside, configMap("a"))).code).toBe(201);
    await call("DELETE", `${namespaces}/guarded`);
    await until("the namespace is gone", async () => {
      return (await call("GET", `${namespaces}/guarded`)).code === 404;
    });
    expect((await call("GET", `${inside}/a`)).code).toBe(404);
  });

  test.each([[null], [{}], [undefined]])("a project with spec %j and a generated name", async (spec) => {
    const body = { metadata: { generateName: "auto-" }, ...(spec === undefined ? {} : { spec }) };
    const created = await call("POST", projectsPath, body);
    expect([created.code, created.json.spec]).toEqual([201, {}]);
    const { name } = created.json.metadata;
    expect(name).toMatch(/^auto-[a-z0-9]{5}$/);
    await until(
      "it is ready",
      async () => (await call("GET", `${projectBase(name)}/api/v1/secrets`)).code === 200,
    );
  });
});

test("two tenants never meet: every path of one, with the other's token", async () => {
  await platform.organization("rival");
  await platform.member("rival", "eve@example.com");
  const eve = await platform.exchange((await platform.newToken("eve@example.com")).text);
  await createProject("rival-web", eve, "rival");
  const secret = { metadata: { name: "s" }, stringData: { key: "top-secret-of-acme" } };
  expect((await call("POST", `${web}/api/v1/namespaces/default/secrets`, secret)).code).toBe(201);
  expect((await call("POST", policies, policy("p"))).code).toBe(201);

  // Connections are kept: a handshake for each of thousands of requests takes longer than all else.
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  let walked = 0;
  for (const base of [web, organizationBase("acme")]) {
    const { json: groups } = await call("GET", `${base}/apis`);
    const versions = groups.groups.map((group: { preferredVersion: { groupVersion: string } }) => {
      return `/apis/${group.preferredVersion.groupVersion}`;
    });
    for (const version of ["/api/v1", ...versions]) {
      const { json: resources } = await call("GET", `${base}${version}`);
      for (const { name: plural, namespaced } of resources.resources) {
        const [resource, subresource] = plural.split("/");
        const scoped = `${base}${version}${namespaced ? "/namespaces/default" : ""}/${resource}`;
        const tail = subresource === undefined ? "" : `/${subresource}`;
        const all = `${base}${version}/${resource}`;
        for (const path of [all, `${scoped}?watch=1`, `${scoped}/p${tail}`, `${scoped}/s${tail}`]) {
          const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
          const responses = await Promise.all(
            methods.map((method) => platform.fetch(path, { method, bearer: eve, body: {}, agent })),
          );
          for (const [index, response] of responses.entries()) {
            expect([methods[index], path, response.code]).toEqual([methods[index], path, 403]);
            expect(response.text).not.toContain("top-secret");
            walked++;
          }
        }
      }
    }
  }
  expect(walked).toBeGreaterThan(200);
  const own = await platform.fetch(`${projectBase("rival-web")}/api/v1/secrets`, { bearer: eve });
  expect([own.code, own.json.items]).toEqual([200, []]);
});
