import fc from "fast-check";
import { expect, test } from "vitest";
import { printedJson } from "./printed-json.ts";

test.each([
  ["a C0 control", "\u001b[2J", "\\u001b[2J"],
  ["delete", "\u007f", "\\u007f"],
  ["a C1 control", "\u009b2J", "\\u009b2J"],
  ["a direction", "\u202egnp.exe\u202c", "\\u202egnp.exe\\u202c"],
  ["an isolate", "\u2066a\u2069", "\\u2066a\\u2069"],
  ["marks", "\u200e\u200f\u061c", "\\u200e\\u200f\\u061c"],
  ["line separators", "\u2028\u2029", "\\u2028\\u2029"],
  ["other writings stay", "größe עברית 日本 😀", "größe עברית 日本 😀"],
])("%s", (_, text, expected) => {
  expect(printedJson({ text, [text]: 1 })).toBe(`{\n  "text": "${expected}",\n  "${expected}": 1\n}\n`);
});

test("it is the same value, and nothing in it steers a terminal", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const printed = printedJson(value);
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(printed.replaceAll("\n", "")).not.toMatch(
        /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u,
      );
    }),
  );
});
