import { expect, test } from "vitest";
import type { KubeObject } from "../kube-server/api/object.ts";
import { secretKind } from "../kube-server/kinds/secret.ts";
import { countsOf, exceededMessage } from "../kube-server/store/usage.ts";
import { countedResources } from "./default-quotas.ts";
import { instanceKind } from "./kinds/compute/instance.ts";
import { projectKind } from "./kinds/resourcemanager/project.ts";
import { exportPolicyKind } from "./kinds/telemetry/export-policy.ts";

const policy = (sinks: unknown): KubeObject =>
  ({ apiVersion: "v1", kind: "ExportPolicy", metadata: {}, spec: { sinks } }) as KubeObject;
const other: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: {} };
const gibibyte = 2 ** 30;
const one = { instances: 1, cpu: 2, memoryBytes: 8 * gibibyte };
const policies = exportPolicyKind("x");
const instances = instanceKind("x");

/** @param disks sizes; undefined for an image's own */
const instance = (containers: number, ...disks: (string | undefined)[]): KubeObject =>
  ({
    ...{ apiVersion: "v1", kind: "Instance", metadata: {} },
    spec: {
      runtime: {
        resources: { instanceType: "platformcloud/d1-standard-2" },
        ...(containers === 0 ? {} : { sandbox: { containers: Array(containers).fill({}) } }),
      },
      volumes: [
        { name: "files", configMap: {} },
        ...disks.map((storage) => ({
          disk: { template: { spec: storage === undefined ? {} : { resources: { requests: { storage } } } } },
        })),
      ],
    },
  }) as unknown as KubeObject;

test.each([
  ["an object of another kind", secretKind, undefined, other, {}],
  ["a project comes", projectKind("x"), undefined, other, { projects: 1 }],
  ["a project goes", projectKind("x"), other, undefined, { projects: -1 }],
  ["a policy comes", policies, undefined, policy([{}, {}]), { policies: 1, sinks: 2 }],
  ["a sink is added", policies, policy([{}]), policy([{}, {}]), { sinks: 1 }],
  ["sinks go", policies, policy([{}, {}, {}]), policy([{}]), { sinks: -2 }],
  ["a policy goes", policies, policy([{}]), undefined, { policies: -1, sinks: -1 }],
  ["an instance comes", instances, undefined, instance(1), { ...one, diskBytes: 10 * gibibyte }],
  [
    "an instance with disks",
    instances,
    undefined,
    instance(2, "10Gi", "20Gi"),
    { ...one, diskBytes: 50 * gibibyte },
  ],
  [
    "a machine with a disk of the size of its image",
    instances,
    undefined,
    instance(0, undefined),
    { ...one, diskBytes: 25 * gibibyte },
  ],
  ["a disk grows", instances, instance(1, "10Gi"), instance(1, "11Gi"), { diskBytes: gibibyte }],
  ["an instance without a type", instances, undefined, other, { instances: 1 }],
  ["sinks that are none", policies, undefined, policy("x"), { policies: 1 }],
])("%s", (_name, kind, before, after, expected) => {
  const counts = Object.entries(countsOf(kind, before, after));
  expect(Object.fromEntries(counts.filter(([, change]) => change !== 0))).toEqual(expected);
  expect(countedResources).toEqual(expect.arrayContaining(counts.map(([resource]) => resource)));
});

test("an exceeded quota reads as Kubernetes has it", () => {
  const common = { quota: "project" } as const;
  expect(
    exceededMessage([
      { ...common, resource: "objects", requested: 1, used: 10, limited: 10 },
      { ...common, resource: "bytes", requested: 200, used: 950, limited: 1_000 },
      { ...common, resource: "memoryBytes", requested: 2 ** 33, used: 0, limited: 100 },
    ]),
  ).toBe(
    "exceeded quota: project, requested: bytes=200,memory=8Gi,objects=1, used: bytes=950,memory=0,objects=10, limited: bytes=1000,memory=100,objects=10",
  );
});
