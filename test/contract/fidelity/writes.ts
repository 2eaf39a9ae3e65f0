import { configMap, type Exchange, policy, type Scenario } from "./exchange.ts";

const owner = (uid: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "x",
  uid,
  ...more,
});
const post = (body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  ...{ method: "POST", path: "configmaps", body, code: 201 },
  ...more,
});
const merge = (name: string, body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  ...{ method: "PATCH", path: `configmaps/${name}`, body, type: "merge", code: 200 },
  ...more,
});
const put = (name: string, body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  ...{ method: "PUT", path: `configmaps/${name}`, body, code: 200 },
  ...more,
});
const invalid = (message: string) => ({ code: 422, reason: "Invalid", message }) as const;
const bad = (message: string) => ({ code: 400, reason: "BadRequest", message }) as const;
const strategic = { type: "strategic" } as const;

/** Creation, update and patches other than apply. */
export const writeScenarios: readonly Scenario[] = [
  {
    name: "no new finalizers on what is being deleted",
    exchanges: [
      post(configMap("leaving", {}, { finalizers: ["example.com/a", "example.com/b"] })),
      { method: "DELETE", path: "configmaps/leaving", code: 200 },
      merge(
        "leaving",
        { metadata: { finalizers: ["example.com/a", "example.com/c"] } },
        {
          ...invalid(
            'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}',
          ),
        },
      ),
      {
        method: "PATCH",
        path: "configmaps/leaving?fieldManager=x",
        type: "apply",
        body: configMap("leaving", {}, { finalizers: ["example.com/c"] }),
        ...invalid("no new finalizers"),
      },
      merge("leaving", { metadata: { finalizers: ["example.com/a"] } }),
      merge("leaving", { metadata: { finalizers: [] } }),
      { method: "GET", path: "configmaps/leaving", code: 404 },
    ],
  },
  {
    name: "fields that are written twice",
    exchanges: [
      post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}', {
        path: "configmaps?fieldValidation=Strict",
        ...bad('strict decoding error: duplicate field "data.a"'),
      }),
      post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}', {
        object: { data: { a: "2" } },
        warnings: ['duplicate field "data.a"'],
      }),
      merge("twice", '{"data":{"a":"1","a":"3"}}', {
        path: "configmaps/twice?fieldValidation=Strict",
        ...bad('duplicate field "data.a"'),
      }),
      merge("twice", '{"data":{"a":"1","a":"3"}}', {
        path: "configmaps/twice?fieldValidation=Ignore",
        object: { data: { a: "3" } },
        warnings: [],
      }),
      post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml-twice\ndata:\n  a: '1'\n  a: '2'\n", {
        type: "yaml",
        object: { data: { a: "2" } },
        warnings: ['line 7: key "a" already set in map'],
      }),
      post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml-strict\ndata:\n  a: '1'\n  a: '2'\n", {
        ...{ type: "yaml", path: "configmaps?fieldValidation=Strict" },
        ...bad('key "a" already set in map'),
      }),
    ],
  },
  {
    name: "a patch cannot make another object of it",
    exchanges: [
      post(configMap("same", { data: { a: "1" } }, { labels: { a: "b" } })),
      merge("same", { metadata: { name: "other" } }, bad("does not match the name on the URL")),
      merge("same", { metadata: { namespace: "other" } }, bad("namespace")),
      merge("same", { metadata: null }, invalid("metadata.name: Required value")),
      merge("same", { kind: null }, bad("Object 'Kind' is missing")),
      merge("same", { apiVersion: null }, bad("Object 'apiVersion' is missing")),
      merge("same", { kind: "Secret" }, bad("does not match the expected kind")),
      merge(
        "same",
        { metadata: { name: "other" } },
        { ...strategic, ...bad("does not match the name on the URL") },
      ),
      merge("same", [{ op: "replace", path: "/metadata/name", value: "other" }], {
        type: "json-patch",
        ...bad("does not match"),
      }),
      merge("same", { metadata: { uid: "x" } }, invalid("metadata.uid: Invalid value")),
      put("same", configMap("same", {}, { uid: "x" }), invalid("metadata.uid: Invalid value")),
      put(
        "same",
        configMap("same", {}, { resourceVersion: "abc" }),
        invalid("metadata.resourceVersion: Invalid value"),
      ),
      put("same", configMap("same", {}, { resourceVersion: "1" }), { code: 409, reason: "Conflict" }),
      {
        method: "GET",
        path: "configmaps/same",
        code: 200,
        object: { data: { a: "1" }, metadata: { labels: { a: "b" } } },
      },
    ],
  },
  {
    name: "a custom kind is of its kind, and is updated by version",
    exchanges: [
      {
        method: "POST",
        path: "exportpolicies",
        body: { ...policy("x"), kind: "Foo" },
        ...invalid('kind: Invalid value: "Foo": must be ExportPolicy'),
      },
      {
        method: "PUT",
        path: "exportpolicies/missing",
        body: policy("missing"),
        code: 404,
        reason: "NotFound",
      },
      {
        method: "PUT",
        path: "exportpolicies/missing/status",
        body: policy("missing"),
        code: 404,
        reason: "NotFound",
      },
      { method: "POST", path: "exportpolicies", body: policy("versioned"), code: 201 },
      {
        method: "PUT",
        path: "exportpolicies/versioned",
        body: policy("versioned"),
        ...invalid("metadata.resourceVersion: Invalid value: 0x0: must be specified for an update"),
      },
      {
        method: "PUT",
        path: "exportpolicies/versioned",
        body: policy("versioned", { metadata: { resourceVersion: "0" } }),
        ...invalid("must be specified for an update"),
      },
    ],
  },
  {
    name: "JSON patches that are none",
    exchanges: [
      post(configMap("patched", { data: { a: "1" } })),
      merge("patched", [{ op: "grow", path: "/data" }], { type: "json-patch", code: 422 }),
      merge("patched", [{ op: "remove" }], { type: "json-patch", code: 422 }),
      merge("patched", [{ op: "test", path: "/data/a", value: "2" }], { type: "json-patch", code: 422 }),
      merge("patched", { op: "remove", path: "/data" }, { type: "json-patch", code: 400 }),
      merge("patched", Array(10_001).fill({ op: "test", path: "/data/a", value: "1" }), {
        ...{ type: "json-patch", code: 413, reason: "RequestEntityTooLarge" },
        message:
          "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
      }),
    ],
  },
  {
    name: "owners",
    exchanges: [
      post(configMap("owned", {}, { ownerReferences: [owner("u"), owner("u")] }), {
        object: { metadata: { ownerReferences: [owner("u")] } },
        warnings: ["duplicate UID(s) observed: u"],
      }),
      post(
        configMap("event-owned", {}, { ownerReferences: [owner("u", { kind: "Event" })] }),
        invalid("is disallowed from being an owner"),
      ),
      post(
        configMap("odd-owned", {}, { ownerReferences: [owner("u", { apiVersion: "a/b/c" })] }),
        invalid('metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": version must not be empty'),
      ),
    ],
  },
  {
    name: "finalizers",
    exchanges: [
      post(configMap("repeated", {}, { finalizers: ["example.com/a", "example.com/a"] }), { warnings: [] }),
      post(
        configMap("both", {}, { finalizers: ["orphan", "foregroundDeletion"] }),
        invalid("cannot be both set"),
      ),
      post(configMap("unqualified", {}, { finalizers: ["mine"] }), {
        warnings: ["prefer a domain-qualified finalizer name"],
      }),
    ],
  },
  {
    name: "metadata of wrong types, and null",
    exchanges: [
      post(configMap("nulls", {}, { labels: { a: null }, annotations: { b: null } }), {
        object: { metadata: { labels: { a: "" }, annotations: { b: "" } } },
      }),
      post(configMap("x", {}, { labels: { a: 1 } }), bad("metadata.labels.a")),
      post(configMap("x", {}, { labels: { a: true } }), bad("metadata.labels.a")),
      post({ ...configMap("x"), metadata: { name: 1 } }, bad("metadata.name")),
      post(configMap("x", {}, { generation: "1" }), bad("metadata.generation")),
      post(configMap("x", {}, { creationTimestamp: 1 }), bad("metadata.creationTimestamp")),
      post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  labels: {a: yes}\n", {
        type: "yaml",
        ...bad("metadata.labels.a"),
      }),
      post(configMap("linked", {}, { selfLink: "/x" }), { object: { metadata: { selfLink: undefined } } }),
      put(
        "linked",
        configMap("linked", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
        invalid('metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable'),
      ),
      post(
        { ...configMap("x"), metadata: { generateName: "x".repeat(260) } },
        invalid("metadata.generateName: Invalid value"),
      ),
      post(
        configMap("x", {}, { labels: { [`${"p".repeat(254)}/a`]: "b" } }),
        invalid("metadata.labels: Invalid value"),
      ),
    ],
  },
  {
    name: "a fault is told once",
    exchanges: [
      {
        method: "POST",
        path: "exportpolicies",
        body: policy("A_b"),
        ...invalid("is invalid: metadata.name: Invalid value"),
      },
    ],
  },
];
