import { describe, expect, test } from "vitest";
import type { KindDefinition } from "../api/kind.ts";
import { cloneJson, type Json, type JsonObject, type KubeObject } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { type FieldError, StatusError } from "../api/status.ts";
import {
  admit,
  admitStatus,
  checkDecoding,
  dropUnknownFields,
  parseFieldValidation,
  readObject,
} from "./admission.ts";

const spec: Schema = {
  type: "object",
  required: ["size"],
  properties: { size: { type: "integer", minimum: 1 }, color: { type: "string", default: "red" } },
};
const status: Schema = {
  type: "object",
  properties: {
    phase: { type: "string", default: "Pending", enum: ["Pending", "Ready"] },
    count: { type: "integer" },
  },
};
const kind: KindDefinition = {
  ...{ group: "things.example", version: "v1", kind: "Widget", plural: "widgets" },
  ...{ shortNames: [], categories: [], namespaced: true, planes: ["project"] },
  ...{ nameRule: "subdomain", builtIn: false, statusSubresource: true, columns: [], selectableFields: {} },
  schema: { type: "object", properties: { spec, status } },
};
const builtIn: KindDefinition = { ...kind, group: "", kind: "Gadget", builtIn: true };
const rules = [{ rule: "true", message: "" }];
const unchecked =
  '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; ' +
  "correct the existing errors to complete validation";

function widget(fields: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: "things.example/v1", kind: "Widget", metadata: { name: "a", ...metadata }, ...fields };
}

/** The faults of what is thrown, or its message. */
function thrown(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { causes } = error.status.details ?? {};
    return causes?.map(({ field, message }) => `${field}: ${message}`) ?? [error.status.message];
  }
}

/** A text as it is, or one that a pattern matches. */
const matching = (text: string | RegExp) => (typeof text === "string" ? text : expect.stringMatching(text));

test.each([
  [undefined, "Warn"],
  ["", "Warn"],
  ["Ignore", "Ignore"],
  ["Warn", "Warn"],
  ["Strict", "Strict"],
  ["strict", undefined],
])("fieldValidation=%s is %s", (text, expected) => {
  expect(parseFieldValidation(text)).toBe(expected);
});

describe("the body of a request", () => {
  test.each<[what: string, body: Json, form: "complete" | "short", kind: KindDefinition, fault: string]>([
    ["a list", [], "short", kind, "the object provided is unrecognized (must be of type Object)"],
    [
      "no kind",
      { apiVersion: "things.example/v1" },
      "complete",
      kind,
      "Object 'Kind' is missing in the data",
    ],
    ["an empty kind", { kind: "" }, "complete", kind, "Object 'Kind' is missing in the data"],
    ["no version", { kind: "Widget" }, "complete", kind, "Object 'apiVersion' is missing in the data"],
    [
      "another version",
      { apiVersion: "v2", kind: "Other" },
      "short",
      kind,
      "the API version in the data (v2) does not match the expected API version (things.example/v1)",
    ],
    ["metadata of another type", { metadata: [] }, "short", kind, "metadata in the data is not an object"],
    [
      "another kind",
      { kind: "Other", metadata: { name: 1 } },
      "short",
      kind,
      'kind: Invalid value: "Other": must be Widget',
    ],
    [
      "another kind, of a built-in one",
      { kind: "Other" },
      "short",
      builtIn,
      "the kind in the data (Other) does not match the expected kind (Gadget)",
    ],
    [
      "labels of another type",
      { metadata: { labels: { a: 1 } } },
      "short",
      kind,
      'Widget in version "v1" cannot be handled as a Widget: metadata.labels.a: Invalid value: "integer": ' +
        'metadata.labels.a in body must be of type string: "integer"',
    ],
  ])("%s is refused", (_, body, form, of, fault) => {
    expect(thrown(() => readObject(body, of, form))).toEqual([fault]);
  });

  test("another kind is refused with the object's name", () => {
    const read = () => readObject({ kind: "Other", metadata: { name: "a" } }, kind);
    expect(read).toThrow('Other.things.example "a" is invalid');
    expect(() => readObject({ kind: "Other", metadata: { name: 1 } }, kind)).toThrow(
      'Other.things.example "" is invalid',
    );
  });

  test.each<[what: string, metadata: Json, read: Json]>([
    ["null", null, {}],
    ["owners without their fields", { ownerReferences: [{}] }, { ownerReferences: [{}] }],
    ["null fields", { name: "a", uid: null, labels: null }, { name: "a", uid: null, labels: null }],
    [
      "null labels and annotations",
      { labels: { a: null, b: "x" }, annotations: { c: null }, other: { d: null } },
      { labels: { a: "", b: "x" }, annotations: { c: "" }, other: { d: null } },
    ],
  ])("its metadata: %s", (_, metadata, read) => {
    const body = { metadata, spec: { size: 1 } };
    const before = cloneJson(body);
    const object = { apiVersion: "things.example/v1", kind: "Widget" };
    expect(readObject(body, kind)).toEqual({ ...object, metadata: read, spec: { size: 1 } });
    expect(readObject({ ...object, ...body }, kind, "complete").metadata).toEqual(read);
    expect(body).toEqual(before);
  });
});

test.each([
  ["Ignore", []],
  ["Warn", ['unknown field "more"', 'unknown field "spec.other"']],
] as const)("unknown fields are dropped, with %s", (validation, warnings) => {
  const object = widget({ spec: { size: 1, other: 2 }, more: 3 });
  expect(dropUnknownFields(object, kind, validation)).toEqual(warnings);
  expect(object).toEqual(widget({ spec: { size: 1 } }));
});

test("strict decoding refuses what it finds, all of it", () => {
  const message = 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: one, two';
  expect(thrown(() => checkDecoding(["one", "two"], kind, "Strict"))).toEqual([message]);
  expect(checkDecoding([], kind, "Strict")).toEqual([]);
});

describe("a status", () => {
  const phase = 'status.phase: Unsupported value: "Gone": supported values: "Pending", "Ready"';
  const ruled = { ...kind, schema: { ...kind.schema, "x-kubernetes-validations": rules } };

  test("is completed, whatever the rest of the object is", () => {
    const object = widget({ spec: { size: "wrong" }, status: {} });
    admitStatus(object, kind);
    expect(object).toEqual(widget({ spec: { size: "wrong" }, status: { phase: "Pending" } }));
    const without = widget({});
    admitStatus(without, kind);
    expect(without).toEqual(widget({}));
    const free = widget({ status: { phase: 1 } });
    admitStatus(free, { ...kind, schema: { type: "object" } });
    expect(free).toEqual(widget({ status: { phase: 1 } }));
  });

  test.each<[what: string, status: Json, kind: KindDefinition, faults: string[]]>([
    ["a wrong value", { phase: "Gone" }, kind, [phase]],
    ["a wrong value, of a kind with rules", { phase: "Gone" }, ruled, [phase, unchecked]],
  ])("%s", (_, value, of, faults) => {
    expect(thrown(() => admitStatus(widget({ status: value }), of))).toEqual(faults);
    expect(() => admitStatus(widget({ status: value }), of)).toThrow('Widget.things.example "a" is invalid');
  });
});

describe("an object", () => {
  const size = "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1";
  const label = /^metadata.labels: Invalid value: "-"/;
  const missing = "spec.size: Required value";
  const own = (...errors: FieldError[]): Partial<KindDefinition> => ({
    checksOwnSpec: true,
    validate: () => errors,
  });
  const fault = (field: string, message = "own"): FieldError => ({
    reason: "FieldValueInvalid",
    field,
    message,
  });

  test("is completed and prepared before it is validated", () => {
    const steps: string[] = [];
    const old = widget({});
    const careful: KindDefinition = {
      ...kind,
      prepare: (object, before) => {
        steps.push(`prepare ${JSON.stringify(object["spec"])} ${before === old}`);
      },
      validate: (_, before) => {
        steps.push(`validate ${before === old}`);
        return [];
      },
      warn: () => ["beware"],
    };
    const finalizers = ["a"];
    const warnings = admit(widget({ spec: { size: 1 } }, { finalizers }), old, careful);
    expect(steps).toEqual(['prepare {"size":1,"color":"red"} true', "validate true"]);
    expect(warnings).toEqual([expect.stringMatching(/^metadata.finalizers: "a": prefer/), "beware"]);
    expect(admit(widget({ spec: { size: 1 } }), undefined, kind)).toEqual([]);
  });

  test.each<[what: string, object: KubeObject, kind: Partial<KindDefinition>, faults: (string | RegExp)[]]>([
    ["a type", widget({ spec: { size: 0 } }), {}, [size]],
    ["a type comes before all others", widget({ spec: { size: 0 } }, { labels: { "-": "" } }), {}, [size]],
    ["metadata", widget({ spec: { size: 1 } }, { labels: { "-": "" } }), {}, [label]],
    ["its own check", widget({ spec: { size: 1 } }), { validate: () => [fault("spec")] }, ["spec: own"]],
    [
      "its own check of the spec replaces the schema's",
      widget({ spec: {} }),
      own(fault("spec.a")),
      ["spec.a: own"],
    ],
    [
      "its own check finds that the spec is missing",
      widget({}),
      { ...own(fault("spec")), schema: { ...kind.schema, required: ["spec"] } },
      ["spec: own"],
    ],
    ["what its own check overlooks", widget({ spec: {} }), own(), [missing]],
    [
      "its own check runs on sound types alone",
      widget({ spec: {}, status: { phase: "Gone" } }),
      own(fault("spec.a")),
      [/^status.phase: Unsupported/],
    ],
    [
      "a fault of metadata is told once",
      widget({ spec: { size: 1 } }, { labels: { "-": "" } }),
      own(fault("metadata.labels"), fault("metadata.name"), fault("spec.labels")),
      [label, "metadata.name: own", "spec.labels: own"],
    ],
  ])("%s", (_, object, more, expected) => {
    const found = thrown(() => admit(object, undefined, { ...kind, ...more }));
    expect(found).toEqual(expected.map(matching));
  });

  test("may have null labels", () => {
    const object = widget({ spec: { size: 1 } }, { labels: null });
    admit(object, undefined, kind);
    expect(object.metadata).toEqual({ name: "a" });
  });

  test("is refused with its name", () => {
    expect(() => admit(widget({ spec: { size: 0 } }), undefined, kind)).toThrow(
      'Widget.things.example "a" is invalid',
    );
  });

  const list: Schema = { type: "array", items: { type: "string" } };
  const ruledSpec = (part: Schema): Partial<KindDefinition> => ({
    schema: { type: "object", properties: { spec: { ...spec, properties: { ...spec.properties, part } } } },
  });
  test.each<[what: string, spec: JsonObject, kind: Partial<KindDefinition>, isRemarked: boolean]>([
    ["no rules", {}, {}, false],
    ["in a field", {}, ruledSpec({ "x-kubernetes-validations": rules }), true],
    ["in items", {}, ruledSpec({ type: "array", items: { "x-kubernetes-validations": rules } }), true],
    ["in values", {}, ruledSpec({ additionalProperties: { "x-kubernetes-validations": rules } }), true],
    [
      "only a value is there twice",
      { size: 1, part: ["a", "a"] },
      ruledSpec({ ...list, "x-kubernetes-list-type": "set", "x-kubernetes-validations": rules }),
      false,
    ],
    ["a value and a type", { size: 0, color: 1 }, ruledSpec({ "x-kubernetes-validations": rules }), true],
    ["only a value is wrong", { size: 0 }, ruledSpec({ "x-kubernetes-validations": rules }), false],
  ])("rules that could not be checked: %s", (_, value, more, isRemarked) => {
    const found = thrown(() => admit(widget({ spec: value }), undefined, { ...kind, ...more }));
    expect(found.length).toBeGreaterThan(0);
    expect(found.includes(unchecked)).toBe(isRemarked);
  });
});
