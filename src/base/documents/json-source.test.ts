import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePlainJson } from "./json-source.ts";
import { yamlLimits } from "./yaml/document.ts";
import { parseYaml } from "./yaml-source.ts";

test.each([
  ['{"a": [1, "x", null, true]}', { a: [1, "x", null, true] }],
  [' \n[{"a" : 1}, {"a"\n: 2}]', [{ a: 1 }, { a: 2 }]],
  [String.raw`{"a\"b": "c\\", "d": "\": "}`, { 'a"b': "c\\", d: '": ' }],
  ['{"": ""}', { "": "" }],
])("%s", (text, expected) => {
  expect(parsePlainJson(text, yamlLimits)).toEqual({ value: expected });
});

test.each([
  ["YAML", "a: 1\n"],
  ["JSON with a comment", '{"a": 1} # one'],
  ["a text alone", '"a"'],
  ["a key twice", '{"a": 1, "b": {"c": 1, "c": 2}}'],
  ["a key twice, written in two ways", String.raw`{"a": 1, "\u0061": 2}`],
  ["too deep", "[".repeat(70) + "]".repeat(70)],
  ["very deep", "[".repeat(400_000) + "]".repeat(400_000)],
  ["too many values", `[${"1,".repeat(yamlLimits.values)}1]`],
  ["nothing", ""],
])("%s is left to the YAML parser", (_name, text) => {
  expect(parsePlainJson(text, yamlLimits)).toBeUndefined();
});

test("__proto__ is a member like any other", () => {
  const value = parsePlainJson('{"__proto__": {"polluted": true}}', yamlLimits)?.value as object;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect("polluted" in value).toBe(false);
});

describe("as the YAML parser reads it", () => {
  test("values, and the place of each", () => {
    const container = fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 3 })),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    fc.assert(
      fc.property(container, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const plain = parsePlainJson(text, yamlLimits);
        expect(plain).toEqual({ value: JSON.parse(text) });
        // The comment makes the text invalid JSON without moving anything.
        const [json, yaml] = [parseYaml(text), parseYaml(`${text} #`)];
        expect(yaml.problems).toEqual([]);
        expect(json.documents.map((document) => document.value)).toEqual(
          yaml.documents.map((document) => document.value),
        );
        for (const step of [0, ...Object.keys(value)]) {
          expect(json.documents[0]?.places.positionOf([step])).toEqual(
            yaml.documents[0]?.places.positionOf([step]),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});
