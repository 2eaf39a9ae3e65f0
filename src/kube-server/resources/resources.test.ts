import { describe, expect, test } from "vitest";
import { generatedName, nameFault, ownerUids } from "../api/metadata.ts";
import type { KubeObject } from "../api/object.ts";
import { StatusError } from "../api/status.ts";
import { configMapKind } from "../kinds/config-map.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { secretKind } from "../kinds/secret.ts";
import { admit } from "./admission.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { markedForDeletion } from "./deletion.ts";
import { continueToken, readListOptions } from "./list.ts";
import { hasFinalizers } from "./new-state.ts";
import { checkPatchSize, countValues } from "./object-size.ts";

const object = (fields: object, metadata: object = { name: "a" }): KubeObject =>
  ({ apiVersion: "v1", kind: "Secret", metadata, ...fields }) as KubeObject;

function faults(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (
      error.status.details?.causes?.map(({ field, message }) => `${field}: ${message}`) ?? [
        error.status.message,
      ]
    );
  }
}

test.each([
  ["a", "label", true],
  ["a-b", "label", true],
  ["a.b", "label", false],
  ["a.b", "subdomain", true],
  ["A", "subdomain", false],
  ["-a", "subdomain", false],
  ["a..b", "subdomain", false],
  ["", "subdomain", false],
  ["a/b", "subdomain", false],
  ["a".repeat(64), "label", false],
  ["a".repeat(254), "subdomain", false],
] as const)("the name %s as a %s", (name, rule, isGood) => {
  expect(nameFault(name, rule) === undefined).toBe(isGood);
});

test("a generated name keeps within the limit", () => {
  expect(generatedName("web-", 63, () => 0)).toBe("web-bbbbb");
  expect(generatedName("x".repeat(80), 63, () => 0.999)).toBe(`${"x".repeat(58)}99999`);
});

describe("admission", () => {
  test("text of a Secret becomes data", () => {
    const secret = object({ stringData: { a: "b" }, data: { c: "ZA==" } });
    admit(secret, undefined, secretKind);
    expect(secret).toMatchObject({ type: "Opaque", data: { a: "Yg==", c: "ZA==" } });
    expect(secret["stringData"]).toBeUndefined();
  });

  test.each<[string, KubeObject, RegExp]>([
    ["no base64", object({ data: { a: "%" } }), /^data\[a\]: Invalid value/],
    [
      "a wrong key",
      object({ data: { "a b": "" } }),
      /^data\[a b\]: Invalid value: "a b": a valid config key/,
    ],
    [
      "neither name nor password",
      object({ type: "kubernetes.io/basic-auth" }),
      /^data\[username\]: Required value/,
    ],
    ["too much", object({ data: { a: "A".repeat(1_500_000) } }), /^data: Too long/],
    ["labels", object({}, { name: "a", labels: { "-": "x" } }), /^metadata.labels: Invalid value: "-"/],
    ["label values", object({}, { name: "a", labels: { a: "-" } }), /^metadata.labels: Invalid value: "-"/],
    [
      "labels of another type",
      object({}, { name: "a", labels: { a: 1 } }),
      /^metadata.labels.a: Invalid value: "integer"/,
    ],
    [
      "annotations",
      object({}, { name: "a", annotations: { a: "x".repeat(300_000) } }),
      /^metadata.annotations: Too long/,
    ],
    ["finalizers", object({}, { name: "a", finalizers: ["a b"] }), /^metadata.finalizers: /],
    [
      "owners",
      object({}, { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "" }] }),
      /uid: Invalid value: "": must not be empty/,
    ],
  ])("%s", (_name, secret, expected) => {
    expect(faults(() => admit(secret, undefined, secretKind))[0]).toMatch(expected);
  });

  test("what cannot be changed", () => {
    const old = object({ type: "Opaque", data: { a: "" }, immutable: true });
    const changed = object({ type: "Other", data: { b: "" } });
    expect(faults(() => admit(changed, old, secretKind))).toEqual([
      'type: Invalid value: "Other": field is immutable',
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
  });

  test("one key in both parts of a ConfigMap", () => {
    const map = { ...object({ data: { a: "" }, binaryData: { a: "" } }), kind: "ConfigMap" };
    expect(faults(() => admit(map, undefined, configMapKind))[0]).toMatch(/duplicate of key present/);
  });

  test("empty maps and lists of metadata are not kept", () => {
    const secret = object({}, { name: "a", labels: {}, annotations: {}, finalizers: [] });
    admit(secret, undefined, secretKind);
    expect(secret.metadata).toEqual({ name: "a" });
  });
});

describe("deletion", () => {
  const nowMs = Date.UTC(2026, 0, 1);
  test.each([
    ["background", "Background", ["foregroundDeletion", "x/y"], ["x/y"]],
    ["foreground", "Foreground", ["x/y"], ["x/y", "foregroundDeletion"]],
    ["orphan", "Orphan", [], ["orphan"]],
    ["as the object has it", undefined, ["orphan"], ["orphan"]],
  ] as const)("%s", (_name, propagation, before, after) => {
    const next = markedForDeletion(object({}, { name: "a", finalizers: before }), propagation, nowMs);
    expect(next.metadata.finalizers).toEqual(after);
    expect(next.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
  });

  test("the time of the first request stays; a namespace says that it is going", () => {
    const first = markedForDeletion({ ...object({}), kind: "Namespace" }, undefined, nowMs);
    expect(first["status"]).toEqual({ phase: "Terminating" });
    expect(markedForDeletion(first, undefined, nowMs + 5_000)).toEqual(first);
  });

  test("a namespace has a finalizer of its own", () => {
    const namespace = { ...object({}), kind: "Namespace" };
    admit(namespace, undefined, namespaceKind);
    expect([hasFinalizers(namespace), hasFinalizers(object({}))]).toEqual([true, false]);
  });

  test("options from the body and the query", () => {
    const query = new URLSearchParams("propagationPolicy=Foreground&dryRun=All");
    expect(readDeleteOptions(undefined, query)).toMatchObject({ propagation: "Foreground", dryRun: true });
    const body = { propagationPolicy: "Orphan", preconditions: { uid: "u" } };
    expect(readDeleteOptions(body, query)).toMatchObject({ propagation: "Orphan", uid: "u" });
    expect(faults(() => readDeleteOptions({ propagationPolicy: "Maybe" }, query))[0]).toMatch(
      /propagationPolicy: Unsupported value: "Maybe"/,
    );
    expect(faults(() => readDeleteOptions({ dryRun: ["Some"] }, query))[0]).toMatch(/dryRun/);
  });
});

test("a continue token is read back, and nothing else is taken for one", () => {
  const token = continueToken("42", "secrets/default/a");
  const options = (text: string) => readListOptions(new URLSearchParams(text));
  expect(options(`limit=5&continue=${token}`)).toEqual({
    ...{ limit: 5, afterKey: "secrets/default/a", resourceVersion: "42", minimumVersion: "" },
  });
  for (const text of [
    "continue=x",
    "limit=99999999999999999999",
    "limit=x",
    "resourceVersion=x",
    "resourceVersionMatch=Exact",
  ]) {
    expect(faults(() => options(text))).toHaveLength(1);
  }
  expect(options("resourceVersion=7").minimumVersion).toBe("7");
  expect(options("resourceVersion=0").minimumVersion).toBe("");
  expect(options("resourceVersion=7&resourceVersionMatch=Exact").resourceVersion).toBe("7");
});

test("owners are reported once each", () => {
  const owners = [{ uid: "a" }, { uid: "b" }, { uid: "a" }];
  expect(ownerUids(object({}, { ownerReferences: owners }))).toEqual(["a", "b"]);
  expect(ownerUids(undefined)).toEqual([]);
});

describe("the size of an object", () => {
  const list = <Item>(length: number, item: Item): Item[] => Array.from({ length }, () => item);
  let deep: object = {};
  for (let depth = 0; depth < 99; depth++) deep = { deep };

  test.each<[string, object, number]>([
    ["ordinary", { data: { a: "b" } }, 0],
    ["many items", { list: list(10_001, 1) }, 413],
    [
      "many fields",
      { data: Object.fromEntries(list(10_001, 1).map((one, index) => [`k${index}`, one])) },
      413,
    ],
    ["many values in all", { lists: list(600, list(100, 1)) }, 413],
    ["deep", { deep }, 400],
    ["managed fields, which do not count", { metadata: { managedFields: list(20_000, deep) } }, 0],
    ["managed fields elsewhere", { data: { managedFields: list(20_000, 1) } }, 413],
  ])("%s", (_name, fields, code) => {
    let found = 0;
    try {
      countValues(object(fields, (fields as { metadata?: object }).metadata ?? { name: "a" }));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      found = error.status.code;
    }
    expect(found).toBe(code);
  });

  test("a merge patch may hold twice as much as an object", () => {
    const patchOf = (count: number) => ({
      data: Object.fromEntries(list(count, null).map((one, index) => [`k${index}`, one])),
    });
    checkPatchSize(patchOf(5_000));
    expect(() => checkPatchSize(patchOf(5_001))).toThrow("at most 5000 fields");
    expect(() => checkPatchSize({ lists: list(10, list(1_700, 1)) })).toThrow("at most 16000 values");
  });
});
