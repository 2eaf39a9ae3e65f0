import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Selector } from "../ast/ast.ts";
import { parse } from "../parse/parser.ts";
import { matcher } from "./matcher.ts";
import { mayOverlap, overlapOf } from "./overlap.ts";

describe("mayOverlap", () => {
  it.each<[string, string, boolean]>([
    ["m", "m", true],
    ["m", "n", false],
    ["m", '{a="x"}', true],
    ['m{a="x"}', 'm{a="y"}', false],
    ['m{a="x"}', 'm{b="y"}', true],
    ['m{a="x"}', 'm{a!="x"}', false],
    ['m{a="x"}', 'm{a=~"y.*"}', false],
    ['m{a="x"}', 'm{a!~"x|y"}', false],
    ['m{a=~"x|y"}', 'm{a=~"y|z"}', true],
    ['m{a=~"x|y"}', 'm{a=~"p|q"}', false],
    ['m{a=~"x|y"}', 'm{a!~"[xy]"}', false],
    ['m{a=~"x.*"}', 'm{a=~"y.*"}', false],
    ['m{a=~"x.*"}', 'm{a=~".*y"}', true],
    ['m{a=""}', 'm{a!=""}', false],
    ['m{a=""}', 'm{a=~".+"}', false],
    ['{__name__=~"m|n"}', "o", false],
    ['{a="x" or a="y"}', '{a="z" or a="y"}', true],
    ['{a="x" or a="y"}', '{a="z"}', false],
    ['m{a="x",a="y"}', "m", false],
    ["rate(m[5m])", 'm{a="x"}', true],
    ["rate(m[5m]) + n", "o", false],
    ["time()", "m", false],
    ['{__graphite__="a.*"}', '{__graphite__="b.*"}', true],
  ])("%s and %s", (a, b, overlap) => {
    expect(mayOverlap(parse(a), parse(b))).toBe(overlap);
    expect(mayOverlap(parse(b), parse(a))).toBe(overlap);
  });
});

describe("overlapOf", () => {
  it.each<[string, string, "first" | "second" | "possible" | "impossible"]>([
    ["up", "up", "first"],
    ['{__name__="up"}', "up", "first"],
    ["up", 'up{job="x"}', "first"],
    ['up{job="x"}', "up", "second"],
    ['{a="1" or b="2"}', '{b="2",c="3"}', "first"],
    ['{b="2",c="3"}', '{a="1" or b="2"}', "second"],
    ['{__name__=~"a.*"}', '{__name__="ab"}', "first"],
    ['{__name__=~"a.*"}', '{__name__=~"ab|ac",job="x"}', "first"],
    ['{__name__=~"a.*"}', '{__name__=~"ab|bc"}', "possible"],
    ['{job!="a"}', '{job="b"}', "first"],
    ['{job!="a"}', "up", "possible"],
    ['{__name__=~".+"}', 'up{job="a"}', "first"],
    ['{__name__!=""}', '{job="a"}', "first"],
    ['{job!=""}', '{job=~"a.*"}', "first"],
    ['{job!=""}', "up", "possible"],
    ['up{job=~".*"}', "up", "first"],
    ["{}", '{job="a"}', "first"],
    ['up{job=~"a|b",job!="b"}', 'up{job="a"}', "first"],
    ['up{job="a"}', 'up{job=~"a|b",job!="b"}', "first"],
    ["up", '{job="a"}', "possible"],
    ['up{job="x"}', 'up{env="y"}', "possible"],
    ['{a="1" or b="2"}', '{b="2" or c="3"}', "possible"],
    ['{__name__=~"http_.+"}', '{__name__=~".*_total"}', "possible"],
    ['{__name__=~"http.*"}', '{__name__=~"http_.+"}', "possible"],
    ['{__graphite__="a.*"}', '{__graphite__="a.b"}', "possible"],
    ["up", "down", "impossible"],
    ['{job="a"}', '{job="b"}', "impossible"],
    ['{job="a"}', '{job=~"b|c"}', "impossible"],
    ['{job="a"}', '{job=~"b.*"}', "impossible"],
    ['{job="a"}', '{job!="a"}', "impossible"],
    ['{job="a"}', '{job!~"a|b"}', "impossible"],
    ['{job="a"}', '{job=""}', "impossible"],
    ['{__name__=~"http_.+"}', '{__name__=~"node_.*"}', "impossible"],
    ['{__name__=~"(http|grpc)_.+"}', '{__name__=~"node_.*|go_[a-z]+"}', "impossible"],
    ['{__name__=~"http_.+"}', '{__name__=~"(?i)http_.*"}', "possible"],
    ['{a="1" or a="2"}', '{a="3"}', "impossible"],
  ])("%s and %s: %s", (first, second, expected) => {
    const overlap = overlapOf(parse(first) as Selector, parse(second) as Selector);
    expect(overlap.kind === "certain" ? overlap.wide : overlap.kind).toBe(expected);
    const turned = overlapOf(parse(second) as Selector, parse(first) as Selector);
    expect(turned.kind).toBe(overlap.kind);
  });

  it("says nothing about a series that is not so", () => {
    const label = fc.constantFrom("__name__", "job", "env");
    const value = fc.constantFrom("", "a", "ab", "b", "A");
    const pattern = fc.constantFrom(
      "a.*",
      "b.*",
      ".*",
      ".+",
      "a|b",
      "ab|",
      "(?i)a",
      "(a|b)b?",
      "[ab]",
      "a+",
      "",
    );
    const filter = fc.oneof(
      fc.record({ label, op: fc.constantFrom("=" as const, "!=" as const), value }),
      fc.record({ label, op: fc.constantFrom("=~" as const, "!~" as const), value: pattern }),
    );
    const groups = fc.array(fc.array(filter, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
    const series = fc.record({ __name__: fc.constantFrom("a", "ab", "b", "A"), job: value, env: value });
    fc.assert(
      fc.property(groups, groups, fc.array(series, { minLength: 1, maxLength: 20 }), (one, other, all) => {
        const [first, second] = [one, other].map((each) => ({
          type: "selector" as const,
          groups: each,
          pos: 0,
        }));
        if (first === undefined || second === undefined) return;
        const overlap = overlapOf(first, second);
        const [isOfFirst, isOfSecond] = [matcher(first), matcher(second)];
        for (const labels of all) {
          if (overlap.kind === "impossible") expect(isOfFirst(labels) && isOfSecond(labels)).toBe(false);
          if (overlap.kind !== "certain") continue;
          const [wide, narrow] = overlap.wide === "first" ? [isOfFirst, isOfSecond] : [isOfSecond, isOfFirst];
          if (narrow(labels)) expect(wide(labels)).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
