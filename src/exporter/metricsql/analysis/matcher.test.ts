import { describe, expect, it } from "vitest";
import type { Selector } from "../ast/ast.ts";
import { parse } from "../parse/parser.ts";
import { matcher, mayOverlap } from "./matcher.ts";

const SERIES = { __name__: "m", a: "x", b: "y" };

describe("matcher", () => {
  it.each<[string, boolean]>([
    ["m", true],
    ["n", false],
    ["{}", true],
    ['m{a="x",b="y"}', true],
    ['m{a="x",b="z"}', false],
    ['m{a!="x"}', false],
    ['m{c=""}', true],
    ['m{c!=""}', false],
    ['m{a=~"x|y"}', true],
    ['m{a=~"."}', true],
    ['m{a=~"xx"}', false],
    ['m{a!~"x.*"}', false],
    ['m{c=~".*"}', true],
    ['m{c=~".+"}', false],
    ['{a="z" or b="y"}', true],
    ['n{a="x" or b="y"}', false],
    ['{__name__=~"m|n"}', true],
    ['{toString="x"}', false],
  ])("%s", (query, matches) => {
    const selector = parse(query) as Selector;
    expect(matcher(selector)(SERIES)).toBe(matches);
    expect(matcher(selector)(new Map(Object.entries(SERIES)))).toBe(matches);
  });
});

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
    ['m{a=~"x.*"}', 'm{a=~"y.*"}', true],
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
