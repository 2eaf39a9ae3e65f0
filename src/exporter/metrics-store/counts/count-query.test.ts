import { describe, expect, test } from "vitest";
import type { Selector } from "../../metricsql/ast/ast.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import {
  alternatives,
  countQuery,
  hasNames,
  namedAlternatives,
  selectorsOfNames,
  withoutMixedNames,
} from "./count-query.ts";

function selector(text: string): Selector {
  const expr = parse(text);
  if (expr.type !== "selector") throw new Error(`${text} is no selector`);
  return expr;
}

describe("the query", () => {
  test.each([
    ["of one selector", ["up"], "sum(count_over_time(up[60s]))"],
    [
      "of two, of which one may match nothing",
      ['a{x="1"}', "b"],
      '(sum(count_over_time(a{x="1"}[60s])) or vector(0)) + (sum(count_over_time(b[60s])) or vector(0))',
    ],
    [
      "of two of one name, which may match the same series",
      ['a{x="1"}', 'a{y="2"}'],
      'sum(count_over_time(a{x="1"}[60s]) or count_over_time(a{y="2"}[60s]))',
    ],
    [
      "of a name with another filter of the name, which PromQL takes only within braces",
      ['a{__name__!="b",x="1"}'],
      'sum(count_over_time({__name__="a",__name__!="b",x="1"}[60s]))',
    ],
  ])("%s", (_, selectors, expected) => {
    const query = countQuery(selectors.map(selector), "count_over_time", "60s");
    expect(print(parse(query))).toBe(expected);
  });
});

test.each([
  ["up", true],
  ['{__name__="up"}', true],
  ['{__name__=~"up"}', false],
  ['{__name__!="up"}', false],
  ['{job="a"}', false],
  ['{__name__="up" or __name__="down"}', true],
  ['{__name__="up" or job="a"}', false],
  ['{__name__=""}', false],
])("whether %s is about names: %s", (text, expected) => {
  expect(hasNames(selector(text))).toBe(expected);
});

test.each([
  ["a", "a"],
  ['{__name__="a" or __name__="b"}', '{__name__="a" or __name__="b"}'],
  ['{__name__="a.b" or job="x"}', '{__name__=~"a\\\\.b" or job="x"}'],
  ['{job="x" or __name__="a",z="1"}', '{job="x" or __name__=~"a",z="1"}'],
])("names beside alternatives without one: %s", (text, expected) => {
  expect(print(withoutMixedNames(selector(text)))).toBe(print(selector(expected)));
});

test("a selector of alternatives is one for each", () => {
  expect(alternatives(selector('{a="1",b="2" or c="3"}')).map((one) => print(one))).toEqual(
    ['{a="1",b="2"}', '{c="3"}'].map((text) => print(selector(text))),
  );
});

test("a selector that matches the series without labels is one of series with a name", () => {
  expect(namedAlternatives(selector('{a="" or b!="1"}')).map((one) => print(one))).toEqual(
    ['{a="",__name__!=""}', '{b!="1",__name__!=""}'].map((text) => print(selector(text))),
  );
});

describe("selectors of names", () => {
  test("each name with each alternative", () => {
    const [piece, ...others] = selectorsOfNames(selector('{a="1" or c="3"}'), ["x", "y"]);
    expect(piece?.map((one) => print(one))).toEqual(
      ['x{a="1"}', 'x{c="3"}', 'y{a="1"}', 'y{c="3"}'].map((text) => print(selector(text))),
    );
    expect(others).toEqual([]);
  });

  test("a name that contradicts another filter stays", () => {
    const contradictory = selector('{__name__="x",__name__="y" or __name__="",a="1"}');
    const [piece] = selectorsOfNames(contradictory, ["x"]);
    expect(piece?.map((one) => print(one))).toEqual(
      ['{__name__="x",__name__="y"}', '{__name__="x",__name__="",a="1"}'].map((text) =>
        print(selector(text)),
      ),
    );
  });

  test("an alternative of one name is about no other", () => {
    const [piece] = selectorsOfNames(selector('{__name__="x",a="1" or __name__=~"x|y"}'), ["x", "y"]);
    expect(piece?.map((one) => print(one))).toEqual(
      ['x{a="1"}', 'x{__name__=~"x|y"}', 'y{__name__=~"x|y"}'].map((text) => print(selector(text))),
    );
  });

  test("in pieces, of which each holds all alternatives of its names", () => {
    const names = Array.from({ length: 150 }, (_, index) => `name_${index}`);
    const pieces = selectorsOfNames(selector('{a="1" or b="2" or c="3"}'), names);
    expect(pieces.flat().length).toBe(450);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(300);
      expect(piece.length % 3).toBe(0);
    }
  });

  test("none without names", () => {
    expect(selectorsOfNames(selector('{a="1"}'), [])).toEqual([]);
  });
});
