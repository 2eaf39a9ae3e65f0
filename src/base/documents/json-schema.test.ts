import { expect, test } from "vitest";
import { type JsonSchema, schemaAt, unknownKeys } from "./json-schema.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    url: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    map: { type: "object", additionalProperties: { type: "string" } },
    free: { type: "object", additionalProperties: true },
    list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
  },
};

test("unknown names at every depth, with what is known there", () => {
  const value = {
    nam: 1,
    map: { any: "x" },
    free: { any: {} },
    list: [{ a: "" }, { b: 1 }],
    url: ["x"],
    name: {},
  };
  expect(unknownKeys(value, schema, ["root"])).toEqual([
    { path: ["root", "nam"], key: "nam", known: ["name", "url", "map", "free", "list"] },
    { path: ["root", "list", 1, "b"], key: "b", known: ["a"] },
  ]);
});

test("names of Object's prototype are not known", () => {
  const value = JSON.parse('{"constructor": 1, "__proto__": 2}') as unknown;
  expect(unknownKeys(value, schema).map(({ key }) => key)).toEqual(["constructor", "__proto__"]);
});

test.each([
  [[], "object"],
  [["list", 3, "a"], "string"],
  [["url", 0], "string"],
  [["map", "any"], "string"],
  [["list", "a"], undefined],
  [["nothing", "here"], undefined],
])("the schema at %j", (path, type) => {
  expect(schemaAt(schema, path)?.type).toBe(type);
});
