import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

const awkward = fc.string({
  unit: fc.constantFrom("\\", '"', "a", ":", ",", "}", "\n", "\u0000", "é", "u0022"),
  maxLength: 4,
});
const name = fc.oneof(awkward, fc.constantFrom("__proto__", "constructor", "1", ""));
const space = fc.constantFrom("", " ", "\n\t\r ");

/** A text with the entries that it stands for: objects of plain JavaScript would hide their order. */
type Pairs = readonly (readonly [string, string])[];

test("keys are read as they are written, whatever other objects have", () => {
  const objects = fc.array(fc.uniqueArray(fc.tuple(name, awkward), { selector: ([key]) => key }));
  fc.assert(
    fc.property(objects, space, fc.boolean(), (all, blank, escapesAll) => {
      const write = (text: string): string =>
        escapesAll ? `"${[...text].map(escaped).join("")}"` : JSON.stringify(text);
      const member = ([key, value]: readonly [string, string]): string =>
        [write(key), ":", write(value)].join(blank);
      const text = `[${all.map((pairs) => `{${pairs.map(member).join(`${blank},`)}}`).join(`${blank},`)}]`;
      const parsed = parseJson(text) as Record<string, string>[];
      const sorted = (pairs: Pairs): Pairs => [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(parsed.map((object) => sorted(Object.entries(object)))).toEqual(all.map(sorted));
    }),
    { numRuns: 2_000 },
  );
});

test("any other JSON is what JSON.parse makes of it", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, indent) => {
      const written = JSON.stringify({ 'a"\\': JSON.parse(text) }, undefined, indent);
      expect(JSON.stringify(parseJson(written), undefined, indent)).toBe(written);
    }),
  );
});

test.each(["", "{", '{"a\\":1}', '{"a\\"":}', '{"a\\"":1}}', "[1,]"])("%s is not JSON", (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test("a large text takes linear time", () => {
  const value = { [`${"\\".repeat(100_000)}k`]: "\\ \\".repeat(100_000), rest: '": :'.repeat(100_000) };
  expect(parseJson(JSON.stringify(value))).toEqual(value);
});

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
