import { describe, expect, it } from "vitest";
import type { Expr } from "./ast/ast.ts";
import { MetricsqlSyntaxError, parse } from "./parse/parser.ts";
import { print } from "./print/printer.ts";

const pieces = [
  ..."{}[]()<>,@:=!~+-*/%^#$'\"`\\.; \n\t_0159azAZ",
  ...[
    "foo",
    "m",
    "1.5",
    "0x1f",
    "1e",
    "5m",
    "5i",
    "1h-2m",
    "Ki",
    "inf",
    "NaN",
    "é",
    "😀",
    "\u0000",
    "\ud800",
    "\\x41",
  ],
  ...[
    "or",
    "and",
    "unless",
    "default",
    "if",
    "ifnot",
    "atan2",
    "bool",
    "on(",
    "ignoring(",
    "group_left(*) ",
    "prefix ",
  ],
  ...[
    "by (",
    "without(",
    "limit 3",
    "offset ",
    "keep_metric_names",
    "fill(0)",
    "WITH (",
    "x = ",
    "f(x) = ",
    "ct = {a='b'}",
  ],
  ...[
    "sum(",
    "rate(",
    "label_set(",
    "topk(3, ",
    "clamp(m, 1, 2)",
    "end()",
    '"s"',
    "'t'",
    "`r`",
    '{a="b"',
    "[5m]",
    "[5m:1m]",
  ],
  ...["[5m*", "1h-2m]", "step()", "max_of(", "smoothed", "info(", "</"],
  ...['a=~"x|y"', 'a!~"[a-z"', "==", "!=", ">=", "=~", "$__interval", "$x", " ", " ", " "],
];

/** Seeded random numbers (mulberry32), so that a failure can be reproduced. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("random input", () => {
  it("is parsed, or refused by a MetricsqlSyntaxError, 100,000 times", { timeout: 300_000 }, () => {
    const random = randomNumbers(20_261_121);
    let accepted = 0;
    for (let run = 0; run < 100_000; run++) {
      let text = "";
      for (let length = Math.floor(random() * 14); length >= 0; length--) {
        text += pieces[Math.floor(random() * pieces.length)];
      }
      try {
        const printed = print(parse(text));
        accepted++;
        if (print(parse(printed)) !== printed) throw new Error("the printed form prints differently");
      } catch (error) {
        if (!(error instanceof MetricsqlSyntaxError))
          throw new Error(`with ${JSON.stringify(text)}`, { cause: error });
      }
    }
    expect(accepted).toBeGreaterThan(500);
  });
});

function parsed(text: string): Expr | undefined {
  try {
    return parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(MetricsqlSyntaxError);
    return undefined;
  }
}

const maxLength = 16 * 1024;

function filled(piece: string, before = "", after = ""): string {
  return before + piece.repeat(Math.floor((maxLength - before.length - after.length) / piece.length)) + after;
}

/** Templates that each use the previous one twice, and the like. */
function doubling(use: (name: string) => string, first: string, last = (name: string) => name): string {
  const definitions = Array.from({ length: 30 }, (_, i) => `x${i + 1} = ${use(`x${i}`)}`);
  return `WITH (x0 = ${first}, ${definitions.join(", ")}) ${last("x30")}`;
}

describe("hostile input of 16 KiB takes less than 50 ms", () => {
  it.each<[string, string]>([
    ["parentheses", filled("(")],
    ["parentheses, closed", "(".repeat(maxLength / 2) + ")".repeat(maxLength / 2)],
    ["braces", filled("{")],
    ["brackets", filled("[")],
    ["calls", filled("f(")],
    ["aggregates", filled("sum(")],
    ["aggregates by", filled("sum by (a) (")],
    ["signs", filled("-")],
    ["signs of an instant", filled("-", "m @ ")],
    ["instants", filled("@(m", "m")],
    ["powers", filled("a^", "", "a")],
    ["a chain", filled("a+", "", "a")],
    ["a chain of words", filled("a or ", "", "a")],
    ["a chain of two strengths", filled("a+b*c-d/", "", "a")],
    ["comparisons", filled("a==", "", "a")],
    ["strings", filled('"a"+', "", '"b"')],
    ["strings and names", filled('"a"+b+', "", '"b"')],
    ["quotes", filled('"')],
    ["backslashes", filled("\\")],
    ["an open string", filled("\\\\", '"')],
    ["an open comment", filled("#")],
    ["comments", filled("#\n")],
    ["blanks", filled(" ")],
    ["digits", filled("1")],
    ["digits and underscores", filled("1_")],
    ["an unfinished duration", filled("1h", "", "1")],
    ["durations that are none", filled("1h-1")],
    ["units", filled("1s-1", "", "x")],
    ["parentheses in a window", filled("(", "m[")],
    ["signs in a window", filled("-", "m[1+", "1]")],
    ["powers in a window", filled("2^", "m[", "2]")],
    ["sums in a window", filled("5m+", "m[", "5m]")],
    ["calls in an offset", filled("min_of(", "m offset ")],
    ["cuts in a window", filled("1h-", "m[2*", "1h]")],
    ["calls of info", filled("info(")],
    ["windows", filled("[5m]", "m")],
    ["subqueries", filled("(", "", "m") + "[5m:1m])".repeat(10)],
    ["filters", filled('a="b",', "m{", "}")],
    ["different filters", `m{${Array.from({ length: 1500 }, (_, i) => `a${i}="b"`).join(",")}}`],
    ["groups of filters", filled('a="b" or ', "m{", 'c="d"}')],
    ["names in groups", filled('"m" or ', "{", '"n"}')],
    ["regular expressions", filled('a=~"(a*)*b",', "m{", "}")],
    ["one regular expression", `m{a=~"${filled("(a*)*")}"}`],
    ["a deep regular expression", `m{a=~"${filled("(")}"}`],
    ["nested repetitions", `m{a=~"${"(".repeat(100)}a${"{10})".repeat(100)}"}`],
    ["character classes", `m{a=~"${filled("[a-z")}"}`],
    ["braces in a regular expression", `m{a=~"${filled("{1")}"}`],
    ["quoted parts of a regular expression", `m{a=~"${filled("\\\\Q")}"}`],
    ["templates", filled("with (a = b) ", "", "a")],
    ["definitions", `with (${filled("a", "", "=1")}) 1`],
    [
      "many definitions, many uses",
      `with (${Array.from({ length: 900 }, (_, i) => `a${i}=1`)}) ${"b+".repeat(4000)}b`,
    ],
    ["parameters", `with (f(${Array.from({ length: 2800 }, (_, i) => `a${i}`)}) = 1) 1`],
    ["doubling sums", doubling((x) => `${x} + ${x}`, "m")],
    ["doubling arguments", doubling((x) => `max(${x}, ${x})`, "m")],
    [
      "doubling strings",
      doubling(
        (x) => `${x} + ${x}`,
        '"a"',
        (x) => `m{a=${x}}`,
      ),
    ],
    [
      "doubling filters",
      doubling(
        (x) => `{${x}, ${x}}`,
        '{a="b"}',
        (x) => `m{${x}}`,
      ),
    ],
    ["doubling functions", `WITH (f(x) = x + x) ${"f(".repeat(100)}m${")".repeat(100)}`],
    ["doubling groups", doubling((x) => `${x}{c="d" or e="f"}`, '{a="b"}')],
    [
      "deep functions",
      doubling((x) => `f(f(f(f(${x}))))`, "m").replace("WITH (", "WITH (f(x) = abs(abs(abs(x))), "),
    ],
    ["unicode", filled("é")],
    ["lone surrogates", filled("\ud83d")],
    ["escapes in a name", filled("\\u00e9")],
    ["labels", filled("a,", "sum(m) by (", "a)")],
    ["escapes in a string", filled("\\xc3\\xa9", '"', '"')],
  ])("%s", (_, text) => {
    let expr: Expr | undefined;
    let best = Number.POSITIVE_INFINITY;
    // The best of many runs, so that a busy machine does not fail the test.
    for (let run = 0; run < 40 && best >= 50; run++) {
      const start = performance.now();
      expr = parsed(text);
      best = Math.min(best, performance.now() - start);
    }
    expect(best).toBeLessThan(50);
    if (expr) expect(print(parse(print(expr)))).toBe(print(expr));
  });

  it("accepts what is long but not deep", () => {
    const sum = filled("a+", "", "a");
    expect(print(parse(sum))).toBe(sum.replaceAll("+", " + "));
  });
});
