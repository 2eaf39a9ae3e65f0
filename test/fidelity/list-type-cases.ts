import type { Json } from "../../src/kube-server/api/object.ts";
import type { FidelityCase, FidelityRequest } from "./case.ts";
import { policies, policy } from "./schema-cases.ts";

/** The list types of ExportPolicy's schema under server-side apply: the owner of each item. */

const apply = (manager: string, body: Json): FidelityRequest => ({
  method: "PATCH",
  path: `${policies}/$name?fieldManager=${manager}`,
  headers: { "content-type": "application/apply-patch+yaml" },
  body,
});

/** The body of an applier that sends only this spec. */
const only = (spec: Json): Json => ({
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name: "$name" },
  spec,
});

const sinkWith = (name: string, sources: Json): Json => ({
  ...{ name, sources },
  target: { prometheusRemoteWrite: { endpoint: "https://other.example/write" } },
});

export const listTypeCases: readonly FidelityCase[] = [
  {
    name: "a second applier adds an item to a set",
    before: [apply("one", policy())],
    request: apply("two", only({ sinks: [{ name: "main", sources: ["b"] }] })),
    expected: {
      code: 200,
      fields: {
        "spec.sinks[0].sources": ["a", "b"],
        'metadata.managedFields[1].fieldsV1["f:spec"]["f:sinks"]["k:{\\"name\\":\\"main\\"}"]["f:sources"]': {
          'v:"b"': {},
        },
      },
    },
  },
  {
    name: "a second applier adds a sink",
    before: [apply("one", policy())],
    request: apply("two", only({ sinks: [sinkWith("second", ["b"])] })),
    expected: {
      code: 200,
      fields: { "spec.sinks[0].name": "main", "spec.sinks[1].name": "second", "spec.sinks[2]": undefined },
    },
  },
  {
    name: "a second applier changes what the first one owns",
    before: [apply("one", policy())],
    request: apply("two", only({ sources: [{ name: "a", metrics: { metricsql: "down" } }] })),
    expected: {
      code: 409,
      reason: "Conflict",
      fields: { "details.causes[0].field": '.spec.sources[name="a"].metrics.metricsql' },
    },
  },
];
