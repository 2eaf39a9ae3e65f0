import { describe, expect, it } from "vitest";
import { parse } from "./parser.ts";
import { promqlOnly } from "./promql.ts";

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
    expect(promqlOnly(parse(query))).toEqual([]);
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
    const messages = promqlOnly(parse(query)).map(({ message }) => message);
    expect(messages).toHaveLength(reasons.length);
    reasons.forEach((reason, i) => {
      expect(messages[i]).toMatch(reason);
    });
  });
});
