import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { labelsNamed, labelsWritten } from "./labels.ts";

describe("labelsWritten", () => {
  it.each<[string, readonly string[]]>([
    ["sum(rate(m{a='b'}[5m])) by (c) / on(d) group_left(e) n", []],
    ["a * on(x) group_left(*) b", []],
    ['label_set(m, "a", "x", "b", "y")', ["a", "b"]],
    ['label_replace(m, "a", "$1", "b", "(.*)")', ["a"]],
    ['label_join(m, "a", "-", "b", "c")', ["a"]],
    ['label_copy(m, "a", "b", "c", "d")', ["b", "d"]],
    ['label_move(m, "a", "b")', ["a", "b"]],
    ['label_map(m, "a", "x", "y")', ["a"]],
    ['label_transform(m, "a", "x", "y")', ["a"]],
    ['label_uppercase(m, "a", "b")', ["a", "b"]],
    ['label_lowercase(m, "a")', ["a"]],
    ['alias(m, "n")', ["__name__"]],
    ["label_graphite_group(m, 1)", ["__name__"]],
    ['label_del(m, "a")', []],
    ['label_keep(m, "a")', []],
    ['count_values("v", m)', ["v"]],
    ['count_values_over_time("v", m)', ["v"]],
    ['quantiles("phi", 0.5, m)', ["phi"]],
    ['quantiles_over_time("phi", 0.5, m)', ["phi"]],
    ['histogram_quantiles("phi", 0.5, m)', ["phi"]],
    ['histogram_quantile(0.5, m, "bound")', ["bound"]],
    ["histogram_quantile(0.5, m)", []],
    ['topk_max(3, m, "a=rest")', ["a"]],
    ['bottomk_avg(3, m, "a")', ["a"]],
    ["rollup(m)", ["rollup"]],
    ['rollup_rate(m, "max")', []],
    ['aggr_over_time(("min_over_time", "rate"), m)', ["rollup"]],
    ["histogram(m)", ["vmrange"]],
    ["prometheus_buckets(m)", ["le"]],
    ['absent(m{a="x",b=~"y"})', ["a"]],
    ['absent_over_time(m{a="x"}[5m])', ["a"]],
    ['a * on(x) group_left(b,c) prefix "p_" d', ["p_b", "p_c"]],
    ['a * on(x) group_right(*) prefix "p_" d', ["p_*"]],
    ['WITH (f(q, l) = label_set(q, l + "x", "y")) sum(f(m, "a"))', ["ax"]],
    ['max_over_time(LABEL_SET(m, "a", "b")[1h:5m]) @ (label_set(1, "c", "d"))', ["a", "c"]],
  ])("%s", (query, labels) => {
    expect(labelsWritten(parse(query))).toEqual(labels);
  });
});

describe("labelsNamed", () => {
  it.each<[string, readonly string[]]>([
    ["m", ["__name__"]],
    ["time()", []],
    ['{a="x" or b!="y",c=~"z"}', ["a", "b", "c"]],
    ["sum(m) by (a) + on(b) group_left(c) sum(m) without (d)", ["__name__", "a", "b", "c", "d"]],
    ["m * ignoring(a) group_left(*) n", ["__name__", "a"]],
    ['label_del({a="x"}, "b", "c")', ["a", "b", "c"]],
    ['label_copy({a="x"}, "b", "c")', ["a", "b", "c"]],
    ['label_replace({a="x"}, "b", "$1", "c", ".*")', ["a", "b", "c"]],
    ['label_match({a="x"}, "b", ".*")', ["a", "b"]],
    ['sort_by_label({a="x"}, "b")', ["a", "b"]],
    ['rate(({a="x"} + {b="y"})[5m:1m]) offset 1h @ (end() - {c="z"})', ["a", "b", "c"]],
    ['WITH (ct = {a="x"}) {ct, b="y"}', ["a", "b"]],
    ['{"a b"="x"}', ["a b"]],
  ])("%s", (query, labels) => {
    expect(labelsNamed(parse(query))).toEqual(labels);
  });
});
