import { describe, expect, test } from "vitest";
import { changed } from "../../../test/support/plane/admission.ts";
import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import { configMapKind } from "../kinds/config-map.ts";
import { isOwnCreation, isOwnReport } from "./own-writes.ts";
import { ownersWork } from "./work-items.ts";

const manager = "test-controller";
const report = { manager, operation: "Update", subresource: "status", time: "2026-01-01T00:00:00Z" };
const deployment: KubeObject = {
  apiVersion: "apps.example/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "web-1",
    namespace: "default",
    resourceVersion: "7",
    generation: 1,
    ownerReferences: [{ apiVersion: "apps.example/v1", kind: "Deployment", name: "web", controller: true }],
    managedFields: [{ manager, operation: "Update" }, report],
  },
  spec: { replicas: 1 },
  status: { replicas: 1, readyReplicas: 0 },
};
const next = changed(changed(deployment, "metadata.resourceVersion", "8"), "status.replicas", 2);
const byUser = { ...report, manager: "kubectl-edit" };

describe("a controller's own report", () => {
  test.each<[string, KubeObject, boolean]>([
    ["the status", next, true],
    ["and its time", changed(next, "metadata.managedFields[1].time", "2026-01-01T00:00:09Z"), true],
    ["a status that a user edited", changed(next, "metadata.managedFields[1]", byUser), false],
    ["the spec", changed(next, "spec.replicas", 2), false],
    ["a label", changed(next, "metadata.labels", { a: "b" }), false],
    ["a finalizer", changed(next, "metadata.finalizers", ["x/y"]), false],
    ["the deletion", changed(next, "metadata.deletionTimestamp", "2026-01-01T00:00:00Z"), false],
  ])("%s: %o", (_name, object, isOwn) => {
    expect(isOwnReport(object, deployment, manager)).toBe(isOwn);
  });
});

test("what a controller created itself is no news to it", () => {
  expect(isOwnCreation(deployment, undefined, manager)).toBe(true);
  expect(isOwnCreation(deployment, undefined, "another")).toBe(false);
  expect(isOwnCreation(next, deployment, manager)).toBe(false);
  expect(isOwnCreation(undefined, deployment, manager)).toBe(false);
});

describe("work of an owner", () => {
  const owner: KindDefinition = {
    ...configMapKind,
    ...{ group: "apps.example", kind: "Deployment", plural: "deployments" },
  };
  const work = ["object deployments.apps.example/default/web"];
  const seen = (object: KubeObject) => (object["status"] as { replicas: number }).replicas;

  test.each<[string, KubeObject | undefined, KubeObject | undefined, readonly string[]]>([
    ["created", deployment, undefined, work],
    ["deleted", undefined, deployment, work],
    ["what the owner sees", next, deployment, work],
    ["something else of the status", changed(deployment, "status.readyReplicas", 1), deployment, []],
    ["another spec", changed(deployment, "metadata.generation", 2), deployment, work],
    ["going", changed(deployment, "metadata.deletionTimestamp", "x"), deployment, work],
    ["another owner", changed(deployment, "metadata.ownerReferences[0].uid", "u"), deployment, work],
    ["nobody's", changed(deployment, "metadata.ownerReferences", []), undefined, []],
  ])("%s", (_name, object, old, expected) => {
    expect(ownersWork(owner, object, old, seen)).toEqual(expected);
  });
});
