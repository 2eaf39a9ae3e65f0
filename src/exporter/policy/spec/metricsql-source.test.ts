import { describe, expect, test } from "vitest";
import { checkMetricsql } from "./metricsql-source.ts";

describe("series selectors are sources", () => {
  test.each(["up", '{job="web"}', 'http_requests_total{code=~"5.."}', '{a="b" or c="d"}'])("%s", (text) => {
    expect(checkMetricsql(text)).toBeUndefined();
  });
});

describe("so are expressions", () => {
  test.each(["rate(up[5m])", "up[5m]", "up offset 5m", "a + b", "1", "sum(up) by (job)"])("%s", (text) => {
    expect(checkMetricsql(text)).toBeUndefined();
  });
});

describe("the label that distinguishes projects", () => {
  test.each([
    'up{project="web"}',
    'up{project!="web"}',
    "sum(up) by (project)",
    'label_set(up, "project", "web")',
    'a * on(job) group_left(*) prefix "pro" b',
    "a * on(project) b",
  ])("must not be named: %s", (text) => {
    expect(checkMetricsql(text)).toBeUndefined();
    expect(checkMetricsql(text, "")).toBeUndefined();
    expect(checkMetricsql(text, "project")?.message).toMatch(/^must not name the label project/);
  });

  test("cannot be forced on the labels that info() adds unless these are named", () => {
    expect(checkMetricsql("sum(info(up))")).toBeUndefined();
    expect(checkMetricsql('info(up, {version=~".+"})', "project")).toBeUndefined();
    expect(checkMetricsql('info(up, {project="web"})', "project")?.message).toMatch(
      /^must not name the label/,
    );
    expect(checkMetricsql("sum(info(up))", "project")).toEqual({
      message: expect.stringMatching(/^must name the labels that info\(\) adds/),
      excerpt: "sum(info(up))\n    ^",
    });
  });

  test("must not be named otherwise than receivers get it", () => {
    expect(checkMetricsql('label_set(up, "pro-ject", "web")', "pro_ject")?.message).toMatch(
      /^must not name the label pro_ject/,
    );
  });

  test.each(["up", 'up{job="project"}', "sum(up) by (projects)"])("is not named in %s", (text) => {
    expect(checkMetricsql(text, "project")).toBeUndefined();
  });
});

test("what is no MetricsQL is shown with a caret at the place", () => {
  expect(checkMetricsql('up{job="web"')).toEqual({
    message: expect.stringMatching(/^is not MetricsQL: .* \(column 13\)$/),
    excerpt: 'up{job="web"\n            ^',
  });
  expect(checkMetricsql("{\n  job=,\n}")).toEqual({
    message: expect.stringMatching(/ \(line 2, column 7\)$/),
    excerpt: "  job=,\n      ^",
  });
});
