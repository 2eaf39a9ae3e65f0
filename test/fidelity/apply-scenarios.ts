import { applied, apply, maps, named, sinksOf } from "./apply-exchange.ts";
import { configMap, policy, type Scenario } from "./scenario.ts";

const login = { authentication: { basicAuth: { secretRef: { name: "login" } } } };

/** Server-side apply: merge, ownership, removal and order, as in structured-merge-diff and the field manager. */
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
          sinks: sinksOf("a", "b"),
        },
        "one",
        { code: 201 },
      ),
      applied("$name", { sinks: sinksOf("b") }, "two"),
      applied("$name", {}, "one", { object: { spec: { sinks: named(["a", "b"]) } } }),
      applied("$name", { sinks: sinksOf("a") }, "two", {
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
          sinks: sinksOf("a", "b"),
        },
        "one",
        { code: 201 },
      ),
      applied(
        "$name",
        {
          sinks: sinksOf("b", "c", "a"),
        },
        "one",
        {
          object: { metadata: { generation: 2 }, spec: { sinks: named(["b", "c", "a"]) } },
        },
      ),
      applied(
        "$name",
        {
          sinks: sinksOf("b", "c", "a"),
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
];
