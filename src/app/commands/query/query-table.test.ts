import { describe, expect, test } from "vitest";
import type { QueryPoint } from "../../../exporter/metrics-store/expressions/query-response.ts";
import { instantTable, plot, rangeTable } from "./query-table.ts";

const grid = { firstMs: 0, lastMs: 9_000, stepMs: 1_000 };

function points(...texts: readonly (string | undefined)[]): QueryPoint[] {
  return texts.flatMap((text, index) => (text === undefined ? [] : [{ timestampMs: index * 1_000, text }]));
}

function series(labels: Record<string, string>, of: readonly QueryPoint[]) {
  return { labels, isUtf8: true, hasHistograms: false, points: of };
}

describe("a plot", () => {
  test.each([
    ["rising", points("0", "1", "2", "3", "4", "5", "6", "7", "7", "7"), "▁▂▃▄▅▆▇███"],
    ["flat", points("5", "5", "5", "5", "5", "5", "5", "5", "5", "5"), "▁▁▁▁▁▁▁▁▁▁"],
    ["with holes", points("0", undefined, undefined, "7"), "▁··█······"],
    ["without height", points("NaN", "+Inf", "1"), "??▁·······"],
    ["of nothing", [], "··········"],
  ])("%s", (_, of, expected) => {
    expect(plot(of, grid)).toBe(expected);
  });

  test("of many points is as wide as a terminal has room for", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ timestampMs: index, text: String(index) }));
    const line = plot(many, { firstMs: 0, lastMs: 999, stepMs: 1 });
    expect(line).toHaveLength(60);
    expect(line).toMatch(/^▁+▂+▃+▄+▅+▆+▇+█+$/);
  });
});

test("a span is a plot with its numbers", () => {
  expect(rangeTable([series({ job: "a" }, points("1", "3", "2")), series({}, [])], grid)).toBe(
    `1970-01-01T00:00:00.000Z to 1970-01-01T00:00:09.000Z, every 1 s
PLOT         MIN   MAX   LAST   SERIES
▁█▅·······   1     3     2      {job="a"}
··········   -     -     -      {}
`,
  );
});

test("one time is a value and its time", () => {
  expect(instantTable([series({ job: "a\u001b[31m" }, points("1.5"))])).toBe(
    `VALUE   TIME                       SERIES
1.5     1970-01-01T00:00:00.000Z   {job="a\\u001b[31m"}
`,
  );
  expect(instantTable([])).toBe("No series found.\n");
  expect(rangeTable([], grid)).toBe("No series found.\n");
});
