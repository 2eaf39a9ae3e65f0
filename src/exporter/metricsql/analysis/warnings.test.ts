import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { warnings } from "./warnings.ts";

describe("warnings", () => {
  it.each([
    "m",
    'm{a!="x"}',
    'm{a="x" or b="y"}',
    '{__name__=~"http_.*"}',
    '{__name__="m"}',
    '{__graphite__="a.*.b"}',
    "rate(m[1d])",
    "max_over_time(rate(m[5m])[6h:1m])",
    "time() + 1",
  ])("%s is fine", (query) => {
    expect(warnings(parse(query))).toEqual([]);
  });

  it.each<[string, number, RegExp]>([
    ["{}", 0, /matches every series/],
    ['sum({a!="x"})', 4, /nearly every series/],
    ['{a=~".*",b=""}', 0, /nearly every series/],
    ['{a="x"}', 0, /names no metric/],
    ['{__name__=~".+",a="x"}', 0, /names no metric/],
    ['{__name__!="m",a="x"}', 0, /names no metric/],
    ['{__name__="m" or a="x"}', 0, /an alternative .* names no metric/],
    ["rate(m[30d])", 6, /window of 30d is long/],
    ["max_over_time(rate(m[5m])[1d:1s])", 25, /86400 points/],
  ])("%s", (query, pos, message) => {
    const remarks = warnings(parse(query));
    expect(remarks).toEqual([{ message: expect.stringMatching(message), pos }]);
  });

  it("measures against the given limits", () => {
    const limits = { maxWindowMs: 60_000, maxSubqueryPoints: 10 };
    expect(warnings(parse("rate(m[5m])"), limits)).toHaveLength(1);
  });
});
