import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expressionText, selectorText, series } from "../../../test/support/store/metricsql-arbitrary.ts";
import { labelsNamed, labelsWritten } from "./analysis/labels.ts";
import { matcher } from "./analysis/matcher.ts";
import { mayOverlap } from "./analysis/overlap.ts";
import { promqlOnly } from "./analysis/promql.ts";
import { isInfoOfAll, scope } from "./analysis/scope.ts";
import { warnings } from "./analysis/warnings.ts";
import type { Expr, Selector } from "./ast/ast.ts";
import { rewrite, walk } from "./ast/visit.ts";
import { MetricsqlSyntaxError, parse } from "./parse/parser.ts";
import { parseTemplate } from "./parse/template-parser.ts";
import { print } from "./print/printer.ts";

/** Most random expressions are valid; the others must be rejected with a MetricsqlSyntaxError. */
function parsed(text: string): Expr | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof MetricsqlSyntaxError)) throw error;
    return undefined;
  }
}

/** The tree without positions, for comparison. */
function bare(expr: Expr): unknown {
  return JSON.parse(
    JSON.stringify(expr, (key, value) => (key === "pos" ? undefined : Object.is(value, -0) ? "-0" : value)),
  );
}

function selectors(expr: Expr): Selector[] {
  const found: Selector[] = [];
  walk(expr, (node) => {
    if (node.type === "selector") found.push(node);
  });
  return found;
}

/** `info(v)` as `info(v, {})`, which reads the same series. */
function withInfoSelectors(expr: Expr): Expr {
  return rewrite(expr, (node) =>
    isInfoOfAll(node)
      ? { ...node, args: [...node.args, { type: "selector", groups: [[]], pos: node.pos }] }
      : node,
  );
}

describe("for random expressions", () => {
  it("printing and parsing come to rest at once", () => {
    let valid = 0;
    fc.assert(
      fc.property(expressionText, (text) => {
        const expr = parsed(text);
        if (!expr) return;
        valid++;
        const printed = print(expr);
        expect(bare(parse(printed))).toEqual(bare(expr));
        expect(print(parse(printed))).toBe(printed);
      }),
      { numRuns: 3000 },
    );
    expect(valid).toBeGreaterThan(1500);
  });

  it("an expression printed with its templates kept means the same", () => {
    fc.assert(
      fc.property(expressionText, (text) => {
        const expr = parsed(text);
        if (!expr) return;
        const template = print(parseTemplate(text));
        expect(print(parse(template))).toBe(print(expr));
        expect(print(parseTemplate(template))).toBe(template);
      }),
      { numRuns: 1000 },
    );
  });

  it("nothing without the filter's label can match a scoped selector", () => {
    fc.assert(
      fc.property(expressionText, fc.array(series, { maxLength: 10 }), (text, all) => {
        const expr = parsed(text);
        if (!expr) return;
        const before = selectors(withInfoSelectors(expr)).map(matcher);
        const after = selectors(scope(expr, [{ label: "t", value: "own" }])).map(matcher);
        expect(after).toHaveLength(before.length);
        for (const labels of all) {
          after.forEach((matches, i) => {
            expect(matches(labels)).toBe(labels["t"] === "own" && before[i]!(labels));
          });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("every selector that is sent to a store has the filter, in both dialects", () => {
    fc.assert(
      fc.property(expressionText, fc.constantFrom("metricsql", "promql"), (text, dialect) => {
        const expr = parsed(text);
        if (!expr) return;
        const sent = print(scope(expr, [{ label: "t", value: "own" }]), dialect);
        const read = parse(sent);
        expect(print(read, dialect)).toBe(sent);
        walk(read, (node) => expect(isInfoOfAll(node)).toBe(false));
        for (const { groups } of selectors(read)) {
          for (const group of groups) expect(group).toContainEqual({ label: "t", op: "=", value: "own" });
        }
        if (dialect === "promql") expect(sent.replace(/"(?:[^"\\]|\\.)*"/g, "")).not.toMatch(/[\\'`#$]/);
      }),
      { numRuns: 3000 },
    );
  });

  it("selectors that match a series in common are said to overlap", () => {
    fc.assert(
      fc.property(selectorText, selectorText, series, (one, other, labels) => {
        const [a, b] = [parsed(one), parsed(other)];
        if (a?.type !== "selector" || b?.type !== "selector") return;
        expect(mayOverlap(a, b)).toBe(mayOverlap(b, a));
        if (matcher(a)(labels) && matcher(b)(labels)) expect(mayOverlap(a, b)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("every question has a response", () => {
    fc.assert(
      fc.property(expressionText, (text) => {
        const expr = parsed(text);
        if (!expr) return;
        expect(rewrite(expr, (node) => node)).toBe(expr);
        for (const { pos } of [...warnings(expr), ...promqlOnly(expr, 2), ...promqlOnly(expr, 3)])
          expect(pos).toBeLessThanOrEqual(text.length);
        for (const label of labelsWritten(expr)) expect(labelsNamed(expr)).toContain(label);
      }),
      { numRuns: 1000 },
    );
  });
});
