import { expect, test } from "vitest";
import type { JsonObject } from "../kube-server/api/object.ts";
import { StatusError } from "../kube-server/api/status.ts";
import { documentsByPlane, openApiV2Type } from "../kube-server/http/documents.ts";
import { servedKinds } from "./served-kinds.ts";

const documents = documentsByPlane({ title: "test", buildMetadata: "test", kinds: servedKinds("example") });
const none = new URLSearchParams();

function json(which: keyof typeof documents, path: string, accept = "application/json"): JsonObject {
  return JSON.parse(String(documents[which].find(path, none, accept, "host")?.body)) as JsonObject;
}

test("each type of plane serves its own groups", () => {
  const groups = (which: keyof typeof documents) =>
    (json(which, "/apis")["groups"] as JsonObject[]).map(({ name }) => name);
  expect(groups("project")).toContain("telemetry.example");
  expect(groups("project")).not.toContain("resourcemanager.example");
  expect(groups("organization")).toContain("resourcemanager.example");
  expect(groups("organization")).not.toContain("telemetry.example");
});

test.each([
  ["/api", "APIVersions"],
  ["/apis", "APIGroupList"],
  ["/apis/telemetry.example", "APIGroup"],
  ["/apis/telemetry.example/v1alpha1", "APIResourceList"],
  ["/api/v1", "APIResourceList"],
])("%s is %s", (path, kind) => {
  expect(json("project", path)["kind"]).toBe(kind);
});

test.each([
  "/api/v2",
  "/apis/telemetry.example/v2",
  "/apis/other",
  "/openapi/v3/api/v2",
  "/api/v1/secrets",
  "/",
])("%s is no document", (path) => {
  expect(documents.project.find(path, none, "application/json", "host")).toBeUndefined();
});

test("aggregated discovery gets the very type that was asked for", () => {
  const accept = (version: string) =>
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  for (const version of ["v2", "v2beta1"]) {
    expect(documents.project.find("/apis", none, accept(version), "host")?.contentType).toBe(accept(version));
    expect(json("project", "/apis", accept(version))["apiVersion"]).toBe(`apidiscovery.k8s.io/${version}`);
  }
});

test.each([
  [undefined, "application/json"],
  ["*/*", "application/json"],
  ["application/*", "application/json"],
  ["application/json;q=0.5, text/html", "application/json"],
  [openApiV2Type, openApiV2Type],
  ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", openApiV2Type],
  [`application/json;q=0.1, ${openApiV2Type}`, openApiV2Type],
])("/openapi/v2 for %s is %s", (accept, expected) => {
  expect(documents.project.find("/openapi/v2", none, accept, "host")?.contentType).toBe(expected);
});

test.each(["/openapi/v2", "/openapi/v3/api/v1", "/apis"])("%s is not given as HTML", (path) => {
  expect(() => documents.project.find(path, none, "text/html", "host")).toThrow(StatusError);
});

test("a document is the same in a plane and at the root, and is made once", () => {
  const find = (which: keyof typeof documents) =>
    documents[which].find("/openapi/v3/apis/telemetry.example/v1alpha1", none, undefined, "host");
  expect(find("root")?.hash).toBe(find("project")?.hash);
  expect(find("project")?.body).toBe(find("project")?.body);
  expect(find("project")?.isImmutable).toBe(false);
  const query = new URLSearchParams({ hash: find("project")?.hash ?? "" });
  const path = "/openapi/v3/apis/telemetry.example/v1alpha1";
  expect(documents.project.find(path, query, undefined, "host")?.isImmutable).toBe(true);
});

test("the index of OpenAPI v3 has a document for each group version", () => {
  const paths = json("project", "/openapi/v3")["paths"] as Record<string, { serverRelativeURL: string }>;
  expect(Object.keys(paths)).toEqual([
    ...["api/v1", "apis/events.k8s.io/v1", "apis/coordination.k8s.io/v1", "apis/telemetry.example/v1alpha1"],
    ...["apis/networking.example/v1alpha", "apis/compute.example/v1alpha"],
    ...[
      "apis/gateway.networking.k8s.io/v1",
      "apis/gateway.networking.k8s.io/v1beta1",
      "apis/discovery.k8s.io/v1",
      "apis/apiextensions.k8s.io/v1",
    ],
    ...["apis/authorization.k8s.io/v1", "apis/authentication.k8s.io/v1"],
  ]);
});

test("each stored resource has the hash of its storage version, as Kubernetes computes it", () => {
  const resources = (path: string) => json("project", path)["resources"] as JsonObject[];
  const hashes = resources("/api/v1").map(({ name, storageVersionHash }) => [name, storageVersionHash]);
  // The documents of any Kubernetes cluster.
  expect(Object.fromEntries(hashes)).toMatchObject({
    configmaps: "qFsyl6wFWjQ=",
    secrets: "S6u1pOWzb84=",
    "namespaces/status": undefined,
  });
  expect(json("project", "/apis/authentication.k8s.io/v1")["resources"]).toEqual([
    expect.not.objectContaining({ storageVersionHash: expect.anything() }),
  ]);
});
