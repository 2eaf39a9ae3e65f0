import fc from "fast-check";
import { expect, test } from "vitest";
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  pathsOf,
  setOf,
  sizeOf,
  union,
  unionOf,
} from "./field-set.ts";

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"n"}', 'v:"x"');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const set = fc.array(path, { maxLength: 6 }).map(setOf);
const paths = (of: FieldSet) => new Set(pathsOf(of));

test("union, difference and intersection are those of the paths", () => {
  fc.assert(
    fc.property(set, set, set, (left, right, third) => {
      const [a, b] = [paths(left), paths(right)];
      expect(paths(union(left, right))).toEqual(new Set([...a, ...b]));
      expect(paths(unionOf([left, right, third]))).toEqual(new Set([...a, ...b, ...paths(third)]));
      expect(paths(difference(left, right))).toEqual(new Set([...a].filter((each) => !b.has(each))));
      expect(paths(intersection(left, right))).toEqual(new Set([...a].filter((each) => b.has(each))));
      expect([sizeOf(left), isEmptySet(left)]).toEqual([a.size, a.size === 0]);
    }),
  );
});

test("there is one form of each set", () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 6 }), (given) => {
      expect(setOf(given)).toEqual(setOf(given.toReversed()));
      expect(union(setOf(given), setOf(given))).toEqual(setOf(given));
    }),
  );
});

test("paths are as conflicts name them, and no more than are asked for", () => {
  const fields = setOf([
    ["f:spec", "f:sinks", 'k:{"name":"a","port":1}', "f:size"],
    ["f:set", 'v:"x"'],
    ["f:spec"],
  ]);
  expect(pathsOf(fields)).toEqual([".spec", '.spec.sinks[name="a",port=1].size', '.set[="x"]']);
  expect(pathsOf(fields, 1)).toEqual([".spec"]);
  expect(pathsOf(setOf([[`f:${"x".repeat(1_000)}`]]))).toEqual([`.${"x".repeat(256)}`]);
});
