import { expect, test } from "vitest";
import { secretKind } from "../kinds/core/secret.ts";
import { projectKind } from "../kinds/resourcemanager/project.ts";
import { exportPolicyKind } from "../kinds/telemetry/export-policy.ts";
import type { KubeObject } from "../object.ts";
import { countsOf, exceededMessage } from "./usage.ts";

const policy = (sinks: unknown): KubeObject =>
  ({ apiVersion: "v1", kind: "ExportPolicy", metadata: {}, spec: { sinks } }) as KubeObject;
const other: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: {} };
const none = { projects: 0, policies: 0, sinks: 0 };
const policies = exportPolicyKind("x");

test.each([
  ["an object of another kind", secretKind, undefined, other, none],
  ["a project comes", projectKind("x"), undefined, other, { ...none, projects: 1 }],
  ["a project goes", projectKind("x"), other, undefined, { ...none, projects: -1 }],
  ["a policy comes", policies, undefined, policy([{}, {}]), { ...none, policies: 1, sinks: 2 }],
  ["a sink is added", policies, policy([{}]), policy([{}, {}]), { ...none, sinks: 1 }],
  ["sinks go", policies, policy([{}, {}, {}]), policy([{}]), { ...none, sinks: -2 }],
  ["a policy goes", policies, policy([{}]), undefined, { ...none, policies: -1, sinks: -1 }],
  ["sinks that are none", policies, undefined, policy("x"), { ...none, policies: 1 }],
])("%s", (_name, kind, before, after, expected) => {
  expect(countsOf(kind, before, after)).toEqual(expected);
});

test("an exceeded quota reads as Kubernetes has it", () => {
  const common = { quota: "project" } as const;
  expect(
    exceededMessage([
      { ...common, resource: "objects", requested: 1, used: 10, limited: 10 },
      { ...common, resource: "bytes", requested: 200, used: 950, limited: 1_000 },
    ]),
  ).toBe(
    "exceeded quota: project, requested: objects=1,bytes=200, used: objects=10,bytes=950, limited: objects=10,bytes=1000",
  );
});
