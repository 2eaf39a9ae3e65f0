import { describe, expect, test } from "vitest";
import { checkMetricsql } from "./metricsql-source.ts";

describe("series selectors are sources", () => {
  test.each(["up", '{job="web"}', 'http_requests_total{code=~"5.."}', '{a="b" or c="d"}'])("%s", (text) => {
    expect(checkMetricsql(text)).toBeUndefined();
  });
});

describe("expressions are not, for now", () => {
  test.each(["rate(up[5m])", "up[5m]", "up offset 5m", "a + b", "1", "sum(up) by (job)"])("%s", (text) => {
    expect(checkMetricsql(text)?.message).toMatch(/^must be one series selector such as/);
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
