import { expect, test } from "vitest";
import type { KindDefinition } from "../api/kind.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { secretKind } from "../kinds/secret.ts";
import { kindOfPath, parseResourcePath } from "./resource-path.ts";

const core = { group: "", version: "v1" };
const telemetry = { group: "telemetry.example", version: "v1alpha1" };

test.each([
  ["/api/v1/secrets", { ...core, plural: "secrets" }],
  ["/api/v1/namespaces/a/secrets", { ...core, namespace: "a", plural: "secrets" }],
  ["/api/v1/namespaces/a/secrets/", { ...core, namespace: "a", plural: "secrets" }],
  ["/api/v1/namespaces/a/secrets/s", { ...core, namespace: "a", plural: "secrets", name: "s" }],
  ["/api/v1/namespaces", { ...core, plural: "namespaces" }],
  ["/api/v1/namespaces/a", { ...core, plural: "namespaces", name: "a" }],
  ["/api/v1/namespaces/a/status", { ...core, plural: "namespaces", name: "a", subresource: "status" }],
  [
    "/apis/telemetry.example/v1alpha1/namespaces/a/exportpolicies/p/status",
    { ...telemetry, namespace: "a", plural: "exportpolicies", name: "p", subresource: "status" },
  ],
  ["/apis/telemetry.example/v1alpha1/exportpolicies", { ...telemetry, plural: "exportpolicies" }],
  ["/api", undefined],
  ["/api/v1", undefined],
  ["/apis/telemetry.example/v1alpha1", undefined],
  ["/api/v1/namespaces/a/secrets/s/status/more", undefined],
  ["/api/v1//secrets", undefined],
  ["/other/v1/secrets", undefined],
])("%s", (path, expected) => {
  expect(parseResourcePath(path)).toEqual(expected);
});

/** A custom kind outside of namespaces. */
const projectKind: KindDefinition = {
  ...secretKind,
  group: "resourcemanager.example",
  version: "v1alpha",
  kind: "Project",
  plural: "projects",
  namespaced: false,
};

test.each([
  ["/api/v1/secrets", "Secret"],
  ["/api/v1/namespaces/a/secrets/s", "Secret"],
  ["/api/v1/secrets/s", undefined],
  ["/api/v1/namespaces/a", "Namespace"],
  ["/api/v1/pods", undefined],
  ["/apis/resourcemanager.example/v1alpha/projects/p", "Project"],
  ["/apis/resourcemanager.example/v1alpha/namespaces/a/projects/p", undefined],
  ["/apis/telemetry.example/v1/exportpolicies", undefined],
])("the kind of %s", (path, expected) => {
  expect(kindOfPath(parseResourcePath(path)!, [secretKind, namespaceKind, projectKind])?.kind).toBe(expected);
});
