import { labelsNamed, labelsWritten } from "../../../exporter/metricsql/analysis/labels.ts";
import { notMetricsql } from "../../../exporter/metricsql/analysis/not-metricsql.ts";
import { type PromqlRemark, promqlOnly } from "../../../exporter/metricsql/analysis/promql.ts";
import { rangeRemarks } from "../../../exporter/metricsql/analysis/range-remarks.ts";
import { scope } from "../../../exporter/metricsql/analysis/scope.ts";
import { type Remark, warnings } from "../../../exporter/metricsql/analysis/warnings.ts";
import type { Expr, LabelFilter } from "../../../exporter/metricsql/ast/ast.ts";
import { kind } from "../../../exporter/metricsql/ast/kind.ts";
import { children } from "../../../exporter/metricsql/ast/visit.ts";
import { MetricsqlSyntaxError, parse } from "../../../exporter/metricsql/parse/parser.ts";
import { caret } from "../../../exporter/metricsql/parse/syntax-error.ts";
import { print } from "../../../exporter/metricsql/print/printer.ts";
import { printedJson } from "../printed-json.ts";
import { printable } from "../table.ts";

export interface ExplainOptions {
  readonly output?: "text" | "json";
  /** The label that identifies projects, and the project that the query is confined to. */
  readonly tenant?: { readonly label: string; readonly value: string };
}

export interface ExplainResult {
  /** The complete output, with a trailing line break. */
  readonly text: string;
  readonly exitStatus: 0 | 2;
}

/** The default tenant, an example of how confining changes the query. */
const exampleTenant = { label: "project", value: "example" };

/**
 * `telemetryd explain QUERY`: explains a MetricsQL query offline: its tree, how it is exported, its form when
 * confined to a project, and remarks. A syntax error is shown with a caret; exit status 2.
 */
export function explain(query: string, { output, tenant = exampleTenant }: ExplainOptions): ExplainResult {
  let expr: Expr;
  try {
    expr = parse(query);
  } catch (error) {
    if (!(error instanceof MetricsqlSyntaxError)) throw error;
    return {
      text: output === "json" ? printedJson(errorOf(error)) : textOfError(query, error),
      exitStatus: 2,
    };
  }
  const explanation = explanationOf(expr, tenant);
  return {
    text: output === "json" ? printedJson(explanation) : textOf(query, explanation),
    exitStatus: 0,
  };
}

interface Explanation {
  readonly valid: true;
  readonly query: string;
  readonly kind: "selector" | "expression";
  readonly tree: TreeNode;
  readonly scoped: string;
  readonly labelsNamed: readonly string[];
  readonly labelsWritten: readonly string[];
  readonly warnings: readonly Remark[];
  /** Reasons why Prometheus 3 would reject the query; empty if it would accept it. */
  readonly notPromql: readonly PromqlRemark[];
  /** The same for Prometheus 2. */
  readonly notPromql2: readonly PromqlRemark[];
  /** Reasons why VictoriaMetrics would reject it. */
  readonly notMetricsql: readonly Remark[];
}

interface TreeNode {
  readonly text: string;
  readonly children: readonly TreeNode[];
}

function explanationOf(expr: Expr, tenant: { readonly label: string; readonly value: string }): Explanation {
  return {
    valid: true,
    query: print(expr),
    kind: kind(expr),
    tree: treeOf(expr),
    scoped: print(scope(expr, [tenant])),
    labelsNamed: labelsNamed(expr),
    labelsWritten: labelsWritten(expr),
    warnings: [...warnings(expr), ...rangeRemarks(expr)].sort((a, b) => a.pos - b.pos),
    // A plain selector is exported raw, alternatives included.
    notPromql: kind(expr) === "selector" ? [] : promqlOnly(expr, 3),
    notPromql2: kind(expr) === "selector" ? [] : promqlOnly(expr, 2),
    notMetricsql: notMetricsql(expr),
  };
}

function errorOf({ message, offset, line, column }: MetricsqlSyntaxError) {
  return { valid: false, error: { message, offset, line, column } };
}

function textOfError(query: string, error: MetricsqlSyntaxError): string {
  return `${caret(query, error)}\n`;
}

function textOf(query: string, explanation: Explanation): string {
  const { warnings: found } = explanation;
  const parts = [
    ["query", printable(explanation.query)],
    ["kind", kindTexts[explanation.kind]],
    ["scoped", printable(explanation.scoped)],
    ["labels named", list(explanation.labelsNamed)],
    ["labels written", list(explanation.labelsWritten)],
  ] as const;
  return [
    ...parts.map(([title, text]) => line(title, text)),
    ...prometheusTexts(query, explanation),
    ...(explanation.notMetricsql.length === 0
      ? []
      : [line("VictoriaMetrics", verdictOf(explanation.notMetricsql))]),
    ...explanation.notMetricsql.map((remark) => remarkText(query, remark)),
    "\n",
    treeLines(explanation.tree).join(""),
    ...(found.length === 0 ? [] : ["\n"]),
    ...found.map((remark) => `warning:\n${remarkText(query, remark)}`),
  ].join("");
}

/** One text for both versions if the remarks are the same. */
function prometheusTexts(query: string, { notPromql, notPromql2 }: Explanation): string[] {
  const of = (name: string, remarks: readonly PromqlRemark[]): string[] => [
    line(name, verdictOf(remarks)),
    ...remarks.map((remark) => remarkText(query, remark)),
  ];
  const isSame = JSON.stringify(notPromql) === JSON.stringify(notPromql2);
  return isSame
    ? of("on Prometheus", notPromql)
    : [...of("Prometheus 3", notPromql), ...of("Prometheus 2", notPromql2)];
}

function verdictOf(remarks: readonly (Remark | PromqlRemark)[]): string {
  if (remarks.length === 0) return "can be evaluated";
  const isInvalid = remarks.some((remark) => !("feature" in remark));
  return isInvalid ? "is refused:" : "can be evaluated with a feature that is off by default:";
}

function line(title: string, text: string): string {
  return `${`${title}:`.padEnd(15)} ${text}\n`;
}

const kindTexts = {
  selector: "a series selector: raw samples are exported, as they are stored",
  expression: "an expression: evaluated on a grid of times, and the results exported",
};

function list(labels: readonly string[]): string {
  return labels.length === 0 ? "none" : printable(labels.join(", "));
}

function remarkText(query: string, { message, pos }: Remark): string {
  return `${caret(query, { message, offset: pos }).replace(/^/gm, "    ")}\n`;
}

/** Operator chains may be thousands of levels deep; beyond this the tree is unreadable. */
const maxDepth = 100;

function treeOf(expr: Expr, depth = 0): TreeNode {
  if (depth === maxDepth) return { text: "…", children: [] };
  return { text: nodeText(expr), children: children(expr).map((part) => treeOf(part, depth + 1)) };
}

/** A node without its children. */
function nodeText(expr: Expr): string {
  switch (expr.type) {
    case "number":
      return `number ${expr.text}`;
    case "string":
      return `string ${JSON.stringify(expr.value)}`;
    case "duration":
      return `duration ${expr.duration.text}`;
    case "selector":
      return `selector ${expr.groups.map((group) => group.map(filterText).join(", ") || "everything").join(" or ")}`;
    case "rollup":
      return `rollup${rollupText(expr)}`;
    case "union":
      return "union";
    case "binary": {
      const matching = expr.matching && ` ${expr.matching.op}(${expr.matching.labels.join(", ")})`;
      const join = expr.join && ` ${expr.join.op}(${expr.join.labels.join(", ")})`;
      return `operator ${expr.op}${expr.bool ? " bool" : ""}${matching ?? ""}${join ?? ""}`;
    }
    case "aggregate": {
      const grouping = expr.grouping && ` ${expr.grouping.op} (${expr.grouping.labels.join(", ")})`;
      const limit = expr.limit === undefined ? "" : ` limit ${expr.limit}`;
      return `aggregate ${expr.name}${grouping ?? ""}${limit}`;
    }
    case "call":
      return `function ${expr.name}${expr.keepMetricNames ? " keep_metric_names" : ""}`;
  }
}

function filterText({ label, op, value }: LabelFilter): string {
  return `${label}${op}${JSON.stringify(value)}`;
}

function rollupText({
  window,
  subquery,
  step,
  extension,
  offset,
  at,
}: Extract<Expr, { type: "rollup" }>): string {
  const range = window || subquery ? ` [${window?.text ?? ""}${subquery ? `:${step?.text ?? ""}` : ""}]` : "";
  const extended = extension ? `${range} ${extension}` : range;
  return `${extended}${offset ? ` offset ${offset.text}` : ""}${at ? " @ (the second part)" : ""}`;
}

/** The tree with its branches drawn; `lead` is the prefix of the children's lines. */
function treeLines({ text, children: parts }: TreeNode, lead = ""): string[] {
  const lines = parts.flatMap((part, index) => {
    const isLast = index === parts.length - 1;
    const [first = "", ...others] = treeLines(part, `${lead}${isLast ? "   " : "│  "}`);
    return [`${lead}${isLast ? "└─ " : "├─ "}${first}`, ...others];
  });
  return [`${printable(text)}\n`, ...lines];
}
