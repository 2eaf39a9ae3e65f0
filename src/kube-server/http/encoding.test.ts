import { describe, expect, test } from "vitest";
import { parseYaml } from "../../base/documents/yaml-source.ts";
import { createListWriter, type Encoding, encode, encodingOf, failureType } from "./encoding.ts";

const none = new URLSearchParams();

test.each<[string, string, string, Encoding]>([
  ["application/json", "", "kubectl/v1.32", "json"],
  ["application/json", "pretty=true", "kubectl/v1.32", "pretty"],
  ["application/json", "pretty=1", "", "pretty"],
  ["application/json", "pretty=", "curl/8", "pretty"],
  ["application/json", "", "curl/8.5.0", "pretty"],
  ["application/json", "", "Mozilla/5.0 (X11)", "pretty"],
  ["application/json", "pretty=false", "curl/8.5.0", "json"],
  ["application/json", "pretty=yes", "", "json"],
  ["application/yaml", "pretty=true", "curl/8.5.0", "yaml"],
])("%s, ?%s, %s: %s", (type, query, userAgent, expected) => {
  expect(encodingOf(type, new URLSearchParams(query), userAgent)).toBe(expected);
});

test.each([
  [undefined, "application/json"],
  ["text/html", "application/json"],
  ["application/yaml", "application/yaml"],
  ["application/vnd.kubernetes.protobuf,application/yaml", "application/yaml"],
  ["application/json,application/yaml", "application/json"],
])("a failure for %s is %s", (accept, expected) => {
  expect(failureType(accept)).toBe(expected);
});

describe.each<[Encoding]>([["json"], ["pretty"], ["yaml"]])("a list in %s", (encoding) => {
  test.each([0, 1, 3])("of %d items is the same as one written whole", (count) => {
    const items = Array.from({ length: count }, (_, index) => ({
      metadata: { name: `a${index}` },
      data: [index],
    }));
    const [head, metadata] = [{ kind: "List", apiVersion: "v1" }, { resourceVersion: "5" }];
    const writer = createListWriter(encoding);
    const pieces = [writer.open(head, "items"), ...items.map((item) => writer.item(JSON.stringify(item)))];
    expect([...pieces, writer.close(metadata)].join("")).toBe(encode({ ...head, items, metadata }, encoding));
  });
});

test("JSON of any encoding is read as the same", () => {
  const value = { kind: "Status", details: { causes: [{ field: "a" }] }, code: 404 };
  expect(JSON.parse(encode(value, "pretty"))).toEqual(value);
  expect(parseYaml(encode(value, "yaml")).documents[0]?.value).toEqual(value);
  expect(encodingOf("application/json", none, "")).toBe("json");
});
