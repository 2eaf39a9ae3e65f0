import { describe, expect, it } from "vitest";
import type { Selector } from "../ast/ast.ts";
import { parse } from "../parse/parser.ts";
import { matcher } from "./matcher.ts";

const series = { __name__: "m", a: "x", b: "y" };

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
    expect(matcher(selector)(series)).toBe(matches);
    expect(matcher(selector)(new Map(Object.entries(series)))).toBe(matches);
  });
});
