import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functionInfo, functionNames } from "../../metricsql/ast/functions.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { namesTenantLabel, writesTenantLabel } from "./tenant-label.ts";

const tenantLabel = "tenant_id";

describe("an expression that writes a label which becomes the tenant's", () => {
  test.each([
    'label_set(m, "tenant-id", "x")',
    'label_set(m, "a", "x", "tenant.id", "x")',
    'label_replace(m, "tenant-id", "$1", "job", "(.*)")',
    'label_join(m, "tenant-id", "-", "b", "c")',
    'label_copy(m, "a", "tenant-id")',
    'label_move(m, "a", "tenant-id")',
    'label_map(m, "tenant-id", "x", "y")',
    'label_transform(m, "tenant-id", "x", "y")',
    'label_uppercase(m, "tenant-id")',
    'label_lowercase(m, "tenant-id")',
    'count_values("tenant-id", m)',
    'count_values_over_time("tenant-id", m)',
    'quantiles("tenant-id", 0.5, m)',
    'quantiles_over_time("tenant-id", 0.5, m)',
    'histogram_quantile(0.5, m, "tenant-id")',
    'histogram_quantiles("tenant-id", 0.5, m)',
    'histogram_share(0.5, m, "tenant-id")',
    'topk_max(3, m, "tenant-id=rest")',
    'bottomk_avg(3, m, "tenant-id")',
    'absent(m{"tenant-id"="x"})',
    'absent_over_time(m{"tenant-id"="x"}[5m])',
    'a * on(x) group_left(id) prefix "tenant-" b',
    'a * on(x) group_right("-id") prefix "tenant" b',
    'a * on(x) group_left(*) prefix "tenant-" b',
    'label_set(m, "tenant" + "-" + "id", "x")',
    'WITH (sep = "-", f(q, l) = label_set(q, "tenant" + sep + l, "x")) sum(f(m, "id"))',
    '(m, label_set(n, "tenant id", "x"))',
    'max_over_time(label_set(m, "tenant😀id", "x")[1h:5m]) keep_metric_names + 1',
  ])("%s", (query) => {
    expect(writesTenantLabel(parse(query), tenantLabel)).toBe(true);
    expect(namesTenantLabel(parse(query), tenantLabel)).toBe(true);
  });
});

test.each<[string, string]>([
  ["histogram(m)", "vmrange"],
  ["histogram_over_time(m)", "vmrange"],
  ["prometheus_buckets(m)", "le"],
  ["rollup(m)", "rollup"],
  ['aggr_over_time("min_over_time", m)', "rollup"],
])("%s writes %s, which may be the tenant's", (query, label) => {
  expect(writesTenantLabel(parse(query), label)).toBe(true);
});

describe("an expression that only names such a label", () => {
  test.each([
    'sum by ("tenant-id") (m)',
    "sum(m) without (tenant\\-id)",
    'a * on("tenant-id") b',
    'a * ignoring("tenant-id") b',
    'a * on(x) group_left("tenant-id") b',
    'm{"tenant-id"="x"}',
    'label_keep(m, "tenant-id")',
    'label_del(m, "tenant-id")',
    'sort_by_label(m, "tenant-id")',
  ])("%s", (query) => {
    expect(namesTenantLabel(parse(query), tenantLabel)).toBe(true);
    expect(writesTenantLabel(parse(query), tenantLabel)).toBe(false);
  });
});

test.each([
  'label_set(m, "tenant", "x")',
  'label_set(m, "tenant_ids", "x")',
  'label_set(m, "job", "tenant-id")',
  'a * on(x) group_left(*) prefix "job_" b',
  "sum by (tenant) (m)",
])("%s has nothing to do with it", (query) => {
  expect(namesTenantLabel(parse(query), tenantLabel)).toBe(false);
});

/** Functions whose strings are not label names. */
const otherStrings = /^(?:alias|timezone_offset|aggr_over_time|rollup(?:_.*)?)$/;

test("every function that asks for strings is known by the labels that they name", () => {
  const unseen = functionNames().filter((name) => {
    if (otherStrings.test(name)) return false;
    const { min = 0 } = functionInfo(name) ?? {};
    const counts = [min, min + 1, min + 2];
    return counts.some((count) => {
      const strings = Array.from({ length: count }, (_, place) => place).filter((place) =>
        isString(name, count, place),
      );
      if (strings.length === 0) return false;
      return !namesTenantLabel(parse(call(name, count, strings)), tenantLabel);
    });
  });
  expect(unseen).toEqual([]);
});

function call(name: string, count: number, strings: readonly number[]): string {
  const args = Array.from({ length: count }, (_, place) => (strings.includes(place) ? '"tenant-id"' : "m"));
  return `${name}(${args.join(", ")})`;
}

/** Whether the parser accepts only a string there. */
function isString(name: string, count: number, place: number): boolean {
  const all = Array.from({ length: count }, (_, index) => index);
  const others = all.filter((index) => index !== place);
  return isQuery(call(name, count, all)) && !isQuery(call(name, count, others));
}

function isQuery(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

test("no spelling of the name gets through", () => {
  const bad = fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 1 }).filter((one) => {
    return /^[^a-zA-Z0-9_]$/u.test(one);
  });
  fc.assert(
    fc.property(bad, bad, bad, (a, b, c) => {
      const label = "a_b_c_d";
      const name = JSON.stringify(`a${a}b${b}c${c}d`);
      expect(writesTenantLabel(parse(`label_set(m, ${name}, "x")`), label)).toBe(true);
      expect(namesTenantLabel(parse(`sum by (${name}) (m)`), label)).toBe(true);
    }),
  );
});
