import { configMap, type Exchange, policy, type Scenario } from "./scenario.ts";

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
      post(configMap("$name", {}, { finalizers: ["example.com/a", "example.com/b"] })),
      { method: "DELETE", path: "configmaps/$name", code: 200 },
      merge(
        "$name",
        { metadata: { finalizers: ["example.com/a", "example.com/c"] } },
        {
          ...invalid(
            'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}',
          ),
        },
      ),
      {
        method: "PATCH",
        path: "configmaps/$name?fieldManager=x",
        type: "apply",
        body: configMap("$name", {}, { finalizers: ["example.com/c"] }),
        ...invalid("no new finalizers"),
      },
      merge("$name", { metadata: { finalizers: ["example.com/a"] } }),
      merge("$name", { metadata: { finalizers: [] } }),
      { method: "GET", path: "configmaps/$name", code: 404 },
    ],
  },
  {
    name: "fields that are written twice",
    exchanges: [
      post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"$name"},"data":{"a":"1","a":"2"}}', {
        path: "configmaps?fieldValidation=Strict",
        ...bad('strict decoding error: duplicate field "data.a"'),
      }),
      post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"$name"},"data":{"a":"1","a":"2"}}', {
        object: { data: { a: "2" } },
        warnings: ['duplicate field "data.a"'],
      }),
      merge("$name", '{"data":{"a":"1","a":"3"}}', {
        path: "configmaps/$name?fieldValidation=Strict",
        ...invalid('duplicate field "data.a"'),
      }),
      merge("$name", '{"data":{"a":"1","a":"3"}}', {
        path: "configmaps/$name?fieldValidation=Ignore",
        object: { data: { a: "3" } },
        warnings: [],
      }),
      post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: $name-2\ndata:\n  a: '1'\n  a: '2'\n", {
        type: "yaml",
        object: { data: { a: "2" } },
        warnings: ['line 7: key "a" already set in map'],
      }),
      post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: $name-3\ndata:\n  a: '1'\n  a: '2'\n", {
        ...{ type: "yaml", path: "configmaps?fieldValidation=Strict" },
        ...bad('key "a" already set in map'),
      }),
    ],
  },
  {
    name: "a patch cannot make another object of it",
    exchanges: [
      post(configMap("$name", { data: { a: "1" } }, { labels: { a: "b" } })),
      merge("$name", { metadata: { name: "other" } }, bad("does not match the name on the URL")),
      merge("$name", { metadata: { namespace: "other" } }, bad("namespace")),
      merge("$name", { metadata: null }, bad("the name of the object")),
      merge("$name", { kind: null }, invalid("patch: Invalid value: Object 'Kind' is missing")),
      merge("$name", { apiVersion: null }, invalid("patch: Invalid value: Object 'apiVersion' is missing")),
      merge("$name", { kind: "Secret" }, invalid("does not match the expected kind")),
      merge(
        "$name",
        { metadata: { name: "other" } },
        { ...strategic, ...bad("does not match the name on the URL") },
      ),
      merge("$name", [{ op: "replace", path: "/metadata/name", value: "other" }], {
        type: "json-patch",
        ...bad("does not match"),
      }),
      merge("$name", { metadata: { uid: "x" } }, invalid("metadata.uid: Invalid value")),
      put("$name", configMap("$name", {}, { uid: "x" }), {
        ...{ code: 409, reason: "Conflict", message: "Precondition failed: UID in precondition: x" },
      }),
      put(
        "$name",
        configMap("$name", {}, { resourceVersion: "abc" }),
        invalid("metadata.resourceVersion: Invalid value"),
      ),
      put("$name", configMap("$name", {}, { resourceVersion: "1" }), { code: 409, reason: "Conflict" }),
      {
        method: "GET",
        path: "configmaps/$name",
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
        path: "exportpolicies/$name-2",
        body: policy("$name-2"),
        code: 404,
        reason: "NotFound",
      },
      {
        method: "PUT",
        path: "exportpolicies/$name-2/status",
        body: policy("$name-2"),
        code: 404,
        reason: "NotFound",
      },
      { method: "POST", path: "exportpolicies", body: policy("$name"), code: 201 },
      {
        method: "PUT",
        path: "exportpolicies/$name",
        body: policy("$name"),
        ...invalid("must be specified for an update"),
      },
      {
        method: "PUT",
        path: "exportpolicies/$name",
        body: policy("$name", { metadata: { resourceVersion: "0" } }),
        ...invalid("must be specified for an update"),
      },
    ],
  },
  {
    name: "JSON patches that are none",
    exchanges: [
      post(configMap("$name", { data: { a: "1" } })),
      merge("$name", [{ op: "grow", path: "/data" }], { type: "json-patch", code: 422 }),
      merge("$name", [{ op: "remove" }], { type: "json-patch", code: 422 }),
      merge("$name", [{ op: "test", path: "/data/a", value: "2" }], { type: "json-patch", code: 422 }),
      merge("$name", { op: "remove", path: "/data" }, { type: "json-patch", code: 400 }),
      merge("$name", Array(10_001).fill({ op: "test", path: "/data/a", value: "1" }), {
        ...{ type: "json-patch", code: 413, reason: "RequestEntityTooLarge" },
        message:
          "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
      }),
    ],
  },
  {
    name: "owners",
    exchanges: [
      post(configMap("$name", {}, { ownerReferences: [owner("u"), owner("u")] }), {
        object: { metadata: { ownerReferences: [owner("u")] } },
        warnings: ["duplicate UID(s) observed: u"],
      }),
      post(
        configMap("$name-2", {}, { ownerReferences: [owner("u", { kind: "Event" })] }),
        invalid("is disallowed from being an owner"),
      ),
      post(
        configMap("$name-3", {}, { ownerReferences: [owner("u", { apiVersion: "a/b/c" })] }),
        invalid('metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'),
      ),
    ],
  },
  {
    name: "finalizers",
    exchanges: [
      post(configMap("$name", {}, { finalizers: ["example.com/a", "example.com/a"] }), { warnings: [] }),
      post(
        configMap("$name-2", {}, { finalizers: ["orphan", "foregroundDeletion"] }),
        invalid("cannot be both set"),
      ),
      post(configMap("$name-3", {}, { finalizers: ["mine"] }), {
        warnings: ["prefer a domain-qualified finalizer name"],
      }),
    ],
  },
  {
    name: "metadata of wrong types, and null",
    exchanges: [
      post(configMap("$name", {}, { labels: { a: null }, annotations: { b: null } }), {
        object: { metadata: { labels: { a: "" }, annotations: { b: "" } } },
      }),
      post(configMap("$name-3", {}, { labels: { a: 1 } }), bad("metadata.labels.a")),
      post(configMap("$name-3", {}, { labels: { a: true } }), bad("metadata.labels.a")),
      post({ ...configMap("$name-3"), metadata: { name: 1 } }, bad("metadata.name")),
      post(configMap("$name-3", {}, { generation: "1" }), bad("metadata.generation")),
      post(configMap("$name-3", {}, { creationTimestamp: 1 }), bad("metadata.creationTimestamp")),
      post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: $name-3\n  labels: {a: yes}\n", {
        type: "yaml",
        ...bad("metadata.labels.a"),
      }),
      post(configMap("$name-2", {}, { selfLink: "/x" }), { object: { metadata: { selfLink: undefined } } }),
      put(
        "$name-2",
        configMap("$name-2", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
        invalid('metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable'),
      ),
      post(
        { ...configMap("$name-3"), metadata: { generateName: "$name-3".repeat(260) } },
        invalid("metadata.generateName: Invalid value"),
      ),
      post(
        configMap("$name-3", {}, { labels: { [`${"p".repeat(254)}/a`]: "b" } }),
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
