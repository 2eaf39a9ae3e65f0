import type { Json } from "../../src/kube-server/api/object.ts";
import type { FidelityCase, FidelityRequest } from "./case.ts";

/** ExportPolicies at the limits of the schema that the CRD and the platform share. */

export const policies = "/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies";

type Fields = { readonly [name: string]: Json };

/**
 * A valid policy; `remoteWrite` is merged into the target of its one sink, `sink` into the sink, `spec` into
 * the spec.
 */
export function policy({ remoteWrite = {}, sink = {}, spec = {} }: Record<string, Fields> = {}): Json {
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "$name" },
    spec: {
      sources: [
        { name: "a", metrics: { metricsql: "up" } },
        { name: "b", metrics: { metricsql: "down" } },
      ],
      sinks: [
        {
          name: "main",
          sources: ["a"],
          target: { prometheusRemoteWrite: { endpoint: "https://receiver.example/write", ...remoteWrite } },
          ...sink,
        },
      ],
      ...spec,
    },
  };
}

export const create = (body: Json): FidelityRequest => ({ method: "POST", path: policies, body });

const refused = { code: 422, reason: "Invalid" } as const;
const target = "spec.sinks[0].target.prometheusRemoteWrite";
const source = { name: "a", metrics: { metricsql: "up" } };

function created(name: string, body: Json, fields: Record<string, Json | undefined> = {}): FidelityCase {
  return { name, request: create(body), expected: { code: 201, fields } };
}

function invalid(name: string, body: Json, field: string): FidelityCase {
  return {
    name,
    request: create(body),
    expected: { ...refused, fields: { "details.causes[0].field": field } },
  };
}

const condition = (lastTransitionTime: string): Json => ({
  status: {
    conditions: [{ type: "Ready", status: "True", reason: "R", message: "", lastTransitionTime }],
  },
});

const patchStatus = (body: Json): FidelityRequest => ({
  method: "PATCH",
  path: `${policies}/$name/status`,
  headers: { "content-type": "application/merge-patch+json" },
  body,
});

export const schemaCases: readonly FidelityCase[] = [
  created("defaults are filled in", policy(), {
    [`${target}.batch`]: { timeout: "5s", maxSize: 500, maxBytes: 3 * 2 ** 20 },
    [`${target}.retry`]: { maxAttempts: 3, backoffDuration: "5s" },
    "metadata.generation": 1,
  }),
  created("null is as good as absent", policy({ remoteWrite: { batch: null, authentication: null } }), {
    [`${target}.batch.timeout`]: "5s",
    [`${target}.authentication`]: undefined,
  }),
  ...["1ns", "0.0001s", "1h", "60m", "+5s", ".5s", "1h0.0000000001s"].map((timeout) =>
    created(`batch.timeout ${timeout}`, policy({ remoteWrite: { batch: { timeout } } })),
  ),
  ...["0.5ns", "0s", "-1s", "1h1ns", "5", "1d", "", "1e3s"].map((timeout) =>
    invalid(
      `batch.timeout ${JSON.stringify(timeout)}`,
      policy({ remoteWrite: { batch: { timeout } } }),
      `${target}.batch.timeout`,
    ),
  ),
  ...[0, 5_001, 1.5, "5"].map((maxSize) =>
    invalid(
      `batch.maxSize ${JSON.stringify(maxSize)}`,
      policy({ remoteWrite: { batch: { maxSize } } }),
      `${target}.batch.maxSize`,
    ),
  ),
  ...["http://h", "HTTPS://h:65535/", "http://ü.example/", "http://[::1]:9090/a?b", "http://h?%zz"].map(
    (endpoint) => created(`endpoint ${endpoint}`, policy({ remoteWrite: { endpoint } })),
  ),
  ...["ftp://h", "h", "http://u:p@h/", "http://h/#f", "http://h:65536", "http://h/%2", "http://h/ a"].map(
    (endpoint) =>
      invalid(`endpoint ${endpoint}`, policy({ remoteWrite: { endpoint } }), `${target}.endpoint`),
  ),
  created("a name of 63 characters", policy({ sink: { name: "a".repeat(63) } })),
  invalid("a name of 64 characters", policy({ sink: { name: "a".repeat(64) } }), "spec.sinks[0].name"),
  invalid("a name in capitals", policy({ sink: { name: "Main" } }), "spec.sinks[0].name"),
  {
    name: "a sink's source twice",
    request: create(policy({ sink: { sources: ["a", "a"] } })),
    expected: {
      ...refused,
      fields: {
        "details.causes[0].field": "spec.sinks[0].sources[1]",
        "details.causes[0].reason": "FieldValueDuplicate",
      },
    },
  },
  {
    name: "a source that is not there",
    request: create(policy({ sink: { sources: ["c"] } })),
    expected: { ...refused, fields: { "details.causes[0].field": "spec" } },
    platform: {
      why: "the cause names the very item",
      expected: { ...refused, fields: { "details.causes[0].field": "spec.sinks[0].sources[0]" } },
    },
  },
  {
    name: "two sources of one name",
    request: create(policy({ spec: { sources: [source, source] } })),
    expected: { ...refused, fields: { "details.causes[0].field": "spec.sources[1]" } },
    platform: {
      why: "the cause names the field that is the same",
      expected: { ...refused, fields: { "details.causes[0].field": "spec.sources[1].name" } },
    },
  },
  ...[
    [
      "target",
      "spec.sinks[0].target",
      policy({ sink: { target: { prometheusRemoteWrite: { endpoint: "http://h" }, kafka: {} } } }),
      "kafka",
    ],
    [
      "metrics",
      "spec.sources[0].metrics",
      policy({ spec: { sources: [{ name: "a", metrics: { metricsql: "up", logs: "" } }] } }),
      "logs",
    ],
  ].map(
    ([name, field, body, kind]): FidelityCase => ({
      name: `two kinds of ${String(name)}`,
      request: create(body ?? null),
      expected: { ...refused, fields: { "details.causes[0].field": field } },
      platform: {
        why: "the cause names the kind that is not known",
        expected: { ...refused, fields: { "details.causes[0].field": `${String(field)}.${String(kind)}` } },
      },
    }),
  ),
  {
    name: "an unknown field is dropped",
    request: create(policy({ sink: { colour: "red" } })),
    expected: {
      code: 201,
      fields: { "spec.sinks[0].colour": undefined },
      headers: { warning: '299 - "unknown field \\"spec.sinks[0].colour\\""' },
    },
  },
  {
    name: "an unknown field is refused where that is asked for",
    request: { ...create(policy({ sink: { colour: "red" } })), path: `${policies}?fieldValidation=Strict` },
    expected: {
      code: 400,
      reason: "BadRequest",
      fields: { message: /unknown field "spec\.sinks\[0\]\.colour"/ },
    },
  },
  {
    name: "MetricsQL that cannot be parsed",
    request: create(policy({ spec: { sources: [{ name: "a", metrics: { metricsql: "up{" } }] } })),
    expected: { code: 201 },
    platform: {
      why: "an API server knows no MetricsQL",
      expected: { ...refused, fields: { "details.causes[0].field": "spec.sources[0].metrics.metricsql" } },
    },
  },
  {
    name: "a condition with a time",
    before: [create(policy())],
    request: patchStatus(condition("2026-11-20T10:00:00Z")),
    expected: { code: 200, fields: { "status.conditions[0].lastTransitionTime": "2026-11-20T10:00:00Z" } },
  },
  {
    name: "a condition with a time that is none",
    before: [create(policy())],
    request: patchStatus(condition("yesterday")),
    expected: {
      ...refused,
      fields: { "details.causes[0].field": "status.conditions[0].lastTransitionTime" },
    },
  },
];
