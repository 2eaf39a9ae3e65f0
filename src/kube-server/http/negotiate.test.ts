import { expect, test } from "vitest";
import { mediaType, negotiateDiscovery, negotiateRepresentation } from "./negotiate.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

test.each([
  [undefined, "object"],
  ["*/*", "object"],
  ["application/json", "object"],
  [`${table},application/json`, "table"],
  [`${table.replace("v1", "v1beta1")},application/json`, "table"],
  [`${table.replace("v1", "v9")},application/json`, "object"],
  ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "metadata"],
  ["application/vnd.kubernetes.protobuf,application/json", "object"],
  [`application/json;q=0.1, ${table};q=0.9`, "table"],
  ["application/vnd.kubernetes.protobuf", undefined],
  ["text/html", undefined],
  ["application/json;q=0", "object"],
  ["APPLICATION/JSON", undefined],
  ["*", "object"],
  ["json", undefined],
  [",", undefined],
  [`*/*,${table};q=0.1`, "table"],
  [`${table};q=0.1,application/json;q=0.2`, "object"],
])("the form for %s", (accept, expected) => {
  expect(negotiateRepresentation(accept)?.representation).toBe(expected);
});

test.each(["v1", "v1beta1"])("a table of %s is one", (version) => {
  const accept = `application/json;as=Table;v=${version};g=meta.k8s.io`;
  expect(negotiateRepresentation(accept)).toEqual({
    ...{ representation: "table", type: "application/json", metaVersion: version },
  });
  expect(negotiateRepresentation(accept.replace("json", "yaml"))?.type).toBe("application/yaml");
});

const discovery = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

test.each([
  [undefined, "plain"],
  ["application/json", "plain"],
  [`${discovery("v2")},${discovery("v2beta1")},application/json`, "v2"],
  [`${discovery("v2beta1")},application/json`, "v2beta1"],
  [`${discovery("v3")},application/json`, "plain"],
  [discovery("v3"), undefined],
])("discovery for %s", (accept, expected) => {
  expect(negotiateDiscovery(accept)).toBe(expected);
});

test.each([
  [undefined, "application/json"],
  ["Application/JSON; charset=utf-8", "application/json"],
  ["", "application/json"],
  ["application/apply-patch+yaml", "application/apply-patch+yaml"],
  ['application/json; charset="utf-8";', "application/json"],
  ["json", ""],
  [";;;", ""],
  ["application/json,application/yaml", ""],
  ["application/json; x", ""],
])("the media type of %s", (header, expected) => {
  expect(mediaType(header)).toBe(expected);
});
