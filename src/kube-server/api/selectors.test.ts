import { describe, expect, test } from "vitest";
import { isLabelKey, isLabelValue, matchesFields, parseFieldSelector } from "./selectors.ts";

describe("field selectors", () => {
  const fieldOf = (field: string) => ({ "metadata.name": "a", type: "x,y" })[field] ?? "";
  test.each([
    ["metadata.name=a", true],
    ["metadata.name==a,type=x\\,y", true],
    ["metadata.name!=a", false],
    ["type!=z", true],
    ["type!=a\\\\b\\=", true],
    ["", true],
  ])("%s", (text, expected) => {
    const outcome = parseFieldSelector(text);
    expect(outcome.ok && matchesFields(outcome.requirements, fieldOf)).toBe(expected);
  });

  test.each([["metadata.name"], ["=a"], ["a=b=c"], ["a=b\\c"], ["a=b\\\\\\c"]])("%s is refused", (text) => {
    expect(parseFieldSelector(text).ok).toBe(false);
  });
});

test.each([
  ["a", true],
  ["example.com/a_b.c-D", true],
  ["a/b", true],
  ["a.b/c", true],
  [`${"p".repeat(253)}/${"a".repeat(63)}`, true],
  [`${"p".repeat(254)}/a`, false],
  ["a".repeat(64), false],
  ["/a", false],
  ["a/", false],
  ["a/b/c", false],
  ["A.b/c", false],
  ["", false],
])("%s as a label's key", (text, isGood) => {
  expect(isLabelKey(text)).toBe(isGood);
});

test("a label's value may be empty and has at most 63 characters", () => {
  expect(["", "a", "a".repeat(63), "a".repeat(64), "-a", "a b"].map(isLabelValue)).toEqual([
    ...[true, true, true, false, false, false],
  ]);
});
