import { expect, test } from "vitest";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { deploymentNames, plannedDeployments, templateHash } from "./deployment-plan.ts";

const workload: KubeObject = {
  apiVersion: "compute.platformapis/v1alpha",
  kind: "Workload",
  metadata: { name: "web", namespace: "default", uid: "1" },
  spec: {
    template: { spec: {} },
    placements: [
      { name: "us", cityCodes: ["DFW", "DLS", "DFW"], scaleSettings: { minReplicas: 2 } },
      { name: "eu", cityCodes: ["LHR"], scaleSettings: { minReplicas: 1 } },
    ],
  },
};

test.each([
  [
    ["DFW", "DLS", "LHR"],
    ["us DFW", "us DLS", "eu LHR"],
  ],
  [["LHR"], ["eu LHR"]],
  [[], []],
])("cities with a location: %j", (cities, expected) => {
  const planned = plannedDeployments(workload, new Set(cities));
  expect(planned.map(({ placement, cityCode }) => `${placement} ${cityCode}`)).toEqual(expected);
});

test("two deployments that would share a name have another one each", () => {
  const plan = (placement: string, cityCode: string) => ({ placement, cityCode, spec: {} });
  const [first, second] = [deploymentNames("w", plan("a-b", "C")), deploymentNames("w", plan("a", "B-C"))];
  expect(first[0]).toBe("w-a-b-c");
  expect(second[0]).toBe(first[0]);
  expect(second[1]).not.toBe(first[1]);
});

test("a template's hash depends on its fields, not on their order", () => {
  expect(templateHash({ a: 1, b: { c: 2, d: 3 } })).toBe(templateHash({ b: { d: 3, c: 2 }, a: 1 }));
  expect(templateHash({ a: 1 })).not.toBe(templateHash({ a: 2 }));
});
