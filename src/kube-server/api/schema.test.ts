import { describe, expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import type { Json } from "./object.ts";
import type { Schema } from "./schema.ts";
import { removeUnknownFields } from "./unknown-fields.ts";
import { validateSchema } from "./validate.ts";

const schema: Schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 3, pattern: "^[a-z]*$" },
    count: { type: "integer", minimum: 1, maximum: 9, default: 5 },
    ratio: { type: "number" },
    mode: { type: "string", enum: ["A", "B"] },
    when: { type: "string", nullable: true },
    inner: { type: "object", properties: { deep: { type: "boolean", default: true } } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    choice: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      maxProperties: 1,
      properties: { known: { type: "object", properties: { a: { type: "string" } } } },
    },
    since: { type: "string", format: "date-time", nullable: true },
    small: { type: "integer", format: "int32" },
    large: { type: "integer", format: "int64" },
    map: { type: "object", additionalProperties: { type: "string" } },
    filled: { type: "object", minProperties: 1, additionalProperties: { type: "string" } },
    port: { "x-kubernetes-int-or-string": true, pattern: "^[a-z]+$", maximum: 9, default: "http" },
    items: {
      type: "array",
      maxItems: 2,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
      items: {
        type: "object",
        properties: { id: { type: "string" }, size: { type: "integer", default: 1 } },
      },
    },
  },
};

test("unknown fields go, and are named", () => {
  const value = {
    name: "a",
    extra: 1,
    inner: { deep: true, other: 1 },
    free: { any: 1 },
    map: { k: "v" },
    items: [{ id: "a", odd: 1 }],
    choice: { known: { a: "", b: 1 }, other: { c: 1 } },
    __proto__: { x: 1 },
  };
  expect(removeUnknownFields(value, schema)).toEqual([
    "extra",
    "inner.other",
    "items[0].odd",
    "choice.known.b",
  ]);
  expect(value).toEqual({
    ...{ name: "a", inner: { deep: true }, free: { any: 1 }, map: { k: "v" }, items: [{ id: "a" }] },
    choice: { known: { a: "" }, other: { c: 1 } },
  });
});

test.each<[Json, Json]>([
  [
    { name: "a", port: 8 },
    { name: "a", count: 5, port: 8 },
  ],
  [{ name: "a" }, { name: "a", count: 5, port: "http" }],
  [
    { name: "a", count: 2, inner: {} },
    { name: "a", count: 2, inner: { deep: true }, port: "http" },
  ],
  [
    { name: "a", count: null, when: null },
    { name: "a", count: 5, when: null, port: "http" },
  ],
  [
    { name: "a", items: [{ id: "x" }] },
    { name: "a", count: 5, port: "http", items: [{ id: "x", size: 1 }] },
  ],
  ["text", "text"],
])("defaults of %j", (value, expected) => {
  applyDefaults(value, schema);
  expect(value).toEqual(expected);
});

describe("validation", () => {
  test.each<[string, Json, string[]]>([
    [
      "good",
      { name: "a", count: 3, ratio: 1.5, mode: "A", when: null, items: [{ id: "a" }, { id: "b" }] },
      [],
    ],
    ["missing", {}, ["name: Required value"]],
    [
      "wrong type",
      { name: 1 },
      ['name: Invalid value: "integer": name in body must be of type string: "integer"'],
    ],
    ["null", { name: null }, ['name: Invalid value: "null": name in body must be of type string: "null"']],
    ["integer for a number", { name: "a", ratio: 1 }, []],
    [
      "fraction",
      { name: "a", count: 1.5 },
      ['count: Invalid value: "number": count in body must be of type integer: "number"'],
    ],
    [
      "too small",
      { name: "a", count: 0 },
      ["count: Invalid value: 0: count in body should be greater than or equal to 1"],
    ],
    [
      "too large",
      { name: "a", count: 10 },
      ["count: Invalid value: 10: count in body should be less than or equal to 9"],
    ],
    ["too long", { name: "abcd" }, ["name: Too long: may not be more than 3 bytes"]],
    ["as long as may be, in characters", { name: "abc", mode: "A" }, []],
    [
      "too many fields",
      { name: "a", choice: { known: {}, other: {} } },
      ["choice: Too many: 2: must have at most 1 items"],
    ],
    ["times", { name: "a", since: "2026-11-20T10:00:00.123+01:00" }, []],
    ["no time", { name: "a", since: null }, []],
    [
      "a time that is none",
      { name: "a", since: "yesterday" },
      ['since: Invalid value: "yesterday": since in body must be of type date-time: "yesterday"'],
    ],
    [
      "more than 32 bits",
      { name: "a", small: 2 ** 31, large: 2 ** 31 },
      ["small: Invalid value: 2147483648: small in body must be of type int32: 2147483648"],
    ],
    ["too short", { name: "" }, ['name: Invalid value: "": name in body should be at least 1 chars long']],
    ["pattern", { name: "A" }, [`name: Invalid value: "A": name in body should match '^[a-z]*$'`]],
    ["enum", { name: "a", mode: "C" }, ['mode: Unsupported value: "C": supported values: "A", "B"']],
    [
      "inside",
      { name: "a", inner: { deep: 1 } },
      ['inner.deep: Invalid value: "integer": inner.deep in body must be of type boolean: "integer"'],
    ],
    [
      "map value",
      { name: "a", map: { k: 1 } },
      ['map.k: Invalid value: "integer": map.k in body must be of type string: "integer"'],
    ],
    [
      "too many",
      { name: "a", items: [{ id: "a" }, { id: "b" }, { id: "c" }] },
      ["items: Too many: 3: must have at most 2 items"],
    ],
    [
      "too few fields",
      { name: "a", filled: {} },
      ["filled: Invalid value: 0: filled in body should have at least 1 properties"],
    ],
    ["an integer where text may be", { name: "a", port: 8 }, []],
    ["text where an integer may be", { name: "a", port: "web" }, []],
    [
      "neither integer nor text",
      { name: "a", port: 1.5 },
      ['port: Invalid value: "number": port in body must be of type integer,string: "number"'],
    ],
    [
      "null for both",
      { name: "a", port: null },
      ['port: Invalid value: "null": port in body must be of type integer,string: "null"'],
    ],
    [
      "bounds of both",
      { name: "a", port: 10 },
      ["port: Invalid value: 10: port in body should be less than or equal to 9"],
    ],
    [
      "form of both",
      { name: "a", port: "1" },
      ["port: Invalid value: \"1\": port in body should match '^[a-z]+$'"],
    ],
    ["twice", { name: "a", items: [{ id: "a" }, { id: "a" }] }, ['items[1]: Duplicate value: {"id":"a"}']],
    ["no object", [], ['spec: Invalid value: "array": spec in body must be of type object: "array"']],
  ])("%s", (_name, value, expected) => {
    const path = Array.isArray(value) ? "spec" : "";
    expect(validateSchema(value, schema, path).map(({ field, message }) => `${field}: ${message}`)).toEqual(
      expected,
    );
  });
});
