import { describe, expect, test } from "vitest";
import { explain } from "./explain.ts";

test("an expression: what it is, how it is confined, its tree", () => {
  const query = 'sum(rate(requests_total{job="web" or job="api"}[5m])) by (code) / 2';
  const { text, exitStatus } = explain(query, { tenant: { label: "project", value: "shop" } });
  expect(exitStatus).toBe(0);
  expect(text).toBe(
    `query:          sum(rate(requests_total{job="web" or job="api"}[5m])) by(code) / 2
kind:           an expression: evaluated on a grid of times, and the results exported
scoped:         sum(rate(requests_total{job="web",project="shop" or job="api",project="shop"}[5m])) by(code) / 2
labels named:   __name__, code, job
labels written: none
on Prometheus:  is refused:
    sum(rate(requests_total{job="web" or job="api"}[5m])) by (code) / 2
             ^ "or" between the filters of a selector

operator /
├─ aggregate sum by (code)
│  └─ function rate
│     └─ rollup [5m]
│        └─ selector __name__="requests_total", job="web" or __name__="requests_total", job="api"
└─ number 2
`,
  );
});

test("a selector, with what it costs", () => {
  const { text } = explain('{job=~".*"}', {});
  expect(text).toContain("kind:           a series selector");
  expect(text).toContain('scoped:         {job=~".*",project="example"}');
  expect(text).toContain("on Prometheus:  can be evaluated");
  expect(text).toMatch(/warning:\n {4}\{job=~"\.\*"\}\n {4}\^ .*nearly every series/);
});

test("what Prometheus 3 knows, and with which feature, and Prometheus 2 does not", () => {
  expect(explain("m / 5m", {}).text).toContain(
    `Prometheus 3:   can be evaluated
Prometheus 2:   is refused:
    m / 5m
        ^ the duration 5m stands for a number, which only Prometheus 3 knows
`,
  );
  expect(explain("limitk(3, m)", {}).text).toContain(
    `Prometheus 3:   can be evaluated with a feature that is off by default:
    limitk(3, m)
    ^ the function limitk(), which Prometheus knows only with --enable-feature=promql-experimental-functions
`,
  );
});

test("what only Prometheus knows is refused by VictoriaMetrics", () => {
  expect(explain("rate(m[5m*2] smoothed)", {}).text).toContain(
    `VictoriaMetrics: is refused:
    rate(m[5m*2] smoothed)
          ^ the duration 5m * 2, which only Prometheus knows
    rate(m[5m*2] smoothed)
          ^ "smoothed", which only Prometheus knows
`,
  );
});

test("as JSON", () => {
  const { text } = explain('label_set(up, "a", "b")', { output: "json" });
  expect(JSON.parse(text)).toMatchObject({
    valid: true,
    kind: "expression",
    tree: { text: "function label_set", children: [{ text: 'selector __name__="up"' }, {}, {}] },
    labelsNamed: ["__name__", "a"],
    labelsWritten: ["a"],
    notPromql: [{ message: "the function label_set()", pos: 0 }],
    notPromql2: [{ message: "the function label_set()", pos: 0 }],
    notMetricsql: [],
  });
});

describe("what is no MetricsQL", () => {
  test("is shown with a caret at the place, and ends with 2", () => {
    const { text, exitStatus } = explain('up{job="web"', {});
    expect(exitStatus).toBe(2);
    expect(text).toMatch(/^up\{job="web"\n {12}\^ \S.*\n$/);
  });

  test("as JSON", () => {
    const { text, exitStatus } = explain("sum(", { output: "json" });
    expect(exitStatus).toBe(2);
    expect(JSON.parse(text)).toMatchObject({ valid: false, error: { offset: 4, line: 1, column: 5 } });
  });
});

test("escape sequences do not reach the terminal", () => {
  const unsafe = /(?!\n)[\p{Cc}\p{Cf}]/u;
  expect(explain('up{a="\\u001b[31m\u202e"}', {}).text).not.toMatch(unsafe);
  expect(explain('up{a="\u001b[31m\u202e"', {}).text).not.toMatch(unsafe);
});

test("a long chain is explained as far as anybody reads", () => {
  const { exitStatus, text } = explain(Array.from({ length: 3_000 }, () => "a").join("+"), {});
  expect(exitStatus).toBe(0);
  expect(text.split("\n").length).toBeLessThan(250);
  expect(text).toContain("…");
});
