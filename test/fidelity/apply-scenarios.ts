import { configMap, type Exchange, type PolicyParts, policy, type Scenario } from "./scenario.ts";

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

/**
 * Server-side apply: merge, ownership, removal and order, as in structured-merge-diff and the field manager.
 */
export const applyScenarios: readonly Scenario[] = [
  {
    name: "an item that is not applied any more goes, with its defaults",
    exchanges: [
      applied(
        "$name",
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
      applied("$name", { sources: ["cpu"] }, "one", {
        object: { spec: { sources: named(["cpu"]), sinks: named(["a"]) } },
      }),
    ],
  },
  {
    name: "a part of an item that is not applied any more goes with its parents",
    exchanges: [
      applied("$name", { sinks: [["a", ["cpu"], login]] }, "one", { code: 201 }),
      applied("$name", {}, "one", {
        object: { spec: { sinks: [{ target: { prometheusRemoteWrite: { authentication: undefined } } }] } },
      }),
    ],
  },
  {
    name: "what another manager owns of a dropped item comes back",
    exchanges: [
      applied(
        "$name",
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
      applied("$name", { sinks: [["b", ["cpu"]]] }, "two"),
      applied("$name", {}, "one", { object: { spec: { sinks: named(["a", "b"]) } } }),
      applied("$name", { sinks: [["a", ["cpu"]]] }, "two", {
        object: { spec: { sinks: named(["a"]) } },
      }),
    ],
  },
  {
    name: "the applied order of items wins, and is a change",
    exchanges: [
      applied(
        "$name",
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
        "$name",
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
        "$name",
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
      applied("$name", {}, "one", { code: 201 }),
      apply(
        "exportpolicies/$name/status?fieldManager=controller",
        policy("$name", {
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
          managers: {
            "controller Apply": ["metadata.labels.a", "status.sinks[name=a]", "status.sinks[name=a].name"],
          },
          platform: {
            why: "nobody comes to own metadata that a write to /status leaves as it was",
            managers: { "controller Apply": ["status.sinks[name=a]", "status.sinks[name=a].name"] },
          },
        },
      ),
      applied("$name", { sources: ["cpu", "mem"] }, "one", {
        object: { spec: { sources: named(["cpu", "mem"]) } },
      }),
      applied("$name", { status: { sinks: [{ name: "b" }] } }, "one", {
        object: { spec: { sources: named(["cpu"]) }, status: { sinks: named(["a"]) } },
      }),
    ],
  },
  {
    name: "conflicts name the managers and the fields; force takes them",
    exchanges: [
      apply(maps("$name", "one"), configMap("$name", { data: { a: "1", b: "1", c: "1" } }), {
        code: 201,
      }),
      apply(maps("$name", "two"), configMap("$name", { data: { a: "2", b: "2", c: "1" } }), {
        code: 409,
        reason: "Conflict",
        message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
      }),
      apply(maps("$name", "two", "&force=true"), configMap("$name", { data: { a: "2", c: "1" } }), {
        object: { data: { a: "2", b: "1", c: "1" } },
        managers: { "one Apply": ["data.b", "data.c"], "two Apply": ["data.a", "data.c"] },
      }),
      apply(maps("$name", "one"), configMap("$name", { data: { a: "1" } }), {
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "two": .data.a',
      }),
    ],
  },
  {
    name: "labels, finalizers and annotations of several managers stay apart",
    exchanges: [
      apply(
        maps("$name", "one"),
        configMap("$name", {}, { labels: { a: "1" }, finalizers: ["example.com/a"] }),
        { code: 201 },
      ),
      apply(
        maps("$name", "two"),
        configMap("$name", {}, { labels: { b: "2" }, finalizers: ["example.com/b"] }),
        {
          object: {
            metadata: { labels: { a: "1", b: "2" }, finalizers: ["example.com/a", "example.com/b"] },
          },
        },
      ),
      apply(maps("$name", "one"), configMap("$name"), {
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
        body: configMap("$name", { data: { a: "1" } }),
        code: 201,
      },
      {
        method: "PATCH",
        path: "configmaps/$name",
        type: "merge",
        code: 200,
        body: { metadata: { managedFields: [{}] } },
        object: { metadata: { managedFields: undefined } },
      },
      {
        method: "PATCH",
        path: "configmaps/$name",
        type: "merge",
        code: 200,
        body: { data: { b: "1" } },
        object: { metadata: { managedFields: undefined } },
      },
      apply(maps("$name", "two"), configMap("$name", { data: { a: "2" } }), {
        code: 409,
        message: 'conflict with "before-first-apply" using v1: .data.a',
      }),
    ],
  },
  {
    name: "an empty list of managed fields is ignored",
    exchanges: [
      apply(maps("$name", "one"), configMap("$name", { data: { a: "1" } }), { code: 201 }),
      {
        method: "PATCH",
        path: "configmaps/$name",
        type: "merge",
        code: 200,
        body: { metadata: { managedFields: [] } },
        managers: { "one Apply": ["data.a"] },
      },
      {
        method: "PATCH",
        path: "configmaps/$name",
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
          "$name",
          { data: { a: "1", b: "1" } },
          {
            annotations: {
              [lastApplied]:
                '{"apiVersion":"v1","data":{"a":"1","b":"1"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"$name"}}\n',
            },
          },
        ),
      },
      apply(maps("$name", "other"), configMap("$name", { data: { a: "2" } }), { code: 409 }),
      apply(maps("$name", "kubectl"), configMap("$name", { data: { a: "2" } }), {
        object: {
          data: { a: "2", b: "1" },
          metadata: {
            annotations: {
              [lastApplied]:
                '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"$name"}}\n',
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
        maps("$name", "kustomize-controller", "&force=true&dryRun=All"),
        configMap("$name", { data: { a: "1", b: "1" } }),
        { code: 201 },
      ),
      apply(
        maps("$name", "kustomize-controller", "&force=true"),
        configMap("$name", { data: { a: "1", b: "1" } }),
        { code: 201 },
      ),
      {
        method: "PATCH",
        path: "configmaps/$name?fieldManager=kubectl-edit",
        type: "merge",
        code: 200,
        body: { data: { a: "edited", c: "1" } },
      },
      apply(
        maps("$name", "kustomize-controller", "&force=true&dryRun=All"),
        configMap("$name", { data: { a: "1" } }),
        {
          object: { data: { a: "1", b: undefined, c: "1" } },
        },
      ),
      {
        method: "GET",
        path: "configmaps/$name",
        code: 200,
        object: { data: { a: "edited", b: "1", c: "1" } },
      },
      apply(maps("$name", "kustomize-controller", "&force=true"), configMap("$name", { data: { a: "1" } }), {
        object: { data: { a: "1", b: undefined, c: "1" } },
        managers: { "kustomize-controller Apply": ["data.a"], "kubectl-edit Update": ["data.c"] },
      }),
    ],
  },
  {
    name: "Argo CD: force over what kubectl has applied",
    exchanges: [
      apply(maps("$name", "kubectl"), configMap("$name", { data: { a: "1", b: "1" } }), { code: 201 }),
      apply(
        maps("$name", "argocd-controller", "&force=true"),
        configMap("$name", { data: { a: "2" } }, { labels: { "app.kubernetes.io/instance": "x" } }),
        {
          managers: {
            "kubectl Apply": ["data.b"],
            "argocd-controller Apply": ["data.a", "metadata.labels.app.kubernetes.io/instance"],
          },
        },
      ),
      apply(maps("$name", "argocd-controller", "&force=true"), configMap("$name"), {
        object: { data: { a: undefined, b: "1" }, metadata: { labels: undefined } },
      }),
    ],
  },
  {
    name: "a configuration whose items cannot be told apart, or with unknown fields, is an error",
    exchanges: [
      applied(
        "$name",
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
        policies("$name", "one"),
        { ...policy("$name"), spec: { sinks: [{ sources: [] }] } },
        {
          code: 400,
          message:
            ".spec.sinks: element 0: associative list with keys has an element that omits all key fields",
        },
      ),
      apply(maps("$name", "one", "&fieldValidation=Ignore"), configMap("$name", { odd: 1 }), {
        code: 400,
        message: ".odd: field not declared in schema",
      }),
      apply(maps("$name", "one", "&fieldValidation=Strict"), configMap("$name", { odd: 1 }), {
        code: 400,
        message: 'strict decoding error: unknown field "odd"',
      }),
    ],
  },
  {
    name: "an apply names its object",
    exchanges: [
      apply(
        maps("$name", "one"),
        { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
        { code: 400, message: "name must be provided" },
      ),
      apply(maps("$name", "one"), configMap("other"), {
        code: 400,
        message: "does not match the name on the URL",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { namespace: "other" }), {
        code: 400,
        message: "namespace",
      }),
      apply(
        maps("$name", "one"),
        { kind: "ConfigMap", metadata: { name: "$name" } },
        { code: 400, message: "apiVersion" },
      ),
      apply(
        maps("$name", "one"),
        { apiVersion: "v1", metadata: { name: "$name" } },
        { code: 400, message: "Kind" },
      ),
      apply(maps("$name", "one"), configMap("$name", {}, { managedFields: [] }), {
        code: 400,
        message: "metadata.managedFields must be nil",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { uid: "x" }), {
        code: 409,
        message: "uid mismatch",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { resourceVersion: "1" }), { code: 201 }),
      apply(maps("$name", "one"), configMap("$name", {}, { uid: "x" }), {
        code: 422,
        message: "metadata.uid: Invalid value",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { resourceVersion: "1" }), { code: 409 }),
    ],
  },
];
