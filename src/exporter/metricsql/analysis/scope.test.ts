import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { print } from "../print/printer.ts";
import { scope } from "./scope.ts";

describe("scope", () => {
  it.each([
    ["foo", 'foo{t="x"}'],
    ["{}", '{t="x"}'],
    ['{a="b" or c="d"}', '{a="b",t="x" or c="d",t="x"}'],
    [
      "sum(rate(foo[5m])) / max_over_time((a + b)[1h:5m]) @ (end() - c)",
      /^(?:[^c]|c[^)])*foo\{t="x"\}.*a\{t="x"\}.*b\{t="x"\}.*c\{t="x"\}/,
    ],
    ['foo{t="y"}', 'foo{t="y",t="x"}'],
    ['WITH (f(q) = q{a="b"} offset 5m) f(foo) or f({c="d"})', /foo\{a="b",t="x"\}.*\{c="d",a="b",t="x"\}/],
  ])("%s", (query, scoped) => {
    expect(print(scope(parse(query), [{ label: "t", value: "x" }]))).toMatch(scoped);
  });

  it("refuses a filter that would let all others through", () => {
    expect(() => scope(parse("m"), [{ label: "t", value: "" }])).toThrow(RangeError);
    expect(() => scope(parse("m"), [{ label: "", value: "x" }])).toThrow(RangeError);
  });
});
