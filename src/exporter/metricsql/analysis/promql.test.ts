import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { notMetricsql } from "./not-metricsql.ts";
import { promqlOnly } from "./promql.ts";

describe("notMetricsql", () => {
  it.each<[string, string]>([
    ["info(m)", "the function info(), which only Prometheus knows"],
    ["limit_ratio(0.1, m)", "the function limit_ratio(), which only Prometheus knows"],
    ["rate(m[5m*2])", "the duration 5m * 2, which only Prometheus knows"],
    ["m offset (1h - 30m)", "the duration 1h - 30m, which only Prometheus knows"],
    ["sum(rate(m[5m] smoothed))", '"smoothed", which only Prometheus knows'],
    ["m </ 5", 'the operator "</", which only Prometheus knows'],
    [
      'histogram_quantiles(m, "q", 0.5)',
      "histogram_quantiles() with the histogram first, which only Prometheus knows",
    ],
  ])("%s", (query, message) => {
    expect(notMetricsql(parse(query))).toMatchObject([{ message }]);
  });

  it.each(["m[1h-5m]", "m[(5m)]", 'histogram_quantiles("q", 0.5, m)', "rate(m[5i] offset 1i)", "step()"])(
    "not %s",
    (query) => {
      expect(notMetricsql(parse(query))).toEqual([]);
    },
  );
});

describe("promqlOnly", () => {
  it.each([
    "m",
    'sum(rate(http_requests_total{code=~"5.."}[5m])) by (job) / on(job) group_left(env) sum(x) by (job) > 0.05',
    "histogram_quantile(0.9, sum(rate(m_bucket[5m])) by (le))",
    "max_over_time(rate(m[5m])[1h:30s] offset 5m @ end())",
    'label_replace(m, "a", "$1", "b", "(.*)") or vector(0)',
    "topk(3, m) unless count_values('v', m)",
    "m > bool 1 and time() - 5 > bool 3 * m",
    "1 + 2 > bool 2",
    "-(m offset -5m) ^ 2",
    "0x1f + Inf - NaN",
    "label_join(m, 'a', '-', 'b', 'c')",
    "label_join(m, 'a', '-')",
    "hour() + hour(m)",
    "absent_over_time(m[1h30m])",
  ])("%s is PromQL", (query) => {
    for (const major of [2, 3] as const) expect(promqlOnly(parse(query), major)).toEqual([]);
  });

  it.each<[string, readonly (string | RegExp)[]]>([
    ['m{a="x" or b="y"}', [/"or" between the filters/]],
    ["{}", [/matches every series/]],
    ['{a!="x"}', [/matches every series/]],
    ['{__graphite__="a.b"}', [/__graphite__/]],
    ['m{"a b"="x"}', [/label name "a b"/]],
    ["rate(m)", ["rate() of something without a window"]],
    ["rate(sum(m)[5m])", [/without a step/]],
    ["m[5m]", [/cannot be the result/]],
    ["sum(m[5m])", [/takes a vector/]],
    ["m[:1m]", [/without a window/, /cannot be the result/]],
    ["sum(m) offset 5m", [/"offset" or "@"/]],
    ["m @ (end() - 5m)", [/"@" with anything but/]],
    ["m offset 1.5h", [/duration 1.5h/]],
    ["rate(m[5i])", [/duration 5i/]],
    ["rate(m[300])", [/duration 300/]],
    ["m * 1Ki", [/number 1Ki/]],
    ["m / 5m", [/duration 5m stands/]],
    ["(a, b)", [/union/]],
    ["a default 0", [/operator "default"/]],
    ["a if b", [/operator "if"/]],
    ["rate(m[5m]) keep_metric_names", [/keep_metric_names/]],
    ["sum(m) limit 3", [/"limit"/]],
    ["sum(a, b)", [/2 arguments/]],
    ["a * on(x) group_left(*) b", [/group_left\(\*\)/]],
    ['a * on(x) group_left(y) prefix "p" b', [/"prefix"/]],
    ["a + fill(0) b", [/"fill"/]],
    ["median(m)", [/function median\(\)/]],
    ['label_set(m, "a", "b")', [/function label_set\(\)/]],
    ["1 > 2", [/without "bool"/]],
    ["a and 1", [/number as an operand/]],
    ["abs(1)", [/a scalar as an argument of abs/]],
    ["clamp_min(a, b)", [/a vector as an argument of clamp_min/]],
    ['"a"', [/string cannot be the result/]],
    ["WITH (x = m) rate(x)", [/without a window/]],
  ])("%s is not", (query, reasons) => {
    const messages = promqlOnly(parse(query), 2).map(({ message }) => message);
    expect(messages).toHaveLength(reasons.length);
    reasons.forEach((reason, i) => {
      expect(messages[i]).toMatch(reason);
    });
  });

  it.each([
    "m / 5m",
    "sum_over_time(m[1h]) / 1h",
    "rate(m[300])",
    "m offset 3600.5",
    "m offset -300",
    "rate(m[1_000])",
    "m * 1_000.5",
    "first_over_time(m[5m])",
    'm{"a b"="x"}',
    'sum(m) by ("a.b")',
    "rate(m[5m * 2])",
    "m offset (1h - 30m)",
    "rate(m[1h-5m])",
    "m @ 100s",
    "m </ 5",
  ])("%s is PromQL of Prometheus 3, not of 2", (query) => {
    expect(promqlOnly(parse(query), 3)).toEqual([]);
    expect(promqlOnly(parse(query), 2)).toHaveLength(1);
  });

  it("holt_winters() is PromQL of Prometheus 2, not of 3", () => {
    const expr = parse("holt_winters(m[1h], 0.5, 0.5)");
    expect(promqlOnly(expr, 2)).toEqual([]);
    expect(promqlOnly(expr, 3)).toMatchObject([{ message: "the function holt_winters()" }]);
  });

  it.each<[string, RegExp]>([
    ["m offset 1h-5m", /duration 1h-5m/],
    ["m * 1h-5m", /duration 1h-5m/],
    ["m offset 1.5h", /duration 1.5h/],
    ["rate(m[5i])", /duration 5i/],
    ["m * 1Ki", /number 1Ki/],
    ["first_over_time(m)", /without a window/],
    ["max_over_time(m[step():1m])", /without a number; expected step\(\) \* 1/],
    ["max_over_time(time()[5m:1m])", /subquery of something that is no vector/],
    ["a * on(x,y) group_left(y,z) b", /label y in both "on" and "group_left"/],
    ["m @ Inf", /"@" with anything but a number/],
    ["median(m)", /function median/],
  ])("%s is not PromQL of Prometheus 3 either", (query, reason) => {
    const remarks = promqlOnly(parse(query), 3);
    expect(remarks).toMatchObject([{ message: expect.stringMatching(reason) }]);
    expect(remarks[0]?.feature).toBeUndefined();
  });

  it("fill() beside a number is refused by both", () => {
    for (const major of [2, 3] as const)
      expect(promqlOnly(parse("a + fill(0) 2"), major)).toContainEqual(
        expect.objectContaining({ message: '"fill" beside a number' }),
      );
  });

  it.each<[string, string]>([
    ["mad_over_time(m[5m])", "promql-experimental-functions"],
    ["limitk(3, m)", "promql-experimental-functions"],
    ['sort_by_label(m, "a", "b")', "promql-experimental-functions"],
    ["m / step()", "promql-experimental-functions"],
    ["a + fill(0) b", "promql-binop-fill-modifiers"],
    ["info(m)", "promql-experimental-functions"],
    ["info(m, {})", "promql-experimental-functions"],
    ["limit_ratio(0.1, m)", "promql-experimental-functions"],
    ["ts_of_max_over_time(m[5m])", "promql-experimental-functions"],
    ["m + max_of(1, 2)", "promql-experimental-functions"],
    ['histogram_quantiles(m, "q", 0.5, 0.9)', "promql-experimental-functions"],
    ["rate(m[5m] smoothed)", "promql-extended-range-selectors"],
    ["m anchored", "promql-extended-range-selectors"],
  ])("%s is PromQL of Prometheus 3 with the feature %s", (query, feature) => {
    const remarks = promqlOnly(parse(query), 3);
    expect(remarks).toMatchObject([{ feature, message: expect.stringContaining(feature) }]);
    expect(promqlOnly(parse(query), 2)[0]?.feature).toBeUndefined();
  });
});
