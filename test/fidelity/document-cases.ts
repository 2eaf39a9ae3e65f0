import type { FidelityCase, FidelityRequest } from "./case.ts";
import { create, policies, policy } from "./schema-cases.ts";

/** Tables, discovery and OpenAPI. */

const get = (path: string, accept?: string): FidelityRequest => ({
  method: "GET",
  path,
  ...(accept === undefined ? {} : { headers: { accept } }),
});

const group = "/apis/telemetry.platformapis/v1alpha1";
const groupDocument = `/openapi/v3${group}`;
const table = (version: string) => `application/json;as=Table;v=${version};g=meta.k8s.io`;
const v2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const etag = /^"[0-9A-F]{128}"$/;
const component = (name: string) => `components.schemas["${name}"]`;
const v2Spec = 'definitions["platformapis.telemetry.v1alpha1.ExportPolicy"].properties.spec.properties';
const exportPolicy = component("platformapis.telemetry.v1alpha1.ExportPolicy");
const objectMeta = component("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

export const documentCases: readonly FidelityCase[] = [
  ...["v1", "v1beta1"].map(
    (version): FidelityCase => ({
      name: `an object as a table of ${version}`,
      before: [create(policy())],
      request: get(`${policies}/$name`, table(version)),
      expected: {
        code: 200,
        fields: {
          kind: "Table",
          apiVersion: `meta.k8s.io/${version}`,
          "columnDefinitions[0].format": "name",
          "columnDefinitions[4].name": "Last Delivered",
          "columnDefinitions[4].type": "date",
          "columnDefinitions[5].name": "Age",
          "columnDefinitions[5].type": "date",
          "rows[0].cells[0]": "$name",
          "rows[0].cells[1]": null,
          "rows[0].cells[4]": null,
          "rows[0].object.kind": "PartialObjectMetadata",
          "rows[0].object.apiVersion": `meta.k8s.io/${version}`,
        },
      },
    }),
  ),
  {
    name: "what was deleted as a collection, as a table",
    before: [create(policy())],
    request: {
      ...get(`${policies}?fieldSelector=metadata.name=$name`, table("v1")),
      method: "DELETE",
    },
    expected: { code: 200, fields: { kind: "Table", "rows[0].cells[0]": "$name", "rows[1]": undefined } },
  },
  {
    name: "a form that is not there is refused before anything is written",
    request: { ...create(policy()), headers: { accept: "text/html" } },
    expected: { code: 406 },
  },
  {
    name: "the resources of a group",
    request: get(group),
    expected: {
      code: 200,
      fields: {
        kind: "APIResourceList",
        "resources[0].name": "exportpolicies",
        "resources[0].storageVersionHash": "caEPTjCnIi4=",
        "resources[1].name": "exportpolicies/status",
        "resources[1].storageVersionHash": undefined,
      },
    },
  },
  {
    name: "OpenAPI v3: the index",
    request: get("/openapi/v3"),
    expected: {
      code: 200,
      headers: { etag },
      fields: {
        [`paths["apis/telemetry.platformapis/v1alpha1"].serverRelativeURL`]: new RegExp(
          `^${groupDocument}\\?hash=[0-9A-F]{128}$`,
        ),
      },
    },
  },
  {
    name: "OpenAPI v3: the schema of a kind",
    request: get(groupDocument),
    expected: {
      code: 200,
      headers: { etag, vary: /^Accept(, Accept-Encoding)?$/ },
      fields: {
        [`${exportPolicy}.properties.metadata.allOf[0].$ref`]:
          "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
        [`${exportPolicy}.properties.spec.properties.sinks.items.properties.sources.x-kubernetes-list-type`]:
          "set",
        [`${exportPolicy}.properties.spec.properties.sources.items.properties.metrics.maxProperties`]: 1,
        [`${exportPolicy}.properties.spec.x-kubernetes-validations[0].rule`]: /self\.sinks\.all/,
        [`${objectMeta}.properties.finalizers.x-kubernetes-list-type`]: "set",
        [`${objectMeta}.properties.ownerReferences.x-kubernetes-patch-merge-key`]: "uid",
      },
    },
  },
  {
    name: "OpenAPI v3: an operation",
    request: get(groupDocument),
    expected: {
      code: 200,
      fields: Object.fromEntries(
        Object.entries({
          operationId: "patchTelemetryPlatformapisV1alpha1NamespacedExportPolicy",
          "tags[0]": "telemetryPlatformapis_v1alpha1",
          "x-kubernetes-action": "patch",
          "parameters[2].name": "fieldValidation",
          'responses["401"].description': "Unauthorized",
        }).map(([field, value]) => {
          const path = `${group}/namespaces/{namespace}/exportpolicies/{name}`;
          return [`paths["${path}"].patch.${field}`, value];
        }),
      ),
    },
  },
  { name: "OpenAPI v3 as HTML", request: get(groupDocument, "text/html"), expected: { code: 406 } },
  {
    name: "OpenAPI v2",
    request: get("/openapi/v2"),
    expected: {
      code: 200,
      headers: { etag, "content-type": /^application\/json/ },
      fields: {
        swagger: "2.0",
        [`${v2Spec}.sinks.items.properties.target.properties`]: undefined,
        [`${v2Spec}.sinks.x-kubernetes-list-map-keys`]: ["name"],
      },
    },
  },
  {
    name: "a method that the version document does not allow",
    request: { method: "POST", path: "/version", body: {} },
    expected: { code: 405, reason: "MethodNotAllowed" },
    platform: {
      why: "RFC 9110 asks for Allow",
      expected: { code: 405, reason: "MethodNotAllowed", headers: { allow: "GET, HEAD" } },
    },
  },
  ...([group.replace("/v1alpha1", ""), group, "/openapi/v2", "/openapi/v3", groupDocument] as const).map(
    (path): FidelityCase => ({
      name: `a method that discovery does not allow: POST ${path}`,
      request: { method: "POST", path, body: {} },
      expected: { code: 200 },
      platform: {
        why: "nothing can be created there, and the client learns it",
        expected: { code: 405, reason: "MethodNotAllowed", headers: { allow: "GET, HEAD" } },
      },
    }),
  ),
  ...[v2Protobuf, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"].map(
    (accept): FidelityCase => ({
      name: `OpenAPI v2 for ${accept}`,
      request: get("/openapi/v2", accept),
      expected: { code: 200, headers: { "content-type": v2Protobuf, etag } },
    }),
  ),
];
