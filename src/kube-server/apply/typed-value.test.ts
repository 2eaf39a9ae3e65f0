import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { type FieldSet, pathsOf } from "./field-set.ts";
import { compareFields, fieldsOf, removeFields, withNamedFields } from "./typed-value.ts";

const schema: Schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    map: { type: "object", additionalProperties: { type: "string" } },
    atom: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: {}, b: {} } },
    list: { type: "array", items: { type: "string" } },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } },
    },
  },
};

test("the fields of a configuration", () => {
  const value = {
    text: "x",
    map: { k: "v" },
    atom: { a: 1 },
    list: ["a", "b"],
    set: ["a"],
    items: [{ name: "n", size: 1 }],
  };
  expect(fieldsOf(value, schema)).toEqual({
    "f:text": {},
    "f:map": { "f:k": {} },
    "f:atom": {},
    "f:list": {},
    "f:set": { 'v:"a"': {} },
    "f:items": { 'k:{"name":"n"}': { ".": {}, "f:name": {}, "f:size": {} } },
  });
  expect(pathsOf(fieldsOf(value, schema))).toEqual([
    ...[".text", ".map.k", ".atom", ".list", '.set[="a"]', '.items[name="n"]'],
    ...['.items[name="n"].name', '.items[name="n"].size'],
  ]);
});

describe("what changed", () => {
  test.each<[string, Json, Json, FieldSet, FieldSet]>([
    ["nothing", { text: "a" }, { text: "a" }, {}, {}],
    ["a scalar", { text: "a" }, { text: "b" }, { "f:text": {} }, {}],
    ["a field more", {}, { map: { k: "v" } }, { "f:map": { ".": {}, "f:k": {} } }, {}],
    ["a key more", { map: { k: "v" } }, { map: { k: "v", l: "w" } }, { "f:map": { "f:l": {} } }, {}],
    ["a key less", { map: { k: "v", l: "w" } }, { map: { k: "v" } }, {}, { "f:map": { "f:l": {} } }],
    ["atomic", { atom: { a: 1 } }, { atom: { a: 2 } }, { "f:atom": {} }, {}],
    ["a list", { list: ["a"] }, { list: ["a", "b"] }, { "f:list": {} }, {}],
    ["a set", { set: ["a"] }, { set: ["b"] }, { "f:set": { 'v:"b"': {} } }, { "f:set": { 'v:"a"': {} } }],
    [
      "an item",
      { items: [{ name: "n", size: 1 }] },
      { items: [{ name: "n", size: 2 }] },
      { "f:items": { 'k:{"name":"n"}': { "f:size": {} } } },
      {},
    ],
  ])("%s", (_name, before, after, changed, removed) => {
    expect(compareFields(before, after, schema)).toEqual({ changed, removed });
  });
});

test("fields that the schema names go along with what is in them", () => {
  const set: FieldSet = {
    "f:map": { "f:k": {} },
    "f:items": { 'k:{"name":"n"}': { "f:size": {} } },
    "f:strange": { "f:x": {} },
  };
  expect(withNamedFields(set, schema)).toEqual({
    "f:map": { ".": {}, "f:k": {} },
    "f:items": { ".": {}, 'k:{"name":"n"}': { "f:size": {} } },
    "f:strange": { "f:x": {} },
  });
});

describe("removal", () => {
  const item = (size: number) => ({ name: "n", size });
  test.each<[string, JsonObject, FieldSet, JsonObject]>([
    ["a leaf", { text: "a", list: [] }, { "f:text": {} }, { list: [] }],
    ["a key", { map: { k: "v", l: "w" } }, { "f:map": { "f:k": {} } }, { map: { l: "w" } }],
    [
      "a container goes with everything in it",
      { map: { k: "v", l: "w" }, text: "a" },
      { "f:map": { ".": {}, "f:k": {} } },
      { text: "a" },
    ],
    [
      "what is left empty is null",
      { map: { k: "v" }, text: "a" },
      { "f:map": { "f:k": {} } },
      { map: null, text: "a" },
    ],
    ["of a set", { set: ["a", "b"] }, { "f:set": { 'v:"a"': {} } }, { set: ["b"] }],
    [
      "an item, whatever else is in it",
      { items: [item(1), { name: "m" }] },
      { "f:items": { 'k:{"name":"n"}': { ".": {}, "f:name": {} } } },
      { items: [{ name: "m" }] },
    ],
    [
      "a field of an item",
      { items: [item(1)] },
      { "f:items": { 'k:{"name":"n"}': { "f:size": {} } } },
      { items: [{ name: "n" }] },
    ],
    ["inside of what is atomic nothing", { atom: { a: 1 } }, { "f:atom": { "f:a": {} } }, { atom: { a: 1 } }],
  ])("%s", (_name, value, set, expected) => {
    expect(removeFields(value, set, schema)).toEqual(expected);
  });
});

/** Objects of the schema, small enough to collide. */
const name = fc.constantFrom("a", "b", "c");
const object = fc.record(
  {
    text: name,
    map: fc.dictionary(name, name),
    atom: fc.record({ a: name }),
    list: fc.array(name, { maxLength: 2 }),
    set: fc.uniqueArray(name),
    items: fc.uniqueArray(fc.record({ name, size: fc.nat(2) }), { selector: (each) => each.name }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;
const paths = (of: FieldSet) => new Set(pathsOf(of));

test("comparing an object with itself finds nothing; with nothing, everything", () => {
  fc.assert(
    fc.property(object, (value) => {
      expect(compareFields(value, value, schema)).toEqual({ changed: {}, removed: {} });
      const added = paths(compareFields({}, value, schema).changed);
      for (const path of paths(fieldsOf(value, schema))) expect(added).toContain(path);
    }),
  );
});
