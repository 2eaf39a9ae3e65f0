import { expect, test } from "vitest";
import type { JsonObject } from "../api/object.ts";
import { maxDepth } from "../encoding/body.ts";
import { countValues } from "./object-size.ts";

const fields = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f:k${index}`, {}]));
const managed = (fieldsV1: JsonObject, entries = 1): JsonObject => ({
  metadata: { managedFields: Array.from({ length: entries }, () => ({ manager: "m", fieldsV1 })) },
  data: { a: "b" },
});
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { "f:a": nested(depth - 1) });

test("managed fields do not count as values of the object, however many managers there are", () => {
  expect(countValues(managed({ "f:data": fields(2_500) }, 20))).toBe(4);
});

test("no manager has more fields than an object can have", () => {
  expect(() => countValues(managed({ "f:data": fields(5_001) }))).toThrow("at most 5000 fields");
  const many = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`f:${index}`, fields(4_000)] as const),
  );
  expect(() => countValues(managed(many))).toThrow("at most 16000 values");
  expect(() => countValues(managed(nested(maxDepth + 8)))).toThrow("nested too deeply");
});
