import { configMap, type Exchange, type PolicyParts, policy, type Scenario } from "./exchange.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const apply = (path: string, body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  ...{ method: "PATCH", path, body, type: "apply", code: 200 },
  ...more,
});
const maps = (name: string, manager: string, query = "") =>
  `configmaps/${name}?fieldManager=${manager}${query}`;
const policies = (name: string, manager: string, query = "") =>
  `exportpolicies/${name}?fieldManager=${manager}${query}`;
const applied = (name: string, parts: PolicyParts = {}, manager = "one", more: Partial<Exchange> = {}) =>
  apply(policies(name, manager), policy(name, parts), more);

const login = { authentication: { basicAuth: { secretRef: { name: "login" } } } };
const named = (names: readonly string[]) => names.map((name) => ({ name }));

/** Server-side apply: merge, ownership, removal and order, as structured-merge-diff and the field manager do them. */
export const applyScenarios: readonly Scenario[] = [
  {
    name: "an item that is not applied any more goes, with its defaults",
    exchanges: [
      applied(
        "drop-sink",
        {
          sources: ["cpu", "mem"],
          sinks: [
            ["a", ["cpu"]],
            ["b", ["mem"]],
          ],
        },
        "one",
        { code: 201 },
      ),
      applied("drop-sink", { sources: ["cpu"] }, "one", {
        object: { spec: { sources: named(["cpu"]), sinks: named(["a"]) } },
      }),
    ],
  },
  {
    name: "a part of an item that is not applied any more goes with its parents",
    exchanges: [
      applied("drop-login", { sinks: [["a", ["cpu"], login]] }, "one", { code: 201 }),
      applied("drop-login", {}, "one", {
        object: { spec: { sinks: [{ target: { prometheusRemoteWrite: { authentication: undefined } } }] } },
      }),
    ],
  },
  {
    name: "what another manager owns of a dropped item comes back",
    exchanges: [
      applied(
        "shared-sink",
        {
          sources: ["cpu"],
          sinks: [
            ["a", ["cpu"]],
            ["b", ["cpu"]],
          ],
        },
        "one",
        { code: 201 },
      ),
      applied("shared-sink", { sinks: [["b", ["cpu"]]] }, "two"),
      applied("shared-sink", {}, "one", { object: { spec: { sinks: named(["a", "b"]) } } }),
      applied("shared-sink", { sinks: [["a", ["cpu"]]] }, "two", {
        object: { spec: { sinks: named(["a"]) } },
      }),
    ],
  },
  {
    name: "the applied order of items wins, and is a change",
    exchanges: [
      applied(
        "order",
        {
          sinks: [
            ["a", ["cpu"]],
            ["b", ["cpu"]],
          ],
        },
        "one",
        { code: 201 },
      ),
      applied(
        "order",
        {
          sinks: [
            ["b", ["cpu"]],
            ["c", ["cpu"]],
            ["a", ["cpu"]],
          ],
        },
        "one",
        {
          object: { metadata: { generation: 2 }, spec: { sinks: named(["b", "c", "a"]) } },
        },
      ),
      applied(
        "order",
        {
          sinks: [
            ["b", ["cpu"]],
            ["c", ["cpu"]],
            ["a", ["cpu"]],
          ],
        },
        "one",
        {
          object: { metadata: { generation: 2 } },
        },
      ),
    ],
  },
  {
    name: "a whole object that is applied to /status gives its manager the status alone",
    exchanges: [
      applied("status", {}, "one", { code: 201 }),
      apply(
        "exportpolicies/status/status?fieldManager=controller",
        policy("status", {
          sources: ["stale"],
          metadata: { labels: { a: "b" } },
          status: { sinks: [{ name: "a" }] },
        }),
        {
          object: {
            metadata: { labels: undefined },
            spec: { sources: named(["cpu"]) },
            status: { sinks: named(["a"]) },
          },
          managers: { "controller Apply": ["status.sinks[name=a]", "status.sinks[name=a].name"] },
        },
      ),
      applied("status", { sources: ["cpu", "mem"] }, "one", {
        object: { spec: { sources: named(["cpu", "mem"]) } },
      }),
      applied("status", { status: { sinks: [{ name: "b" }] } }, "one", {
        object: { spec: { sources: named(["cpu"]) }, status: { sinks: named(["a"]) } },
      }),
    ],
  },
  {
    name: "conflicts name the managers and the fields; force takes them",
    exchanges: [
      apply(maps("conflict", "one"), configMap("conflict", { data: { a: "1", b: "1", c: "1" } }), {
        code: 201,
      }),
      apply(maps("conflict", "two"), configMap("conflict", { data: { a: "2", b: "2", c: "1" } }), {
        code: 409,
        reason: "Conflict",
        message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
      }),
      apply(maps("conflict", "two", "&force=true"), configMap("conflict", { data: { a: "2", c: "1" } }), {
        object: { data: { a: "2", b: "1", c: "1" } },
        managers: { "one Apply": ["data.b", "data.c"], "two Apply": ["data.a", "data.c"] },
      }),
      apply(maps("conflict", "one"), configMap("conflict", { data: { a: "1" } }), {
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "two": .data.a',
      }),
    ],
  },
  {
    name: "labels, finalizers and annotations of several managers stay apart",
    exchanges: [
      apply(
        maps("meta", "one"),
        configMap("meta", {}, { labels: { a: "1" }, finalizers: ["example.com/a"] }),
        { code: 201 },
      ),
      apply(
        maps("meta", "two"),
        configMap("meta", {}, { labels: { b: "2" }, finalizers: ["example.com/b"] }),
        {
          object: {
            metadata: { labels: { a: "1", b: "2" }, finalizers: ["example.com/a", "example.com/b"] },
          },
        },
      ),
      apply(maps("meta", "one"), configMap("meta"), {
        object: { metadata: { labels: { b: "2" }, finalizers: ["example.com/b"] } },
        managers: { "two Apply": ["metadata.finalizers[=example.com/b]", "metadata.labels.b"] },
      }),
    ],
  },
  {
    name: "an object without managers is taken over from before-first-apply",
    exchanges: [
      {
        method: "POST",
        path: "configmaps?fieldManager=one",
        body: configMap("untracked", { data: { a: "1" } }),
        code: 201,
      },
      {
        method: "PATCH",
        path: "configmaps/untracked",
        type: "merge",
        code: 200,
        body: { metadata: { managedFields: [{}] } },
        object: { metadata: { managedFields: undefined } },
      },
      {
        method: "PATCH",
        path: "configmaps/untracked",
        type: "merge",
        code: 200,
        body: { data: { b: "1" } },
        object: { metadata: { managedFields: undefined } },
      },
      apply(maps("untracked", "two"), configMap("untracked", { data: { a: "2" } }), {
        code: 409,
        message: 'conflict with "before-first-apply" using v1: .data.a',
      }),
    ],
  },
  {
    name: "an empty list of managed fields is ignored",
    exchanges: [
      apply(maps("emptied", "one"), configMap("emptied", { data: { a: "1" } }), { code: 201 }),
      {
        method: "PATCH",
        path: "configmaps/emptied",
        type: "merge",
        code: 200,
        body: { metadata: { managedFields: [] } },
        managers: { "one Apply": ["data.a"] },
      },
      {
        method: "PATCH",
        path: "configmaps/emptied",
        type: "merge",
        code: 200,
        body: { metadata: { managedFields: null } },
        managers: { "one Apply": ["data.a"] },
      },
    ],
  },
  {
    name: "kubectl takes over from its client-side apply, and renews the annotation",
    exchanges: [
      {
        method: "POST",
        path: "configmaps?fieldManager=kubectl-client-side-apply",
        code: 201,
        body: configMap(
          "csa",
          { data: { a: "1", b: "1" } },
          {
            annotations: {
              [lastApplied]:
                '{"apiVersion":"v1","data":{"a":"1","b":"1"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"csa"}}\n',
            },
          },
        ),
      },
      apply(maps("csa", "other"), configMap("csa", { data: { a: "2" } }), { code: 409 }),
      apply(maps("csa", "kubectl"), configMap("csa", { data: { a: "2" } }), {
        object: {
          data: { a: "2", b: "1" },
          metadata: {
            annotations: {
              [lastApplied]:
                '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"csa"}}\n',
            },
          },
        },
      }),
    ],
  },
  {
    name: "Flux: a dry run with force, then the same for good, then a field less",
    exchanges: [
      apply(
        maps("flux", "kustomize-controller", "&force=true&dryRun=All"),
        configMap("flux", { data: { a: "1", b: "1" } }),
        { code: 201 },
      ),
      apply(
        maps("flux", "kustomize-controller", "&force=true"),
        configMap("flux", { data: { a: "1", b: "1" } }),
        { code: 201 },
      ),
      {
        method: "PATCH",
        path: "configmaps/flux?fieldManager=kubectl-edit",
        type: "merge",
        code: 200,
        body: { data: { a: "edited", c: "1" } },
      },
      apply(
        maps("flux", "kustomize-controller", "&force=true&dryRun=All"),
        configMap("flux", { data: { a: "1" } }),
        {
          object: { data: { a: "1", b: undefined, c: "1" } },
        },
      ),
      {
        method: "GET",
        path: "configmaps/flux",
        code: 200,
        object: { data: { a: "edited", b: "1", c: "1" } },
      },
      apply(maps("flux", "kustomize-controller", "&force=true"), configMap("flux", { data: { a: "1" } }), {
        object: { data: { a: "1", b: undefined, c: "1" } },
        managers: { "kustomize-controller Apply": ["data.a"], "kubectl-edit Update": ["data.c"] },
      }),
    ],
  },
  {
    name: "Argo CD: force over what kubectl has applied",
    exchanges: [
      apply(maps("argo", "kubectl"), configMap("argo", { data: { a: "1", b: "1" } }), { code: 201 }),
      apply(
        maps("argo", "argocd-controller", "&force=true"),
        configMap("argo", { data: { a: "2" } }, { labels: { "app.kubernetes.io/instance": "x" } }),
        {
          managers: {
            "kubectl Apply": ["data.b"],
            "argocd-controller Apply": ["data.a", "metadata.labels.app.kubernetes.io/instance"],
          },
        },
      ),
      apply(maps("argo", "argocd-controller", "&force=true"), configMap("argo"), {
        object: { data: { a: undefined, b: "1" }, metadata: { labels: undefined } },
      }),
    ],
  },
  {
    name: "a configuration whose items cannot be told apart, or with unknown fields, is an error",
    exchanges: [
      applied(
        "bad",
        {
          sinks: [
            ["a", ["cpu"]],
            ["a", ["cpu"]],
          ],
        },
        "one",
        { code: 400, message: '.spec.sinks: duplicate entries for key [name="a"]' },
      ),
      apply(
        policies("bad", "one"),
        { ...policy("bad"), spec: { sinks: [{ sources: [] }] } },
        {
          code: 400,
          message:
            ".spec.sinks: element 0: associative list with keys has an element that omits all key fields",
        },
      ),
      apply(maps("bad", "one", "&fieldValidation=Ignore"), configMap("bad", { odd: 1 }), {
        code: 400,
        message: ".odd: field not declared in schema",
      }),
      apply(maps("bad", "one", "&fieldValidation=Strict"), configMap("bad", { odd: 1 }), {
        code: 400,
        message: 'strict decoding error: unknown field "odd"',
      }),
    ],
  },
  {
    name: "an apply names its object",
    exchanges: [
      apply(
        maps("id", "one"),
        { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
        { code: 400, message: "name must be provided" },
      ),
      apply(maps("id", "one"), configMap("other"), {
        code: 400,
        message: "does not match the name on the URL",
      }),
      apply(maps("id", "one"), configMap("id", {}, { namespace: "other" }), {
        code: 400,
        message: "namespace",
      }),
      apply(
        maps("id", "one"),
        { kind: "ConfigMap", metadata: { name: "id" } },
        { code: 400, message: "apiVersion" },
      ),
      apply(
        maps("id", "one"),
        { apiVersion: "v1", metadata: { name: "id" } },
        { code: 400, message: "Kind" },
      ),
      apply(maps("id", "one"), configMap("id", {}, { managedFields: [] }), {
        code: 400,
        message: "metadata.managedFields must be nil",
      }),
      apply(maps("id", "one"), configMap("id", {}, { uid: "x" }), { code: 409, message: "uid mismatch" }),
      apply(maps("id", "one"), configMap("id", {}, { resourceVersion: "1" }), { code: 201 }),
      apply(maps("id", "one"), configMap("id", {}, { uid: "x" }), {
        code: 422,
        message: "metadata.uid: Invalid value",
      }),
      apply(maps("id", "one"), configMap("id", {}, { resourceVersion: "1" }), { code: 409 }),
    ],
  },
];
