import { describe, expect, it } from "vitest";
import {
  INVALID_REGEXES,
  REGEX_MATCHES,
  VALID_REGEXES,
} from "../../../../test/integration/metricsql-queries.ts";
import { checkRegex, parseRegex } from "./regex.ts";
import { compileRegex } from "./regex-match.ts";
import { finiteTexts } from "./regex-tree.ts";

describe("checkRegex", () => {
  it.each(VALID_REGEXES)("takes %j", (pattern) => {
    expect(checkRegex(pattern)).toBeUndefined();
  });

  it.each(INVALID_REGEXES)("refuses %j", (pattern) => {
    expect(checkRegex(pattern)).toMatch(/./);
  });

  it("knows how large a pattern gets", () => {
    expect(checkRegex(`(${"abc".repeat(100)}){900}`)).toMatch(/too large/);
  });
});

describe("compileRegex", () => {
  it.each(REGEX_MATCHES)("%s", (pattern, matching, others) => {
    const matches = compileRegex(pattern);
    expect(matching.filter((text) => !matches(text))).toEqual([]);
    expect(others.filter((text) => matches(text))).toEqual([]);
  });

  it("lets a dot match a line end", () => {
    expect(compileRegex("a.b")("a\nb")).toBe(true);
    expect(compileRegex("(?-s)a.b")("a\nb")).toBe(false);
  });

  it("knows lines where they are asked for", () => {
    expect(compileRegex("(?m)a$\n^b")("a\nb")).toBe(true);
    expect(compileRegex("a$\n^b")("a\nb")).toBe(false);
  });

  it("takes time in proportion to the text, whatever the pattern", () => {
    const matches = compileRegex("(x+x+)+y|(.*)*z");
    const start = performance.now();
    expect(matches("x".repeat(5000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe("finiteTexts", () => {
  it.each<[string, readonly string[] | undefined]>([
    ["a|b", ["a", "b"]],
    ["x(a|b|)y", ["xay", "xby", "xy"]],
    ["a\\.b", ["a.b"]],
    ["", [""]],
    ["a*", undefined],
    ["[ab]", undefined],
    ["(?i)a", undefined],
    ["(a|b)(a|b)(a|b)(a|b)", undefined],
  ])("%s", (pattern, texts) => {
    expect(finiteTexts(parseRegex(pattern), 10)).toEqual(texts);
  });
});
