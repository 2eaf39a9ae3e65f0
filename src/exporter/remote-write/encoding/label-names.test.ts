import fc from "fast-check";
import { expect, test } from "vitest";
import { compareNames, hasLoneSurrogate } from "./label-names.ts";

test("names compare as their UTF-8 bytes do", () => {
  const name = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(compareNames(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  // U+FFFD sorts before U+1F600 in UTF-8, and after it in UTF-16.
  expect(Math.sign(compareNames("\ufffd", "😀"))).toBe(-1);
});

test.each([
  ["plain", false],
  ["😀", false],
  ["\ufffd", false],
  ["a\ud800b", true],
  ["\udc00", true],
])("%j has a lone surrogate: %s", (text, expected) => {
  expect(hasLoneSurrogate(text)).toBe(expected);
});
