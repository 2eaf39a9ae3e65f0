import { describe, expect, test } from "vitest";
import type { Json } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";

/** The examples of RFC 7396, appendix A. */
test.each<[Json, Json, Json]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("merge patch: %j with %j", (target, patch, expected) => {
  const before = JSON.stringify(target);
  expect(applyMergePatch(target, patch)).toEqual(expected);
  expect(JSON.stringify(target)).toBe(before);
});

describe("JSON patch", () => {
  test.each<[string, Json, Json]>([
    ["add", [{ op: "add", path: "/b", value: 1 }], { a: [1, 2], b: 1 }],
    ["append", [{ op: "add", path: "/a/-", value: 3 }], { a: [1, 2, 3] }],
    ["remove", [{ op: "remove", path: "/a/0" }], { a: [2] }],
    ["replace", [{ op: "replace", path: "/a", value: "x" }], { a: "x" }],
    ["move", [{ op: "move", from: "/a", path: "/b" }], { b: [1, 2] }],
    ["copy", [{ op: "copy", from: "/a/0", path: "/b" }], { a: [1, 2], b: 1 }],
    ["test", [{ op: "test", path: "/a/1", value: 2 }], { a: [1, 2] }],
  ])("%s", (_name, patch, expected) => {
    const target = { a: [1, 2] };
    expect(applyJsonPatch(target, patch)).toEqual({ ok: true, value: expected });
    expect(target).toEqual({ a: [1, 2] });
  });

  test.each<[string, Json, string]>([
    ["no list", { op: "add" }, "malformed"],
    ["no operation", [{ path: "/a" }], "malformed"],
    ["no path", [{ op: "add", value: 1 }], "malformed"],
    ["unknown operation", [{ op: "grow", path: "/a" }], "malformed"],
    ["missing place", [{ op: "remove", path: "/x" }], "unprocessable"],
    ["failed test", [{ op: "test", path: "/a", value: 1 }], "unprocessable"],
    ["prototype", [{ op: "add", path: "/__proto__/x", value: 1 }], "unprocessable"],
    ["too many", Array(10_001).fill({ op: "test", path: "/a", value: [1, 2] }), "malformed"],
  ])("%s is refused", (_name, patch, fault) => {
    expect(applyJsonPatch({ a: [1, 2] }, patch)).toMatchObject({ ok: false, fault });
    expect({}).not.toHaveProperty("x");
  });
});

describe("strategic merge patch", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      tags: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" },
      plain: { type: "array", items: { type: "string" } },
      ports: {
        type: "array",
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "id",
        items: {
          type: "object",
          properties: { tags: { type: "array", "x-kubernetes-patch-strategy": "merge", items: {} } },
        },
      },
      map: { type: "object", additionalProperties: { type: "string" } },
    },
  };
  const target = {
    tags: ["a", "b"],
    plain: ["a", "b"],
    ports: [
      { id: 1, name: "one", tags: ["x"] },
      { id: 2, name: "two" },
    ],
    map: { k: "v", l: "w" },
  };

  test.each<[string, Json, Json]>([
    ["maps merge, null removes", { map: { k: null, m: "n" } }, { map: { l: "w", m: "n" } }],
    ["scalars join", { tags: ["b", "c"] }, { tags: ["a", "b", "c"] }],
    ["a plain list is replaced", { plain: ["c"] }, { plain: ["c"] }],
    [
      "items merge by key",
      { ports: [{ id: 2, name: "zwei" }, { id: 3 }] },
      { ports: [target.ports[0]!, { id: 2, name: "zwei" }, { id: 3 }] },
    ],
    [
      "inside an item",
      { ports: [{ id: 1, tags: ["y"] }] },
      { ports: [{ id: 1, name: "one", tags: ["x", "y"] }, target.ports[1]!] },
    ],
    ["an item is deleted", { ports: [{ $patch: "delete", id: 1 }] }, { ports: [target.ports[1]!] }],
    ["a list is replaced", { ports: [{ $patch: "replace" }, { id: 9 }] }, { ports: [{ id: 9 }] }],
    ["a map is replaced", { map: { $patch: "replace", z: "1" } }, { map: { z: "1" } }],
    ["a map is emptied", { map: { $patch: "delete" } }, { map: {} }],
    ["scalars are taken out", { "$deleteFromPrimitiveList/tags": ["a"] }, { tags: ["b"] }],
    [
      "order by key",
      { "$setElementOrder/ports": [{ id: 3 }, { id: 2 }, { id: 1 }], ports: [{ id: 3 }] },
      { ports: [{ id: 3 }, target.ports[1]!, target.ports[0]!] },
    ],
    [
      "order of scalars",
      { "$setElementOrder/tags": ["c", "b", "a"], tags: ["c"] },
      { tags: ["c", "b", "a"] },
    ],
    ["only some keys stay", { map: { $retainKeys: ["l"], l: "x" } }, { map: { l: "x" } }],
  ])("%s", (_name, patch, expected) => {
    const before = JSON.stringify(target);
    expect(applyStrategicMergePatch(target, patch, schema)).toEqual({
      ok: true,
      value: { ...target, ...(expected as object) },
    });
    expect(JSON.stringify(target)).toBe(before);
  });

  test.each<[string, Json]>([
    ["no object", []],
    ["an unknown directive", { map: { $patch: "explode" } }],
    ["an item without its key", { ports: [{ name: "x" }] }],
    ["an order that is no list", { "$setElementOrder/tags": "a" }],
    ["a list over something else", { tags: ["a"], "$deleteFromPrimitiveList/map": ["k"] }],
  ])("%s is refused", (_name, patch) => {
    expect(applyStrategicMergePatch(target, patch, schema)).toMatchObject({ ok: false, fault: "malformed" });
  });
});
