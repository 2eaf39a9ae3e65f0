import fc from "fast-check";
import { expect, test } from "vitest";
import { legalizeLabelName, legalizeMetricName } from "./label-name.ts";

test.each([
  ["job", "job"],
  ["a.b-c", "a_b_c"],
  ["9lives", "_lives"],
  ["job:rate", "job_rate"],
  ["größe", "gr__e"],
  ["a😀b", "a_b"],
  ["_", "_"],
])("%s becomes %s", (name, legal) => {
  expect(legalizeLabelName(name)).toBe(legal);
});

test.each([
  ["job", "job"],
  ["a.b-c", "a_b_c"],
  ["9lives", "_lives"],
  ["job:rate", "job:rate"],
  ["größe", "gr__e"],
  ["é😀", "__"],
])("%s becomes the metric name %s", (name, legal) => {
  expect(legalizeMetricName(name)).toBe(legal);
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
