import { describe, expect, test } from "vitest";
import { secretKind } from "../kinds/secret.ts";
import {
  generatedName,
  maxAnnotationBytes,
  maxNameLength,
  nameFault,
  ownerUids,
  tidyMetadata,
  validateMetadata,
} from "./metadata.ts";
import type { JsonObject, KubeObject } from "./object.ts";

const object = (metadata: JsonObject): KubeObject =>
  ({ apiVersion: "v1", kind: "Secret", metadata: { name: "a", ...metadata } }) as KubeObject;

const faults = (metadata: JsonObject, kind = secretKind): string[] =>
  validateMetadata(object(metadata), kind).map(({ field, message }) => `${field}: ${message}`);

const owner = (more: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "u" },
  ...more,
});

/** A text as it is, or one that a pattern matches. */
const matching = (text: string | RegExp) => (typeof text === "string" ? text : expect.stringMatching(text));

test.each([
  ["subdomain", undefined, 253],
  ["label", undefined, 63],
  ["label", 40, 40],
] as const)(
  "a name by the rule of a %s, limited to %s, has at most %i characters",
  (nameRule, limit, length) => {
    const kind = limit === undefined ? { nameRule } : { nameRule, maxNameLength: limit };
    expect(maxNameLength(kind)).toBe(length);
    expect(nameFault("a".repeat(length), nameRule, limit)).toBeUndefined();
    expect(nameFault("a".repeat(length + 1), nameRule, limit)).toBe(
      `must be no more than ${length} characters`,
    );
  },
);

test.each([
  ["A", "label", /RFC 1123 label/],
  ["a-", "label", /RFC 1123 label/],
  ["a--9.b-c.d", "subdomain", undefined],
  ["a.b", "label", /RFC 1123 label/],
  ["a.", "subdomain", /RFC 1123 subdomain/],
  ["a.b-", "subdomain", /RFC 1123 subdomain/],
  [" a", "subdomain", /RFC 1123 subdomain/],
] as const)("the name %j as a %s", (name, rule, expected) => {
  if (expected === undefined) expect(nameFault(name, rule)).toBeUndefined();
  else expect(nameFault(name, rule)).toMatch(expected);
});

describe("metadata", () => {
  const prefix = "metadata.ownerReferences";
  test.each<[what: string, metadata: JsonObject, faults: (string | RegExp)[]]>([
    ["only a name", {}, []],
    ["no name", { name: "" }, [/^metadata.name: Invalid value: ""/]],
    ["a prefix that ends in a hyphen", { generateName: "web-" }, []],
    ["a prefix of a hyphen", { generateName: "-" }, [/^metadata.generateName: Invalid value: "-"/]],
    ["a prefix with two hyphens at its end", { generateName: "a--" }, []],
    ["a prefix in capitals", { generateName: "A-" }, [/^metadata.generateName: Invalid value: "A-"/]],
    [
      "both finalizers of the garbage collector",
      { finalizers: ["orphan", "foregroundDeletion"] },
      [/^metadata.finalizers: .*: finalizer orphan and foregroundDeletion cannot be both set$/],
    ],
    ["one of them", { finalizers: ["orphan"] }, []],
    ["a finalizer", { finalizers: ["x/y", "a b"] }, [/^metadata.finalizers: Invalid value: "a b"/]],
    ["annotations with capitals", { annotations: { "EXAMPLE.com/A": "x" } }, []],
    ["annotations", { annotations: { "a b": "" } }, [/^metadata.annotations: Invalid value: "a b"/]],
    ["annotations of the greatest size", { annotations: { a: "x".repeat(maxAnnotationBytes - 1) } }, []],
    [
      "too many annotations",
      { annotations: { a: "x".repeat(maxAnnotationBytes - 2), b: "y" } },
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    ["an owner", { ownerReferences: [owner()] }, []],
    ["an owner of the core group", { ownerReferences: [owner({ apiVersion: "v1" })] }, []],
    ["an owner that is no object", { ownerReferences: ["x"] }, [/apiVersion/, /kind/, /name/, /uid/]],
    [
      "an owner without a name",
      { ownerReferences: [owner({ name: 1, uid: "" })] },
      [
        `${prefix}.name: Invalid value: 1: must not be empty`,
        `${prefix}.uid: Invalid value: "": must not be empty`,
      ],
    ],
    [
      "an owner with a version in parts",
      { ownerReferences: [owner({ apiVersion: "a/b/c" })] },
      [`${prefix}.apiVersion: Invalid value: "a/b/c": version must not be empty`],
    ],
    [
      "an event as the owner",
      { ownerReferences: [owner({ apiVersion: "v1", kind: "Event" })] },
      [/: \/v1, Kind=Event is disallowed from being an owner$/],
    ],
    ["an event of another group", { ownerReferences: [owner({ kind: "Event" })] }, []],
    ["one controller", { ownerReferences: [owner({ controller: true }), owner({ controller: false })] }, []],
    [
      "two controllers",
      { ownerReferences: [owner({ controller: true }), owner({ controller: true })] },
      ['metadata.ownerReferences: Invalid value: "": Only one reference can have Controller set to true'],
    ],
  ])("%s", (_, metadata, expected) => {
    expect(faults(metadata)).toEqual(expected.map(matching));
  });

  test("a kind may have shorter names; the prefix of a generated one is cut", () => {
    expect(faults({ name: "abcd", generateName: "abcd" }, { ...secretKind, maxNameLength: 3 })).toEqual([
      'metadata.name: Invalid value: "abcd": must be no more than 3 characters',
    ]);
  });

  test.each<[what: string, metadata: JsonObject]>([
    ["labels", { labels: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`-${i}`, "-"])) }],
    [
      "annotations",
      { annotations: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`-${i}`, ""])) },
    ],
    ["owners", { ownerReferences: Array.from({ length: 30 }, () => ({})) }],
  ])("has a hundred faults at most: %s", (_, metadata) => {
    expect(faults(metadata)).toHaveLength(100);
  });
});

describe("tidying", () => {
  test("drops owners that are there already, and says whose", () => {
    const [a, b] = [owner({ uid: "a" }), owner({ uid: "b" })];
    const whole = object({ ownerReferences: [a, b, { ...a }, { ...b }, { ...a }] });
    expect(tidyMetadata(whole)).toEqual([expect.stringMatching(/duplicate UID\(s\) observed: a, b$/)]);
    expect(whole.metadata.ownerReferences).toEqual([a, b]);
  });

  test("keeps the owners of an object that has each once", () => {
    const whole = object({ ownerReferences: [owner({ uid: "a" }), owner({ uid: "b" })] });
    const { ownerReferences } = whole.metadata;
    expect(tidyMetadata(whole)).toEqual([]);
    expect(whole.metadata.ownerReferences).toBe(ownerReferences);
  });

  test("names ten duplicates, and warns a hundred times, at most", () => {
    const owners = Array.from({ length: 12 }, (_, index) => owner({ uid: `u${index}` }));
    const finalizers = Array.from({ length: 120 }, (_, index) => `f${index}`);
    const warnings = tidyMetadata(object({ ownerReferences: [...owners, ...owners], finalizers }));
    expect(warnings).toHaveLength(100);
    expect(warnings[0]).toMatch(/u8, u9$/);
  });

  test("warns of finalizers that name no owner, but for the garbage collector's", () => {
    const finalizers = ["x/y", "orphan", "foregroundDeletion", "mine"];
    expect(tidyMetadata(object({ finalizers }))).toEqual([
      expect.stringMatching(/^metadata.finalizers: "mine": prefer a domain-qualified finalizer name/),
    ]);
  });
});

test("an owner without a uid has an empty one", () => {
  expect(ownerUids(object({ ownerReferences: [{}, { uid: "a" }] }))).toEqual(["", "a"]);
});

test("a generated name has five characters of the alphabet", () => {
  const numbers = [0, 0.2, 0.5, 0.9, 0.999];
  expect(generatedName("a-", 63, () => numbers.shift() ?? 0)).toBe("a-bhr79");
});
