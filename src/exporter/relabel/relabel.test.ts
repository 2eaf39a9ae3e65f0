import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RelabelCase, type RelabelOutcome, randomCase } from "../../../test/relabel/cases.ts";
import { ownOutcome, wordedOutcome } from "../../../test/relabel/outcome.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { checkRelabelRules, ruleOf, tenantLabelFault, type WrittenRule } from "./check-rule.ts";
import { LabelBuilder } from "./label-builder.ts";
import { Relabelling } from "./relabel.ts";
import { patternCost, RelabelRegex } from "./relabel-regex.ts";
import { toLower, toUpper } from "./simple-case.ts";

const bounds = { maxLabels: 1_000, maxLength: 65_536 };

function relabel(rules: readonly WrittenRule[], labels: Readonly<Record<string, string>>, tenant?: string) {
  const list = Object.entries(labels).map(([name, value]) => ({ name, value }));
  const builder = new LabelBuilder(list, tenant);
  const result = new Relabelling(rules.map(ruleOf)).apply(builder, bounds);
  return result === "kept"
    ? Object.fromEntries(builder.labels().map(({ name, value }) => [name, value]))
    : result;
}

describe("as Prometheus' own package (recorded by `npm run prove -- relabel --record`)", () => {
  const recorded = fileURLToPath(new URL("../../../test/relabel/recorded.json", import.meta.url));
  const table = JSON.parse(readFileSync(recorded, "utf8")) as (RelabelCase & { outcome: RelabelOutcome })[];
  test("every case", () => {
    expect(table.length).toBe(400);
    const different = table.filter(
      (each) => JSON.stringify(ownOutcome(each)) !== JSON.stringify(wordedOutcome(each.outcome)),
    );
    expect(different).toEqual([]);
  });
});

test("any accepted list of rules ends, and leaves labels with a value only", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { kept, labels } = ownOutcome(randomCase(seededRandom(seed)));
      return !kept || (labels ?? []).every(([, value]) => value !== "");
    }),
    { numRuns: 300 },
  );
});

test.each<[string, string, string]>([
  ["the letters of ASCII", "aBc-1", "abc-1"],
  ["each character by itself", "ΣΑΣ", "σασ"],
  ["only to one character", "İ", "i"],
])("lower case changes %s", (_, text, expected) => {
  expect(toLower(text)).toBe(expected);
});

test.each<[string, string]>([
  ["ß", "ß"],
  ["ﬁ", "ﬁ"],
  ["ᾳᾀᾏ", "ᾼᾈᾏ"],
  ["ı𐐨", "I𐐀"],
])("upper case of %s is %s", (text, expected) => {
  expect(toUpper(text)).toBe(expected);
});

describe("what a tenant's rules cannot do", () => {
  test.each<[string, WrittenRule]>([
    ["labelmap", { action: "labelmap", regex: "(.*)_id", replacement: "project" }],
    [
      "labelmap to a name that becomes it",
      { action: "labelmap", regex: "team_id", replacement: "project$2" },
    ],
    ["a target from a value", { sourceLabels: ["want"], targetLabel: "$1", replacement: "other" }],
    ["a target that becomes it", { sourceLabels: ["odd"], targetLabel: "$1", replacement: "other" }],
  ])("write the tenant label by %s", (_, rule) => {
    const labels = { team_id: "x", want: "project", odd: "pro.ject" };
    expect(relabel([rule], labels, rule.sourceLabels?.[0] === "odd" ? "pro_ject" : "project")).toEqual(
      labels,
    );
  });

  test.each<[string, WrittenRule, string | undefined]>([
    ["writes it", { sourceLabels: ["a"], targetLabel: "project" }, "targetLabel"],
    ["writes what becomes it", { sourceLabels: ["a"], targetLabel: "pro-ject" }, undefined],
    ["reads it", { sourceLabels: ["project"], targetLabel: "b" }, "sourceLabels"],
    ["maps to it", { action: "labelmap", regex: "a", replacement: "project" }, "replacement"],
    ["leaves it alone", { action: "labeldrop", regex: ".*" }, undefined],
  ])("is refused where it is named: a rule that %s", (_, rule, field) => {
    expect(tenantLabelFault(ruleOf(rule), "project")?.[0]).toBe(field);
  });
});

describe("bounds", () => {
  const long = "x".repeat(60_000);
  test.each<[string, readonly WrittenRule[], Readonly<Record<string, string>>, string]>([
    ["a value doubled", [double()], { a: long }, "too_long"],
    ["a value of many references", [{ ...double(), replacement: "$1".repeat(512) }], { a: long }, "too_long"],
    ["labels doubled again and again", mapping(10), { a: "x", b: "y" }, "too_many"],
    [
      "a large pattern on a long value",
      [{ sourceLabels: ["a"], regex: "(x|y|z){100}(.*)", action: "keep" }],
      { a: long },
      "too_costly",
    ],
    ["many joined values", Array(50).fill(joined()), { a: long }, "too_costly"],
  ])("%s", (_, rules, labels, expected) => {
    expect(relabel(rules, labels)).toBe(expected);
  });

  test("ordinary rules on a long value are within them", () => {
    const rules = Array<WrittenRule>(10).fill({ sourceLabels: ["a"], targetLabel: "b", regex: "x(.*)" });
    expect(relabel(rules, { a: "x".repeat(2_000) })).toEqual({ a: "x".repeat(2_000), b: "x".repeat(1_999) });
  });

  test.each<[string, string, string | undefined]>([
    ["a name", "http_requests_total|up", undefined],
    ["classes", "[[:alpha:]]\\p{Greek}+", undefined],
    ["a repeated class of Unicode", "\\pL{900}", "too large"],
    ["nested repetitions", "((a?){30}){30}b", "too large"],
    ["repetitions beyond RE2's", "(a{1000}){1000}", "RE2"],
    ["lookahead", "(?=a)", "RE2"],
    ["a parenthesis that ends the anchored group", "a)|(b", "RE2"],
  ])("patterns: %s", (_, regex, expected) => {
    const [fault] = checkRelabelRules([{ sourceLabels: ["a"], targetLabel: "b", regex }]);
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatchObject({ field: "regex", message: expect.stringContaining(expected) });
  });

  test.each<[string, string, number]>([
    ["text", "http_requests_total|up", 30],
    ["alternatives that begin differently", "go_.*|process_.*|jvm_.*", 120],
    ["a repetition at the end", "x(.*)", 40],
    ["repetitions that are all active at once", ".*a".repeat(50), 1_500],
    ["alternatives that are all active at once", ".*|".repeat(50), 1_000],
    ["a text after a repetition", `a*${"b?".repeat(40)}`, 800],
    ["a repetition of repetitions", "(?:a*){9}", 200],
    ["groups", "(.*?)".repeat(7), 250],
  ])("steps of a character: %s", (_, pattern, about) => {
    const { steps } = new RelabelRegex(pattern);
    expect(steps).toBeGreaterThan(about / 2);
    expect(steps).toBeLessThan(about * 2);
  });

  test.each<[string, readonly WrittenRule[], Readonly<Record<string, string>>]>([
    [
      "repetitions on 64 KiB",
      [{ sourceLabels: ["a"], regex: ".*a".repeat(40), action: "drop" }],
      { a: long },
    ],
    [
      "a name and a value of many references in each rule",
      Array.from({ length: 50 }, (_, index) => ({
        ...{ sourceLabels: ["a"], targetLabel: `t${index}`, replacement: "$1".repeat(500) },
      })),
      { a: "x".repeat(100) },
    ],
    [
      "all names in each of many rules",
      Array<WrittenRule>(50).fill({ regex: "b.*", action: "labeldrop" }),
      Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`a${index}`, "x"])),
    ],
  ])("%s are too costly", (_, rules, labels) => {
    expect(relabel(rules, labels)).toBe("too_costly");
  });

  test("rules that are prepared do the same", async () => {
    const ready = new Relabelling([ruleOf({ sourceLabels: ["a"], targetLabel: "b", regex: "x(.*)" })]);
    await ready.prepare();
    await ready.prepare();
    const labels = new LabelBuilder([{ name: "a", value: "xy" }]);
    expect(ready.apply(labels, { maxLabels: 10, maxLength: 10 })).toBe("kept");
    expect(labels.get("b")).toBe("y");
  });

  test("all patterns of a list together", () => {
    const rule = { action: "drop", sourceLabels: ["a"], regex: "a".repeat(900) };
    expect(checkRelabelRules(Array(5).fill(rule))).toEqual([]);
    expect(checkRelabelRules(Array(7).fill(rule))).toEqual([
      { index: 5, field: "regex", message: expect.stringContaining("together") },
    ]);
  });
});

test("every pattern that is accepted compiles", () => {
  const atom = fc.constantFrom(
    ..."a . \\d \\b [a-z] ( (?: ) | * + ? {2} {1,3} {0} ^ $ (?i) (?m: \\pL \\Q \\E (?P<n> ] [ \\ - é {1000} \\C".split(
      " ",
    ),
  );
  fc.assert(
    fc.property(fc.array(atom, { maxLength: 7 }), (atoms) => {
      const pattern = atoms.join("");
      if (!("problem" in patternCost(pattern))) new RelabelRegex(pattern).matches("a");
    }),
    { numRuns: 2_000 },
  );
});

function double(): WrittenRule {
  return { sourceLabels: ["a", "a"], separator: "", targetLabel: "a" };
}

function joined(): WrittenRule {
  return { action: "hashmod", sourceLabels: Array<string>(20).fill("a"), targetLabel: "h", modulus: 2 };
}

function mapping(times: number): WrittenRule[] {
  return Array.from({ length: times }, (_, index) => ({
    action: "labelmap",
    regex: "(.*)",
    replacement: `\${1}_${index}`,
  }));
}
