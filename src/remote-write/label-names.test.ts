import fc from "fast-check";
import { expect, test } from "vitest";
import { compareNames, hasLoneSurrogate, legalizeLabelName, legalizeMetricName } from "./label-names.ts";

test.each([
  ["job", "job", "job"],
  ["a.b-c", "a_b_c", "a_b_c"],
  ["9lives", "_lives", "_lives"],
  ["job:rate", "job_rate", "job:rate"],
  ["größe", "gr__e", "gr__e"],
  ["a😀b", "a_b", "a_b"],
  ["_", "_", "_"],
])("%s becomes the label name %s and the metric name %s", (name, labelName, metricName) => {
  expect([legalizeLabelName(name), legalizeMetricName(name)]).toEqual([labelName, metricName]);
});

test("whatever comes, what is made of it is legal, and legal names stay", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (name) => {
      const legal = legalizeLabelName(name);
      expect(legal).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
      expect(legalizeLabelName(legal)).toBe(legal);
    }),
  );
});

test("names compare as their UTF-8 bytes do", () => {
  const name = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(compareNames(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  // U+FFFD sorts before U+1F600 in UTF-8, and behind it in UTF-16.
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
