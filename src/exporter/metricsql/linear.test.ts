import { expect, it } from "vitest";
import { labelsNamed } from "./analysis/labels.ts";
import { mayOverlap, overlapOf } from "./analysis/overlap.ts";
import { promqlOnly } from "./analysis/promql.ts";
import { rangeRemarks } from "./analysis/range-remarks.ts";
import { scope } from "./analysis/scope.ts";
import { warnings } from "./analysis/warnings.ts";
import type { Expr } from "./ast/ast.ts";
import { parse } from "./parse/parser.ts";
import { caret, MetricsqlSyntaxError } from "./parse/syntax-error.ts";
import { parseTemplate } from "./parse/template-parser.ts";
import { print } from "./print/printer.ts";

/** Half of the text defines something long, the other half uses it often: expanded, it would be quadratic. */
function usedOften(define: (bytes: number) => string, use: string): (bytes: number) => string {
  return (bytes) => `WITH (${define(bytes / 2)}) ${filled(use, bytes / 2)}1`;
}

function filled(piece: string, bytes: number): string {
  return piece.repeat(Math.ceil(bytes / piece.length));
}

/** Pieces that differ by a number. */
function numbered(piece: (index: number) => string, bytes: number): string {
  const one = piece(10_000).length;
  return Array.from({ length: Math.ceil(bytes / one) }, (_, index) => piece(10_000 + index)).join("");
}

function nested(before: string, inner: string, after: string, depth: number): string {
  return before.repeat(depth) + inner + after.repeat(depth);
}

const texts: Readonly<Record<string, (bytes: number) => string>> = {
  "a long filter": (bytes) => `m{a="${filled("x", bytes)}"}`,
  "many filters": (bytes) => `m{${numbered((index) => `a${index}="b",`, bytes)}}`,
  "many filters on one label": (bytes) => `m{${numbered((index) => `a!="${index}",`, bytes)}}`,
  "equal filters": (bytes) => `m{${filled('a="b",', bytes)}}`,
  "many groups": (bytes) => `m{${numbered((index) => `a="${index}" or `, bytes)}c="d"}`,
  "groups of two": (bytes) => `{${numbered((index) => `"m",a="${index}" or `, bytes)}c="d"}`,
  "a long regular expression": (bytes) => `m{a=~"${filled("a|b.c|", bytes)}"}`,
  "regular expressions": (bytes) => `m{${numbered((index) => `a=~"x.*${index}",`, bytes)}}`,
  "regular expressions of many states": (bytes) =>
    `m{${numbered((index) => `a!~"(x?){9}${index}",`, bytes)}}`,
  "groups in a regular expression": (bytes) => `m{a=~"${filled("(?:a)", bytes)}"}`,
  "nested groups in a regular expression": (bytes) => `m{a=~"${nested("(", filled("a", bytes), ")?", 150)}"}`,
  "a class of many ranges": (bytes) => `m{a=~"[${filled("a-c", bytes)}]"}`,
  "a chain": (bytes) => `${numbered((index) => `m${index}+`, bytes)}1`,
  "a chain of selectors": (bytes) => `${numbered((index) => `m{a=~".*${index}"} or `, bytes)}n`,
  "a union": (bytes) => `(${numbered((index) => `m${index},`, bytes)})`,
  "label functions": (bytes) => `label_set(m, ${numbered((index) => `"a${index}", "b",`, bytes)})`,
  "a long string": (bytes) => `label_set(m, "a", "${filled("\\n", bytes)}")`,
  "strings joined": (bytes) => `label_set(m, "a", ${filled('"b"+', bytes)}"c")`,
  "a long name": (bytes) => filled("n", bytes),
  "escapes in a name": (bytes) => filled("\\-", bytes),
  "a grouping": (bytes) => `sum(m) by (${numbered((index) => `a${index},`, bytes)})`,
  "a join": (bytes) => `a * on(${numbered((index) => `a${index},`, bytes)}) group_left(*) prefix "p" b`,
  "a long duration": (bytes) => `m[${filled("1s", bytes)}]`,
  "a sum of durations": (bytes) => `m[${numbered((index) => `${index}s+`, bytes)}1]`,
  "a product of durations": (bytes) => `m offset (${filled("2*-3/", bytes)}1m)`,
  "durations that are cut": (bytes) => `m[1*${filled("1h-", bytes)}1h]`,
  "windows of nested arithmetic": (bytes) =>
    `${filled(`rate(m[${nested("max_of(1, ", "1m", ")", 90)}])+`, bytes)}1`,
  "calls of info()": (bytes) => `${numbered((index) => `info(m, {"n",a="${index}"})+`, bytes)}1`,
  "a long number": (bytes) => `m + ${filled("1", 300)}.${filled("1", bytes)}`,
  comments: (bytes) => `"a" + ${filled("#x\n", bytes)} b`,
  "what is wrong at the end": (bytes) => `${filled("m+\n", bytes)}}`,
  "deep and wide": (bytes) => nested("abs(", `(${filled("m,", bytes)})`, ")", 200),
  "deep and wide, in parentheses": (bytes) => nested("1 + 2 * (", `(${filled("m,", bytes)})`, ")", 60),
  "nested templates with many uses": (bytes) =>
    `WITH (x = y) ${filled("WITH (a = b) ", 220 * 13)}${numbered((index) => `m${index}+`, bytes)}1`,
  "an outer template with many uses": (bytes) =>
    `WITH (x = y) ${filled("WITH (a = b) ", 220 * 13)}${filled("x+", bytes)}1`,
  "many templates": (bytes) => `WITH (${numbered((index) => `x${index} = m{a="b"},`, bytes)}) m`,
  "a selector used often": usedOften((bytes) => `x = {${filled('a="b",', bytes)}}`, "x+"),
  "a selector of different filters used often": usedOften(
    (bytes) => `x = {${numbered((index) => `a${index}="b",`, bytes)}}`,
    "x+",
  ),
  "groups used often": usedOften(
    (bytes) => `x = {${numbered((index) => `a="${index}" or `, bytes)} b="c"}`,
    "x+",
  ),
  "filters used often": usedOften((bytes) => `x = {${numbered((index) => `a="${index}",`, bytes)}}`, "m{x}+"),
  "filters used often in one selector": (bytes) =>
    `WITH (x = {${numbered((index) => `a="${index}",`, bytes / 2)}}) m{${filled("x,", bytes / 2)}}`,
  "groups beside filters": (bytes) =>
    `WITH (x = {${numbered((index) => `a${index}="b",`, bytes / 2)}}) x{${numbered((index) => `c="${index}" or `, bytes / 2)} d="e"}`,
  "a regular expression used often": usedOften((bytes) => `x = {a=~"${filled("(b|.c)", bytes)}"}`, "x+"),
  "a string used often": usedOften((bytes) => `x = "${filled("a", bytes)}"`, "m{a=x}+"),
  "a string used often in one selector": (bytes) =>
    `WITH (x = "${filled("a", bytes / 2)}") m{a="b"${filled("+x", bytes / 2)}}`,
  "a grouping used often": usedOften(
    (bytes) => `x = sum(m) by (${numbered((index) => `a${index},`, bytes)})`,
    "x+",
  ),
  "labels used often": usedOften(
    (bytes) => `x = (${numbered((index) => `a${index},`, bytes)})`,
    "sum(m) by (x)+",
  ),
  "labels used often in one grouping": (bytes) =>
    `WITH (x = (${numbered((index) => `a${index},`, bytes / 2)})) sum(m) by (${filled("x,", bytes / 2)})`,
  "labels used often in joins": usedOften(
    (bytes) => `x = (${numbered((index) => `a${index},`, bytes)})`,
    "a * on(x) group_left(x) ",
  ),
  "a duration used often": usedOften((bytes) => `x = ${filled("1s", bytes)}`, "m[x]+"),
  "a number used often": usedOften((bytes) => `x = 0.${filled("1", bytes)}`, "x+"),
  "a name used often": usedOften((bytes) => `x = ${filled("n", bytes)}`, "x+"),
  "an argument used often": (bytes) =>
    `WITH (f(x) = ${filled("x+", bytes / 2)}1) f(${filled("m+", bytes / 2)}1)`,
  "an argument in strings": (bytes) =>
    `WITH (f(x) = ${filled("m{a=x}+", bytes / 2)}1) f("${filled("a", bytes / 2)}")`,
  "a function of many parameters": (bytes) =>
    `WITH (f(${numbered((index) => `p${index},`, bytes / 3)}) = 1) f(${filled("m,", bytes / 3)})`,
};

/** Every operation on an expression, each as one call. */
const stages: Readonly<Record<string, (expr: Expr) => unknown>> = {
  print,
  scope: (expr) => print(scope(expr, [{ label: "tenant", value: "t" }])),
  labels: labelsNamed,
  warnings: (expr) => warnings(expr),
  "range remarks": rangeRemarks,
  promql: (expr) => promqlOnly(expr, 3),
  overlap: (expr) => (expr.type === "selector" ? overlapOf(expr, expr) : mayOverlap(expr, expr)),
};

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MetricsqlSyntaxError)) throw error;
    caret(" ".repeat(error.offset), error);
    return undefined;
  }
}

/** CPU time of the process, so that other load on the machine does not count. */
function msOf(work: () => unknown): number {
  const before = process.cpuUsage();
  attempt(work);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const smallBytes = 2_000;
const times = 8;
/** Linear work grows by `times`, quadratic work by its square. */
const mostTimes = 16;
/** Shorter times are too small to judge. */
const shortMs = 1;

/**
 * Repeats the measurement while the ratio is too high: a busy machine must not fail the test, and repetition
 * does not make quadratic work linear.
 */
function growth(small: () => unknown, large: () => unknown): number {
  // As long as the large one: the best of many short runs would be much better than their usual one.
  const repeated = () => {
    for (let time = 0; time < times; time++) attempt(small);
  };
  for (let run = 0; run < 3; run++) msOf(small);
  let smallMs = Infinity;
  let largeMs = Infinity;
  let ratio = Infinity;
  for (let run = 0; run < 25; run++) {
    smallMs = Math.min(smallMs, msOf(repeated) / times);
    largeMs = Math.min(largeMs, msOf(large));
    ratio = Math.round(largeMs / Math.max(smallMs, shortMs));
    if (run > 0 && (ratio < mostTimes || largeMs > 2_000)) break;
  }
  return ratio;
}

it.each(Object.entries(texts))("eight times the text takes about eight times as long: %s", (_, text) => {
  const [small, large] = [text(smallBytes), text(smallBytes * times)];
  const grown: Record<string, number> = {};
  const measure = (stage: string, ofSmall: () => unknown, ofLarge: () => unknown) => {
    const ratio = growth(ofSmall, ofLarge);
    if (ratio >= mostTimes) grown[stage] = ratio;
  };
  measure("parseTemplate", ...both((one) => parseTemplate(one), small, large));
  measure("print of templates", ...both((one) => print(parseTemplate(one)), small, large));
  measure("parse", ...both(parse, small, large));
  const [smallExpr, largeExpr] = [attempt(() => parse(small)), attempt(() => parse(large))];
  if (smallExpr !== undefined && largeExpr !== undefined) {
    for (const [stage, work] of Object.entries(stages)) measure(stage, ...both(work, smallExpr, largeExpr));
  }
  expect(grown).toEqual({});
});

function both<T>(work: (input: T) => unknown, small: T, large: T): [() => unknown, () => unknown] {
  return [() => work(small), () => work(large)];
}

it("definitions within definitions are laid out once", () => {
  const text = (depth: number) =>
    `${"WITH (a = ".repeat(depth)}m{${filled('label="value",', 100)}}${") a".repeat(depth)}`;
  const template = (depth: number) => parseTemplate(text(depth));
  expect(growth(...both(print, template(10), template(20)))).toBeLessThan(mostTimes);
});
