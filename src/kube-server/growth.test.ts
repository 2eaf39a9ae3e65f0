import { describe, test } from "vitest";
import { expectLinear } from "../../test/support/growth.ts";
import { applyDefaults } from "./api/defaults.ts";
import { parseLabelSelector } from "./api/label-selector.ts";
import type { Json, JsonObject, KubeObject } from "./api/object.ts";
import { wholeObjectSchema } from "./api/object-meta.ts";
import type { Schema } from "./api/schema.ts";
import { isLabelKey, isLabelValue, parseFieldSelector } from "./api/selectors.ts";
import { removeUnknownFields } from "./api/unknown-fields.ts";
import { validateSchema } from "./api/validate.ts";
import { applyConfiguration, trackUpdate } from "./apply/apply.ts";
import { type Manager, readManagers, writeManagers } from "./apply/managers.ts";
import { decodeBody, parseJson, parseYaml } from "./encoding/body.ts";
import { applyJsonPatch } from "./patch/json-patch.ts";
import { applyMergePatch } from "./patch/merge-patch.ts";
import { applyStrategicMergePatch } from "./patch/strategic-merge.ts";

/**
 * The work for any request is proportional to its size: one tenant's request must not block the event loop
 * that all tenants share.
 */
const list = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
const map = (size: number, make: (index: number) => Json): JsonObject =>
  Object.fromEntries(list(size, (index) => [`key-${index}`, make(index)]));
/**
 * Nested objects, as deep as a body may be, with sibling fields at each level. At most 100 of them in what is
 * compared: V8 keeps larger objects as hash tables, at four times the cost of a field.
 */
const nested = (size: number): JsonObject => {
  let value: JsonObject = {};
  for (let depth = 0; depth < 90; depth++)
    value = { ...map(Math.ceil(size / 90), (index) => index), inner: value };
  return value;
};

const item: Schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, pattern: "^[a-z0-9-]*$" },
    size: { type: "integer", default: 1 },
    mode: { type: "string", enum: ["A", "B"], default: "A" },
  },
};
const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] } as const;
const merged = { "x-kubernetes-patch-strategy": "merge" } as const;
const schema = wholeObjectSchema({
  properties: {
    data: { type: "object", additionalProperties: { type: "string" } },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", ...merged },
    items: { type: "array", items: item, ...keyed, ...merged, "x-kubernetes-patch-merge-key": "name" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
});
const names = (size: number, prefix = "n") => list(size, (index) => `${prefix}${index}`);
const items = (size: number, prefix = "n") => names(size, prefix).map((name) => ({ name, size: 2 }));

describe("patches", () => {
  test.each<[string, number, (size: number) => [Json, Json]]>([
    [
      "copies",
      500,
      (size) => [
        { a: names(100) },
        list(Math.min(size, 10_000), () => ({ op: "copy", from: "/a", path: "/b" })),
      ],
    ],
    [
      "copies into itself",
      20,
      (size) => [{ a: ["x"] }, list(size, () => ({ op: "copy", from: "/a", path: "/a/-" }))],
    ],
    [
      "additions in front",
      1_000,
      (size) => [{ a: names(10) }, list(size, () => ({ op: "add", path: "/a/0", value: 1 }))],
    ],
    [
      "deep paths",
      200,
      (size) => [
        nested(90),
        list(size, (index) => ({ op: "add", path: `${"/inner".repeat(80)}/${index}`, value: {} })),
      ],
    ],
    [
      "tests",
      1_000,
      (size) => [map(size, () => 1), list(size, () => ({ op: "test", path: "/key-1", value: 1 }))],
    ],
    [
      "a test of a large value",
      5_000,
      (size) => [map(size, () => 1), [{ op: "test", path: "", value: map(size, () => 1) }]],
    ],
    [
      "removals",
      1_000,
      (size) => [map(size, () => 1), list(size, (index) => ({ op: "remove", path: `/key-${index}` }))],
    ],
    [
      "moves",
      1_000,
      (size) => [
        { a: nested(100) },
        list(size, (index) => ({
          op: "move",
          from: index % 2 === 0 ? "/a" : "/b",
          path: index % 2 === 0 ? "/b" : "/a",
        })),
      ],
    ],
  ])("JSON patch: %s", (_name, size, make) => {
    expectLinear((n) => {
      const [target, patch] = make(n);
      return () => applyJsonPatch(target, patch);
    }, size);
  });

  test.each<[string, number, (size: number) => () => Json]>([
    [
      "wide",
      5_000,
      (size) => {
        const [a, b] = [map(size, () => 1), map(size, () => 2)];
        return () => applyMergePatch(a, b);
      },
    ],
    [
      "deep",
      1_000,
      (size) => {
        const [a, b] = [nested(size), nested(size)];
        return () => applyMergePatch(a, b);
      },
    ],
    [
      "removals",
      5_000,
      (size) => {
        const [a, b] = [map(size, () => 1), map(size, () => null)];
        return () => applyMergePatch(a, b);
      },
    ],
  ])("merge patch: %s", (_name, size, make) => {
    expectLinear(make, size);
  });

  test.each<[string, number, (size: number) => [Json, Json]]>([
    ["a set", 1_000, (size) => [{ set: names(size) }, { set: names(size, "m") }]],
    ["the same set", 1_000, (size) => [{ set: names(size) }, { set: names(size) }]],
    ["items", 1_000, (size) => [{ items: items(size) }, { items: items(size, "m") }]],
    [
      "items deleted",
      1_000,
      (size) => [
        { items: items(size) },
        { items: items(size).map((each) => ({ ...each, $patch: "delete" })) },
      ],
    ],
    [
      "scalars taken out",
      1_000,
      (size) => [{ set: names(size) }, { "$deleteFromPrimitiveList/set": names(size) }],
    ],
    [
      "order",
      1_000,
      (size) => [{ items: items(size) }, { "$setElementOrder/items": items(size).reverse(), items: [] }],
    ],
    [
      "kept keys",
      1_000,
      (size) => [{ data: map(size, () => "x") }, { data: { $retainKeys: Object.keys(map(size, () => 1)) } }],
    ],
    ["deep", 1_000, (size) => [{ free: nested(size) }, { free: nested(size) }]],
  ])("strategic merge patch: %s", (_name, size, make) => {
    expectLinear((n) => {
      const [target, patch] = make(n);
      return () => applyStrategicMergePatch(target, patch, schema);
    }, size);
  });
});

describe("schemas", () => {
  const object = (fields: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "a" },
    ...fields,
  });
  test.each<[string, (size: number) => JsonObject]>([
    ["good", (size) => object({ items: items(size), set: names(size), data: map(size, () => "x") })],
    ["wrong types", (size) => object({ items: list(size, () => 1), data: map(size, () => 1) })],
    ["wrong values", (size) => object({ items: list(size, () => ({ name: "A!", mode: "C" })) })],
    [
      "duplicates",
      (size) => object({ items: list(size, () => ({ name: "a" })), set: list(size, () => "a") }),
    ],
    [
      "unknown fields",
      (size) => object({ ...map(size, () => 1), items: list(size, (n) => ({ name: `n${n}`, odd: 1 })) }),
    ],
    [
      "a long name above",
      (size) => object({ items: [{ name: "a", ["x".repeat(size * 10)]: map(size, () => 1) }] }),
    ],
    ["deep", (size) => object({ free: nested(size), odd: nested(size) })],
  ])("%s", (_name, make) => {
    expectLinear((n) => {
      const text = JSON.stringify(make(n));
      return () => {
        const value = JSON.parse(text);
        removeUnknownFields(value, schema);
        applyDefaults(value, schema);
        validateSchema(value, schema, "");
      };
    }, 1_000);
  });
});

describe("server-side apply", () => {
  const now = "2026-01-01T00:00:00Z";
  const writer = (manager: string, operation: "Apply" | "Update" = "Apply") =>
    ({ manager, operation, apiVersion: "v1", subresource: "" }) as const;
  const object = (fields: JsonObject): KubeObject => ({
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "a" },
    ...fields,
  });
  const apply = (live: KubeObject, managers: readonly Manager[], fields: JsonObject, manager: string) =>
    applyConfiguration(live, object(fields), managers, writer(manager), true, schema, now);
  const owners = (size: number) =>
    names(size).map((uid) => ({ apiVersion: "v1", kind: "X", name: "x", uid }));
  const shapes: [string, (size: number) => JsonObject][] = [
    ["labels", (size) => ({ metadata: { name: "a", labels: map(size, () => "x") } })],
    ["owners", (size) => ({ metadata: { name: "a", ownerReferences: owners(size) } })],
    ["finalizers", (size) => ({ metadata: { name: "a", finalizers: names(size) } })],
    ["data", (size) => ({ data: map(size, () => "x") })],
    ["items", (size) => ({ items: items(size) })],
    ["depth", (size) => ({ free: nested(size) })],
  ];

  test.each(shapes)("%s, by creation, update and apply", (_name, make) => {
    expectLinear((n) => {
      const [fields, other] = [make(n), make(n - 1)];
      return () => {
        const live = object(fields);
        const created = trackUpdate([], {}, live, writer("one", "Update"), schema, now);
        const updated = trackUpdate(created, live, object(other), writer("two", "Update"), schema, now);
        const first = apply(object(other), updated, fields, "three");
        if (!first.ok) throw new Error("a forced apply has no conflicts");
        const second = apply(first.object, first.managers, fields, "four");
        if (!second.ok) throw new Error("a forced apply has no conflicts");
        const without = apply(second.object, second.managers, {}, "three");
        return without.ok && readManagers(writeManagers(without.managers));
      };
    }, 300);
  });

  test("conflicts", () => {
    expectLinear((n) => {
      const live = object({ data: map(n, () => "x") });
      const managers = trackUpdate([], {}, live, writer("one", "Update"), schema, now);
      const configuration = object({ data: map(n, () => "y") });
      return () => applyConfiguration(live, configuration, managers, writer("two"), false, schema, now);
    }, 1_000);
  });

  test("many managers", () => {
    expectLinear((n) => {
      const data = map(n, () => "x");
      const managers = Object.keys(data).map((key): Manager => {
        return { ...writer(key), time: now, fields: { "f:data": { [`f:${key}`]: {} } } };
      });
      return () => apply(object({ data }), managers, { data: { a: "b" } }, "other");
    }, 300);
  });
});

describe("texts", () => {
  const reading =
    <T>(input: T, read: (input: T) => unknown) =>
    () => {
      try {
        read(input);
      } catch {
        // Rejecting takes time as well.
      }
    };

  test.each<[string, (size: number) => string]>([
    ["commas in parentheses", (size) => `a in (${",".repeat(size)})`],
    ["open parentheses", (size) => "(,".repeat(size)],
    ["commas and parentheses", (size) => ",(".repeat(size)],
    ["requirements", (size) => names(size).join(",")],
    ["spaces", (size) => `a${" ".repeat(size)}b`],
    ["one long key", (size) => `${"a".repeat(size)}/b=c`],
    ["dots and hyphens", (size) => `${"a-.".repeat(size)}=c`],
  ])("label selector: %s", (_name, make) => {
    expectLinear((n) => reading(make(n), parseLabelSelector), 4_000);
  });

  test.each<[string, (size: number) => string]>([
    ["escapes", (size) => "\\,".repeat(size)],
    ["requirements", (size) => "a=b,".repeat(size)],
    ["equals signs", (size) => "=".repeat(size)],
    ["exclamation marks", (size) => `a${"!".repeat(size)}`],
  ])("field selector: %s", (_name, make) => {
    expectLinear((n) => reading(make(n), parseFieldSelector), 4_000);
  });

  test.each<[string, (size: number) => string]>([
    ["one letter", (size) => "a".repeat(size)],
    ["dots", (size) => "a.".repeat(size)],
    ["hyphens", (size) => `${"a-".repeat(size)}!`],
    ["slashes", (size) => "a/".repeat(size)],
  ])("label: %s", (_name, make) => {
    expectLinear((n) => reading(make(n), (text) => [isLabelKey(text), isLabelValue(text)]), 10_000);
  });

  test.each<[string, (size: number) => string]>([
    ["an object", (size) => JSON.stringify(map(size, () => "x"))],
    ["brackets", (size) => "[".repeat(size)],
    ["quotes", (size) => `"${'\\"'.repeat(size)}`],
    ["a name twice", (size) => `{${'"a":1,'.repeat(size)}"a":1}`],
    ["the prototype's name", (size) => `[${'"__proto__",'.repeat(size)}1]`],
  ])("JSON: %s", (_name, make) => {
    expectLinear((n) => reading(Buffer.from(make(n)), parseJson), 4_000);
  });

  test.each<[string, (size: number) => string]>([
    [
      "an object",
      (size) =>
        names(size)
          .map((name) => `${name}: x`)
          .join("\n"),
    ],
    ["a list", (size) => "- x\n".repeat(size)],
    ["brackets", (size) => `a: ${"[".repeat(size)}`],
    ["spaces", (size) => `a:${" ".repeat(size)}\n`],
    ["lines of text", (size) => `a: x\n${"  y\n".repeat(size)}`],
    ["a block of text", (size) => `a: |\n${"  y\n\n".repeat(size)}`],
    ["quotes", (size) => `a: "${'\\" '.repeat(size)}"`],
    ["lines in quotes", (size) => `a: "${"x \n ".repeat(size)}"`],
    ["comments", (size) => `${"# x\n".repeat(size)}a: 1`],
    ["a name twice", (size) => "a: 1\n".repeat(size)],
    ["documents", (size) => "---\n".repeat(size)],
    ["aliases", (size) => `a: &a 1\nb: [${"*a,".repeat(size)}]`],
    ["question marks", (size) => "? ".repeat(size)],
    ["tags", (size) => `a: ${"!x ".repeat(size)}`],
  ])("YAML: %s", (_name, make) => {
    expectLinear((n) => reading(Buffer.from(make(n)), parseYaml), 500);
  });

  test.each<[string, (size: number) => Buffer]>([
    ["nested messages", (size) => Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(size, 0x0a)])],
    ["small fields", (size) => Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(size, "\x12\x00")])],
  ])("protobuf: %s", (_name, make) => {
    const decode = (body: Buffer) => decodeBody(body, "application/vnd.kubernetes.protobuf");
    expectLinear((n) => reading(make(n), decode), 20_000);
  });
});
