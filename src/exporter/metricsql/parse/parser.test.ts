import { describe, expect, it } from "vitest";
import { ACCEPTED, PROMQL, REFUSED } from "../../../../test/integration/metricsql-queries.ts";
import { print } from "../print/printer.ts";
import { MetricsqlSyntaxError, parse } from "./parser.ts";
import { caret } from "./syntax-error.ts";

function refusal(query: string): MetricsqlSyntaxError {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof MetricsqlSyntaxError) return error;
    throw error;
  }
  throw new Error(`accepted: ${query}`);
}

describe("parse", () => {
  it.each([...ACCEPTED, ...PROMQL])("reads $query", ({ query, prints = query }) => {
    expect(print(parse(query))).toBe(prints);
    expect(print(parse(prints))).toBe(prints);
  });

  it.each(REFUSED)("refuses %j", (query) => {
    const { message, offset, line, column } = refusal(query);
    expect(message).not.toBe("");
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset).toBeLessThanOrEqual(query.length);
    expect(line).toBeGreaterThanOrEqual(1);
    expect(column).toBeGreaterThanOrEqual(1);
  });

  it.each<[string, number, number, string]>([
    ["", 1, 1, "unexpected end of the text; expected an expression"],
    ["sum(foo", 1, 8, 'unexpected end of the text; expected an operator, "," or ")"'],
    ["foo\n  bar", 2, 3, 'unexpected "bar"; expected an operator or the end'],
    [
      '{a="é😀", b}',
      1,
      10,
      'unexpected "b"; expected a filter such as b="value", or a template of that name',
    ],
    ["foo{a=1}", 1, 7, 'unexpected "1"; expected a string in quotes'],
    ["foo[x]", 1, 5, 'unexpected "x"; expected a duration such as 5m, or a template of that name'],
    ["foo[5m", 1, 7, 'unexpected end of the text; expected ":" or "]"'],
    ["a + bool b", 1, 5, '"bool" cannot follow "+"; expected it after a comparison only'],
    ["rte(a)", 1, 1, 'unexpected function "rte"; expected a function of MetricsQL or PromQL, "rate" perhaps'],
    ["clamp(a, 1)", 1, 1, "unexpected number of arguments of clamp(): 2; expected 3 arguments"],
    ['label_set(m, a, "b")', 1, 1, "unexpected argument 2 of label_set(); expected a string in quotes"],
    [
      "$job + 1",
      1,
      1,
      'unexpected "$job"; expected its value: variables must be replaced before the query is sent',
    ],
    ["m[5i*2]", 1, 3, 'unexpected "5i"; arithmetic takes durations such as 1h30m, and numbers'],
    ["m[5m*]", 1, 6, 'unexpected "]"; expected a duration such as 5m'],
    ["m[(5m]", 1, 6, 'unexpected "]"; expected an arithmetic operator or ")"'],
    ["m[5m*(-1)] anchored smoothed", 1, 21, '"smoothed" cannot follow "anchored"'],
    ["sum(m) smoothed", 1, 8, '"smoothed" can only follow a series selector'],
    ["info(m, sum(n))", 1, 1, "unexpected argument 2 of info(); expected filters in braces"],
    ['a{b="c', 1, 5, 'unexpected end of the text in a string; expected a closing "'],
  ])("says of %j where and what", (query, line, column, message) => {
    const error = refusal(query);
    expect(error.message).toBe(message);
    expect(error).toMatchObject({ line, column });
  });
});

describe("parse is stricter than VictoriaMetrics", () => {
  it.each([
    // A computed string could name any label.
    'label_set(m, ("a", "a"), "x")',
    'label_set(m, sort("a"), "x")',
    'label_set(m, "a" offset 5m, "x")',
    // Not UTF-8, so no label has this value.
    'm{a="\\xff"}',
    // The number of nodes is bounded.
    `WITH (${Array.from({ length: 20 }, (_, i) => `x${i + 1} = x${i} + x${i}`).join(", ")}) x20`,
    `${"(".repeat(300)}m${")".repeat(300)}`,
  ])("%s", (query) => {
    expect(refusal(query).message).not.toBe("");
  });
});

describe("caret", () => {
  it("points at the place in its line", () => {
    const query = "sum(\n  rate(foo[5m])\n  bar\n)";
    const error = refusal(query);
    expect(caret(query, error)).toBe(`  bar\n  ^ ${error.message}`);
  });

  it("cuts a long line around the place", () => {
    const query = `${"a + ".repeat(100)})`;
    const [line = "", under = ""] = caret(query, refusal(query)).split("\n");
    expect(line.length).toBeLessThan(130);
    expect(line[under.indexOf("^")]).toBe(")");
  });
});
