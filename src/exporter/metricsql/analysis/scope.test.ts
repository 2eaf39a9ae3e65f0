import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { print } from "../print/printer.ts";
import { scope } from "./scope.ts";

describe("scope", () => {
  it.each<[string, string | RegExp]>([
    ["foo", 'foo{t="x"}'],
    ["{}", '{t="x"}'],
    ['{a="b" or c="d"}', '{a="b",t="x" or c="d",t="x"}'],
    [
      "sum(rate(foo[5m])) / max_over_time((a + b)[1h:5m]) @ (end() - c)",
      /^(?:[^c]|c[^)])*foo\{t="x"\}.*a\{t="x"\}.*b\{t="x"\}.*c\{t="x"\}/,
    ],
    ['foo{t="y"}', 'foo{t="y",t="x"}'],
    ['WITH (f(q) = q{a="b"} offset 5m) f(foo) or f({c="d"})', /foo\{a="b",t="x"\}.*\{c="d",a="b",t="x"\}/],
    ["info(a)", 'info(a{t="x"}, {t="x"})'],
    ['info(a, {b=~".+"})', 'info(a{t="x"}, {b=~".+",t="x"})'],
    [
      'info(a, {"n",b="c" or t="y"})',
      'info(a{t="x"}, {__name__="n",b="c",t="x" or __name__="n",t="y",t="x"})',
    ],
    ['INFO(info(a), {__name__=~".*"})', 'info(info(a{t="x"}, {t="x"}), {__name__=~".*",t="x"})'],
    ["rate(a[5m * 2] smoothed offset (1h - 30m))", 'rate(a{t="x"}[5m * 2] smoothed offset (1h - 30m))'],
    ["limit_ratio(scalar(a), b)", 'limit_ratio(scalar(a{t="x"}), b{t="x"})'],
  ])("%s", (query, scoped) => {
    const printed = print(scope(parse(query), [{ label: "t", value: "x" }]));
    if (typeof scoped === "string") expect(printed).toBe(scoped);
    else expect(printed).toMatch(scoped);
  });

  it("refuses a filter that would let all others through", () => {
    expect(() => scope(parse("m"), [{ label: "t", value: "" }])).toThrow(RangeError);
    expect(() => scope(parse("m"), [{ label: "", value: "x" }])).toThrow(RangeError);
  });
});
