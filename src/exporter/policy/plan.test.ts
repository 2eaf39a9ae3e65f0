import { describe, expect, test } from "vitest";
import { exportPolicy, sink, source } from "../../../test/support/policy/export-policy.ts";
import { planPolicy } from "./plan.ts";
import { checkExportPolicy } from "./spec/check-policy.ts";
import type { Secret } from "./spec/types.ts";

const withSecret = (name: string) => ({ authentication: { basicAuth: { secretRef: { name } } } });

const secret: Secret = {
  plane: "shop",
  namespace: "team",
  name: "login",
  type: "kubernetes.io/basic-auth",
  data: new Map([
    ["username", "u"],
    ["password", "p"],
  ]),
};
const secretOf = (plane: string, namespace: string, name: string) =>
  plane === secret.plane && namespace === secret.namespace && name === secret.name ? secret : undefined;

function plan(spec: object, annotations: object = {}) {
  const json = exportPolicy(spec, { namespace: "team", uid: "u", generation: 3, annotations });
  const { checked } = checkExportPolicy(json, { plane: "shop", unknownFields: "warning" });
  return planPolicy(checked!, secretOf);
}

test("all good: a plan for each sink, credentials included", () => {
  const { sinks, ready, accepted } = plan(
    {
      sources: [source("a"), source("b")],
      sinks: [sink("x", ["a"], withSecret("login")), sink("y", ["b", "a"])],
    },
    { "telemetry.platformapis/paused": "y" },
  );
  expect(ready).toEqual({
    type: "Ready",
    status: "True",
    reason: "SinksAccepted",
    message: "All sinks are configured.",
  });
  expect(accepted.map(({ name, condition }) => [name, condition.reason])).toEqual([
    ["x", "SinkConfigured"],
    ["y", "SinkConfigured"],
  ]);
  const ref = { plane: "shop", namespace: "team", name: "web", uid: "u" };
  expect(sinks[0]).toEqual({
    policy: ref,
    generation: 3,
    name: "x",
    sources: [{ name: "a", metricsql: "up" }],
    endpoint: "https://h.example/push",
    credentials: { kind: "basicAuth", username: "u", password: "p" },
    batch: { timeoutMs: 5_000, maxSize: 500, maxBytes: 3 * 2 ** 20 },
    retry: { maxAttempts: 3, backoffMs: 5_000 },
    paused: false,
  });
  expect(sinks[1]).toMatchObject({ paused: true, sources: [{ name: "a" }, { name: "b" }] });
  expect(sinks[1]?.credentials).toBeUndefined();
});

test("each bad sink has its reason, the good one runs", () => {
  const { sinks, ready, accepted } = plan({
    sources: [source("a"), source("bad", "{job=")],
    sinks: [
      sink("good"),
      sink("no-secret", ["a"], withSecret("other")),
      sink("bad-source", ["a", "bad"]),
      sink("bad-target", ["a"], { endpoint: "h" }),
    ],
  });
  expect(sinks.map((each) => each.name)).toEqual(["good"]);
  expect(ready).toMatchObject({
    status: "False",
    reason: "SinksNotAccepted",
    message: "1/4 sinks are accepted. Check the status of the sinks for more details.",
  });
  expect(accepted.slice(1)).toEqual([
    {
      name: "no-secret",
      condition: {
        type: "Accepted",
        status: "False",
        reason: "InvalidAuthentication",
        message: "secret 'other' not found",
      },
    },
    {
      name: "bad-source",
      condition: {
        type: "Accepted",
        status: "False",
        reason: "InvalidSource",
        message: expect.stringMatching(
          /^spec\.sources\[1\]\.metrics\.metricsql: is not MetricsQL: .* \(column 6\)$/,
        ),
      },
    },
    {
      name: "bad-target",
      condition: {
        type: "Accepted",
        status: "False",
        reason: "InvalidTarget",
        message:
          'spec.sinks[3].target.prometheusRemoteWrite.endpoint: must be an absolute http or https URL, not "h"',
      },
    },
  ]);
});

describe("Ready is Invalid with the list of faults", () => {
  test("when nothing can run", () => {
    const { sinks, ready } = plan({ sources: [], sinks: [] });
    expect(sinks).toEqual([]);
    expect(ready).toEqual({
      type: "Ready",
      status: "False",
      reason: "Invalid",
      message: "spec.sources: must have at least 1 item; spec.sinks: must have at least 1 item",
    });
  });

  test("when names are not unique, while the first of them runs", () => {
    const { sinks, ready } = plan({ sources: [source("a")], sinks: [sink("x"), sink("x")] });
    expect(sinks).toHaveLength(1);
    expect(ready).toMatchObject({
      reason: "Invalid",
      message: expect.stringMatching(/^spec\.sinks\[1\]\.name: /),
    });
  });
});
