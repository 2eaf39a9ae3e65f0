import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportPolicy, sink, source } from "../../../../test/support/policy/export-policy.ts";
import { checkExportPolicy, type PolicyCheckOptions } from "./check-policy.ts";
import type { DocumentFault } from "./document-fault.ts";

const lenient: PolicyCheckOptions = { plane: "shop", unknownFields: "warning" };
const strict: PolicyCheckOptions = { plane: "shop", unknownFields: "error" };

const policy = (spec: object, metadata?: object) => ({
  ...exportPolicy(spec, metadata),
  apiVersion: "telemetry.any.domain/v1alpha1",
});

test("a whole policy, with the defaults of the contract", () => {
  const json = policy(
    {
      sources: [source("a"), source("b", '{job="web"}')],
      sinks: [
        sink("plain", ["a", "b"]),
        sink("full", ["b"], {
          authentication: { basicAuth: { secretRef: { name: "credentials" } } },
          batch: { timeout: "1m30s", maxSize: 5000 },
          retry: {
            ...{ maxAttempts: 10, backoffDuration: "250ms", maxBackfill: "1h" },
            ...{ onExhausted: "drop", order: "newestFirst", retryOn429: false },
          },
        }),
      ],
    },
    { namespace: "team", uid: "u-1", generation: 7 },
  );
  const { checked, faults } = checkExportPolicy(json, strict);
  expect(faults).toEqual([]);
  expect(checked?.policy).toEqual({
    ref: { plane: "shop", namespace: "team", name: "web", uid: "u-1" },
    generation: 7,
    paused: new Set(),
    sources: [
      { name: "a", metricsql: "up" },
      { name: "b", metricsql: '{job="web"}' },
    ],
    sinks: [
      {
        name: "plain",
        sources: ["a", "b"],
        endpoint: "https://h.example/push",
        batch: { timeoutMs: 5_000, maxSize: 500, maxBytes: 3 * 2 ** 20 },
        retry: { maxAttempts: 3, backoffMs: 5_000 },
      },
      {
        name: "full",
        sources: ["b"],
        endpoint: "https://h.example/push",
        authentication: { kind: "basicAuth", secret: "credentials" },
        batch: { timeoutMs: 90_000, maxSize: 5_000, maxBytes: 3 * 2 ** 20 },
        retry: {
          ...{ maxAttempts: 10, backoffMs: 250, maxBackfillMs: 3_600_000 },
          ...{ onExhausted: "drop", order: "newestFirst", retryOn429: false },
        },
      },
    ],
  });
});

test("an interval is cut to whole milliseconds", () => {
  const intervals = ["1s", "1m30s", "1.0009s"];
  const json = policy({
    sources: intervals.map((interval, index) => ({ ...source(`s${index}`), interval })),
    sinks: [sink("a", ["s0"])],
  });
  const { checked, faults } = checkExportPolicy(json, strict);
  expect(faults).toEqual([]);
  expect(checked?.policy?.sources.map(({ intervalMs }) => intervalMs)).toEqual([1_000, 90_000, 1_000]);
});

test("one bad sink and one bad source leave the rest running", () => {
  const json = policy({
    sources: [source("good"), source("bad", "{job=")],
    sinks: [
      sink("fine", ["good"]),
      sink("wrong-endpoint", ["good"], { endpoint: "nowhere" }),
      sink("wrong-source", ["good", "bad"]),
      sink("missing-source", ["god"]),
    ],
  });
  const { checked } = checkExportPolicy(json, lenient);
  expect(checked?.policy?.sinks.map((each) => each.name)).toEqual(["fine"]);
  expect(checked?.policy?.sources.map((each) => each.name)).toEqual(["good"]);
  expect(
    checked?.sinks.map(({ name, faults, sourceFaults }) => [name, faults.length, sourceFaults.length]),
  ).toEqual([
    ["fine", 0, 0],
    ["wrong-endpoint", 1, 0],
    ["wrong-source", 0, 1],
    ["missing-source", 0, 1],
  ]);
});

describe("unknown fields", () => {
  const json = policy({ sources: [source("a")], sinks: [sink("s", ["a"], { queue: "large" })] });

  test("are errors for validate and admission", () => {
    expect(checkExportPolicy(json, strict).faults).toMatchObject([
      { severity: "error", path: ["spec", "sinks", 0, "target", "prometheusRemoteWrite", "queue"] },
    ]);
  });

  test("are warnings at run time, and the policy runs", () => {
    const { checked, faults } = checkExportPolicy(json, lenient);
    expect(faults.map((fault) => fault.severity)).toEqual(["warning"]);
    expect(checked?.policy?.sinks).toHaveLength(1);
  });

  test("an unknown way to authenticate is never passed over: that would send without credentials", () => {
    const unsafe = policy({
      sources: [source("a")],
      sinks: [sink("s", ["a"], { authentication: { oauth2: {} } })],
    });
    expect(checkExportPolicy(unsafe, lenient).checked?.policy?.sinks).toEqual([]);
  });
});

test("Kubernetes' reasons", () => {
  const json = policy({
    sources: [source("a"), source("a"), { name: "sel", metrics: { resourceSelectors: [] } }],
    sinks: [sink("x", ["a", "a", "b"]), { name: "y", sources: ["a"], target: { kafka: {} } }],
  });
  const reasons = checkExportPolicy(json, strict).faults.map(
    (fault) => `${fault.path.join(".")} ${fault.reason}`,
  );
  expect(reasons).toEqual([
    "spec.sources.1.name FieldValueDuplicate",
    "spec.sources.2.metrics.resourceSelectors FieldValueForbidden",
    "spec.sinks.0.sources.1 FieldValueDuplicate",
    "spec.sinks.0.sources.2 FieldValueNotFound",
    "spec.sinks.1.target.kafka FieldValueNotSupported",
  ]);
});

describe("the paused annotation", () => {
  const spec = { sources: [source("a")], sinks: [sink("x", ["a"]), sink("y", ["a"])] };
  test.each([
    ["true", "all", 0],
    ["false", new Set(), 0],
    ["", new Set(), 0],
    ["x", new Set(["x"]), 0],
    [" x , y", new Set(["x", "y"]), 0],
    ["z", new Set(["z"]), 1],
  ])("%j", (text, paused, warnings) => {
    const annotations = { "telemetry.any.domain/paused": text, "telemetry.other/paused": "true" };
    const { checked, faults } = checkExportPolicy(policy(spec, { annotations }), strict);
    expect(checked?.policy?.paused).toEqual(paused);
    expect(faults.filter((fault) => fault.severity === "warning")).toHaveLength(warnings);
  });
});

test("null is absent, as in Kubernetes", () => {
  const json = policy(
    { sources: [source("a")], sinks: [sink("s", ["a"], { batch: null, authentication: null })] },
    { annotations: null, uid: null },
  );
  const { checked, faults } = checkExportPolicy(json, strict);
  expect(faults).toEqual([]);
  expect(checked?.ref.uid).toBe("-");
});

test("whatever JSON comes, it gets faults, never with an exception", () => {
  const spec = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, 0, "", "a", "up", true, "https://h", "5s"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          "name",
          "sources",
          "sinks",
          "metrics",
          "metricsql",
          "target",
          "prometheusRemoteWrite",
          "__proto__",
        ),
        tie("value"),
      ),
    ),
  })).value;
  fc.assert(
    fc.property(spec, spec, (specValue, metadata) => {
      const { faults } = checkExportPolicy({ ...policy({}), spec: specValue, metadata }, lenient);
      for (const fault of faults) expect(fault.message).not.toBe("");
    }),
    { numRuns: 1_000 },
  );
});

test("checkpoints of the status are taken from a control plane, not from a directory", () => {
  const status = {
    sinks: [
      { name: "a", checkpoint: "2026-01-01T00:00:00Z", conditions: [] },
      { name: "b", checkpoint: "soon" },
      { name: "c" },
      "d",
    ],
  };
  const json = { ...policy({ sources: [source("a")], sinks: [sink("a", ["a"])] }, { uid: "u-1" }), status };
  const reported = (options: PolicyCheckOptions) => checkExportPolicy(json, options).checked?.reported;
  expect(reported(lenient)).toEqual(new Map([["a", Date.UTC(2026, 0, 1)]]));
  expect(reported({ ...lenient, identity: { uid: "-", generation: 1 } })).toEqual(new Map());
  expect(checkExportPolicy({ ...json, status: "odd" }, lenient).checked?.reported).toEqual(new Map());
});

test("relabelling: defaults are filled in, and a project's rule must not name its label", () => {
  const spec = (rule: object) => ({
    sources: [source("a")],
    sinks: [sink("main", ["a"], { relabel: [rule] })],
  });
  const rule = { action: "HashMod", sourceLabels: ["a"], targetLabel: "project", modulus: 4 };
  const { checked, faults } = checkExportPolicy(policy(spec(rule)), strict);
  expect(faults).toEqual([]);
  expect(checked?.policy?.sinks[0]?.relabel).toEqual([
    { ...rule, action: "hashmod", separator: ";", regex: "(.*)", replacement: "$1" },
  ]);
  const ofProject = checkExportPolicy(policy(spec(rule)), { ...strict, tenantLabel: "project" });
  expect(ofProject.checked?.policy?.sinks).toEqual([]);
  expect(ofProject.faults).toEqual([
    {
      severity: "error",
      path: ["spec", "sinks", 0, "target", "prometheusRemoteWrite", "relabel", 0, "targetLabel"],
      reason: "FieldValueForbidden",
      message: "must not name the label project: it distinguishes projects",
    },
  ]);
});

test("relabelling: what would take long to parse is not parsed", () => {
  // Each is also a fault, if it is parsed.
  const pattern = "(".repeat(1_000);
  const rules = (count: number, regex: string) => Array(count).fill({ action: "labeldrop", regex });
  const sinks = [
    sink("many", ["a"], { relabel: rules(20_000, pattern) }),
    ...Array.from({ length: 18 }, (_, index) =>
      sink(`long-${index}`, ["a"], { relabel: rules(15, pattern) }),
    ),
    sink("without", ["a"]),
  ];
  const { checked, faults } = checkExportPolicy(policy({ sources: [source("a")], sinks }), strict);
  const inRules = ({ path }: DocumentFault) => path.length > 6;
  const ofLists = faults.filter((fault) => !inRules(fault));
  expect(faults.filter(inRules).every(({ path }) => path[2] === 1)).toBe(true);
  expect(ofLists.map(({ path }) => path.slice(2))).toEqual(
    [0, ...Array.from({ length: 17 }, (_, index) => index + 2)].map((index) => [
      ...[index, "target", "prometheusRemoteWrite", "relabel"],
    ]),
  );
  expect(ofLists[0]?.message).toContain("at most 50 items, not 20000");
  expect(ofLists[1]?.message).toContain("longer than 20000 characters");
  expect(checked?.policy?.sinks.map(({ name }) => name)).toEqual(["without"]);
});
