import { expect, test } from "vitest";
import { openApiV2Type } from "../encoding/open-api-v2.ts";
import { servedKinds } from "../kinds/served-kinds.ts";
import type { JsonObject } from "../object.ts";
import { documentsByPlane } from "./documents.ts";

const documents = documentsByPlane(servedKinds("example"));
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

test.each(["/api/v2", "/apis/telemetry.example/v2", "/apis/other", "/openapi/v2", "/api/v1/secrets", "/"])(
  "%s is no document",
  (path) => {
    expect(documents.project.find(path, none, "application/json", "host")).toBeUndefined();
  },
);

test("aggregated discovery is answered with the very type that was asked for", () => {
  const accept = (version: string) =>
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  for (const version of ["v2", "v2beta1"]) {
    expect(documents.project.find("/apis", none, accept(version), "host")?.contentType).toBe(accept(version));
    expect(json("project", "/apis", accept(version))["apiVersion"]).toBe(`apidiscovery.k8s.io/${version}`);
  }
});

test("a List is checked with the old document, which nobody else gets", () => {
  const document = documents.project.find("/openapi/v2", none, openApiV2Type, "host");
  expect(document?.contentType).toBe(openApiV2Type);
  expect(Buffer.from(document?.body as Uint8Array).toString("latin1")).toContain(
    "telemetry.example.v1alpha1.ExportPolicy",
  );
});

test("an OpenAPI document tells each kind, and that fields are checked", () => {
  const paths = json("project", "/openapi/v3")["paths"] as Record<string, { serverRelativeURL: string }>;
  expect(Object.keys(paths)).toEqual(["api/v1", "apis/telemetry.example/v1alpha1"]);
  const document = json("project", "/openapi/v3/apis/telemetry.example/v1alpha1") as {
    paths: Record<
      string,
      { patch?: { parameters: { name: string }[]; "x-kubernetes-group-version-kind": JsonObject } }
    >;
    components: { schemas: Record<string, JsonObject> };
  };
  const patch =
    document.paths["/apis/telemetry.example/v1alpha1/namespaces/{namespace}/exportpolicies/{name}"]?.patch;
  expect(patch?.parameters.map(({ name }) => name)).toContain("fieldValidation");
  expect(patch?.["x-kubernetes-group-version-kind"]).toEqual({
    group: "telemetry.example",
    version: "v1alpha1",
    kind: "ExportPolicy",
  });
  const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty([name ?? ""]);
});
