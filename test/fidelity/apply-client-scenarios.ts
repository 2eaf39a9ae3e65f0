import { apply, maps } from "./apply-exchange.ts";
import { configMap, type Scenario } from "./scenario.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Server-side apply after other kinds of writes, and as kubectl, Flux and Argo CD use it. */
export const applyClientScenarios: readonly Scenario[] = [
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
];
