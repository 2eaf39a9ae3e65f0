import { describe, expect, test } from "vitest";
import { openApiV2Message } from "../../test/support/plane/open-api-v2-message.ts";
import { isJsonObject, type Json, type JsonObject } from "../kube-server/api/object.ts";
import { sharedComponents } from "../kube-server/open-api/components.ts";
import { openApiV2Document } from "../kube-server/open-api/document-v2.ts";
import { openApiV3Documents } from "../kube-server/open-api/document-v3.ts";
import { encodeOpenApiV2 } from "../kube-server/open-api/protobuf-v2.ts";
import { exportPolicyKind } from "./kinds/telemetry/export-policy.ts";
import { servedKinds } from "./served-kinds.ts";

const kinds = servedKinds("example");
const shared = sharedComponents(kinds);
const version3 = openApiV3Documents("test", kinds, shared);
const version2 = openApiV2Document("test", kinds, shared);
const policies = "/apis/telemetry.example/v1alpha1/namespaces/{namespace}/exportpolicies";
const policyName = "example.telemetry.v1alpha1.ExportPolicy";

function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path) found = (found as Record<string | number, Json> | undefined)?.[step];
  return found;
}

const names = (list: Json | undefined) => (list as JsonObject[]).map(({ name }) => name);

/** All objects in a document. */
function* objectsOf(value: Json | undefined): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* objectsOf(item);
  if (!isJsonObject(value)) return;
  yield value;
  for (const member of Object.values(value)) yield* objectsOf(member);
}

describe.each<[string, JsonObject, string]>([
  ["version 2", version2, "#/definitions/"],
  ...[...version3].map(([path, document]): [string, JsonObject, string] => {
    return [`version 3 of ${path}`, document, "#/components/schemas/"];
  }),
])("%s", (_name, document, place) => {
  const schemas = (document["definitions"] ?? at(document, "components", "schemas")) as JsonObject;
  const operations = [...objectsOf(document["paths"])].filter((each) => each["operationId"] !== undefined);

  test("has what it refers to, and nothing else", () => {
    const references = [...objectsOf(document)]
      .map((each) => each["$ref"])
      .filter((each) => each !== undefined);
    const referred = new Set(references.map((reference) => String(reference).replace(place, "")));
    expect([...referred].filter((name) => schemas[name] === undefined)).toEqual([]);
    // Nothing refers to a watch event, and reviews cannot be watched.
    const alone = Object.keys(schemas).filter((name) => !referred.has(name));
    const hasWatches = operations.some((each) => each["x-kubernetes-action"] === "list");
    expect(alone).toEqual(hasWatches ? ["io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"] : []);
  });

  test("has an id for each operation, and says what it is on", () => {
    const ids = operations.map((each) => each["operationId"]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.map((each) => at(each, "x-kubernetes-group-version-kind", "kind"))).not.toContain(
      undefined,
    );
  });

  test("describes every schema, field and parameter", () => {
    for (const [name, schema] of Object.entries(schemas)) {
      expect([name, at(schema, "description")]).toEqual([name, expect.stringMatching(/./)]);
      for (const [field, child] of Object.entries((at(schema, "properties") ?? {}) as JsonObject)) {
        expect([name, field, at(child, "description")]).toEqual([name, field, expect.stringMatching(/./)]);
      }
    }
    for (const parameter of [...objectsOf(document["paths"])].filter(
      (each) => typeof each["in"] === "string",
    )) {
      if (parameter["in"] !== "body") expect(parameter["description"]).toMatch(/./);
    }
  });

  test("names every kind and its list", () => {
    const known = Object.values(schemas).flatMap((schema) => {
      return (at(schema, "x-kubernetes-group-version-kind") ?? []) as JsonObject[];
    });
    const served = kinds.filter(({ group, version }) =>
      operations.some((each) => {
        const is = (name: string) => at(each, "x-kubernetes-group-version-kind", name);
        return is("group") === group && is("version") === version;
      }),
    );
    for (const { group, version, kind } of served) {
      expect(known).toContainEqual({ group, version, kind });
      expect(known).toContainEqual({ group, version, kind: `${kind}List` });
    }
  });
});

describe("version 3", () => {
  const document = version3.get("apis/telemetry.example/v1alpha1") ?? {};
  const schema = at(document, "components", "schemas", policyName);

  test("has every key of the kind's schema", () => {
    const { properties = {} } = exportPolicyKind("example").schema;
    expect(at(schema, "properties", "spec")).toEqual(properties["spec"]);
    expect(at(schema, "properties", "status")).toEqual(properties["status"]);
  });

  test("shares the types of meta/v1", () => {
    expect(at(schema, "properties", "metadata", "allOf")).toEqual([
      { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    ]);
    const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    const known = Object.keys(at(document, "components", "schemas") as JsonObject);
    expect(known.filter((name) => name.startsWith(meta)).map((name) => name.slice(meta.length))).toEqual([
      ...[
        "DeleteOptions",
        "FieldsV1",
        "ListMeta",
        "ManagedFieldsEntry",
        "ObjectMeta",
        "OwnerReference",
        "Patch",
      ],
      ...["Preconditions", "Status", "StatusCause", "StatusDetails", "Time", "WatchEvent"],
    ]);
  });

  // Published by kube-apiserver 1.35 for the CRD.
  test.each([
    ["", "get", "listTelemetryExampleV1alpha1NamespacedExportPolicy", ["200", "401"]],
    ["", "post", "createTelemetryExampleV1alpha1NamespacedExportPolicy", ["200", "201", "202", "401"]],
    ["", "delete", "deleteTelemetryExampleV1alpha1CollectionNamespacedExportPolicy", ["200", "401"]],
    ["/{name}", "get", "readTelemetryExampleV1alpha1NamespacedExportPolicy", ["200", "401"]],
    ["/{name}", "put", "replaceTelemetryExampleV1alpha1NamespacedExportPolicy", ["200", "201", "401"]],
    ["/{name}", "patch", "patchTelemetryExampleV1alpha1NamespacedExportPolicy", ["200", "201", "401"]],
    ["/{name}", "delete", "deleteTelemetryExampleV1alpha1NamespacedExportPolicy", ["200", "202", "401"]],
    [
      "/{name}/status",
      "put",
      "replaceTelemetryExampleV1alpha1NamespacedExportPolicyStatus",
      ["200", "201", "401"],
    ],
  ])("%s %s is %s", (tail, method, id, codes) => {
    const operation = at(document, "paths", policies + tail, method);
    expect(at(operation, "operationId")).toBe(id);
    expect(at(operation, "tags")).toEqual(["telemetryExample_v1alpha1"]);
    expect(Object.keys(at(operation, "responses") as JsonObject)).toEqual(codes);
  });

  test("says which parameters and bodies there are", () => {
    const patch = at(document, "paths", `${policies}/{name}`, "patch");
    expect(names(at(patch, "parameters"))).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    expect(Object.keys(at(patch, "requestBody", "content") as JsonObject)).not.toContain(
      "application/strategic-merge-patch+json",
    );
    expect(names(at(document, "paths", `${policies}/{name}`, "parameters"))).toEqual([
      "name",
      "namespace",
      "pretty",
    ]);
    expect(names(at(document, "paths", policies, "get", "parameters"))).toContain("labelSelector");
    expect(
      names(at(document, "paths", "/apis/telemetry.example/v1alpha1/exportpolicies", "parameters")),
    ).toContain("limit");
    const ofSecret = at(
      version3.get("api/v1"),
      "paths",
      "/api/v1/namespaces/{namespace}/secrets/{name}",
      "patch",
    );
    expect(Object.keys(at(ofSecret, "requestBody", "content") as JsonObject)).toContain(
      "application/strategic-merge-patch+json",
    );
    expect(at(ofSecret, "operationId")).toBe("patchCoreV1NamespacedSecret");
  });
});

describe("version 2", () => {
  const policy = at(version2, "definitions", policyName);

  test("shows the keys of lists, for structured differences", () => {
    const spec = at(policy, "properties", "spec", "properties") as JsonObject;
    expect(at(spec, "sinks", "x-kubernetes-list-map-keys")).toEqual(["name"]);
    expect(at(spec, "sinks", "items", "properties", "sources", "x-kubernetes-list-type")).toBe("set");
    const meta = at(version2, "definitions", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "properties");
    expect(at(meta, "ownerReferences", "x-kubernetes-patch-merge-key")).toBe("uid");
  });

  test("says nothing of what is in a place that keeps unknown fields: kubectl would refuse them", () => {
    expect(at(policy, "properties", "spec", "properties", "sinks", "items", "properties", "target")).toEqual({
      description: "Receiver of the samples; exactly one kind",
      required: ["prometheusRemoteWrite"],
      "x-kubernetes-preserve-unknown-fields": true,
      maxProperties: 1,
    });
  });

  test("has no word that version 2 lacks", () => {
    const keywords = new Set([...objectsOf(version2["definitions"])].flatMap(Object.keys));
    expect([...keywords].filter((each) => ["nullable", "default", "allOf", "anyOf"].includes(each))).toEqual(
      [],
    );
  });

  test("as protobuf has everything that the JSON has", () => {
    const decoded = openApiV2Message.toObject(openApiV2Message.decode(encodeOpenApiV2(version2)), {
      longs: Number,
    }) as { paths: { path: Json[] }; definitions: { additional_properties: Json[] } };
    expect(names(decoded.paths.path)).toEqual(Object.keys(version2["paths"] as JsonObject));
    const definitions = decoded.definitions.additional_properties;
    expect(names(definitions)).toEqual(Object.keys(version2["definitions"] as JsonObject));
    const field = (of: Json | undefined, name: string) =>
      at(
        (at(of, "properties", "additional_properties") as JsonObject[]).find((each) => each["name"] === name),
        "value",
      );
    const decodedPolicy = at(
      (definitions as JsonObject[]).find((each) => each["name"] === policyName),
      "value",
    );
    const sinks = field(field(decodedPolicy, "spec"), "sinks");
    expect(sinks).toMatchObject({
      type: { value: ["array"] },
      min_items: 1,
      max_items: 20,
      vendor_extension: [
        { name: "x-kubernetes-list-type", value: { yaml: '"map"' } },
        { name: "x-kubernetes-list-map-keys", value: { yaml: '["name"]' } },
      ],
    });
    expect(field(at(sinks, "items", "schema", 0), "name")).toMatchObject({
      type: { value: ["string"] },
      max_length: 63,
      pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    });
    expect(field(decodedPolicy, "metadata")).toMatchObject({
      _ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    });
  });
});
