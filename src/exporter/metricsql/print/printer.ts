import type {
  Aggregate,
  Binary,
  Call,
  Duration,
  Expr,
  Grouping,
  Join,
  LabelFilter,
  Matching,
  Rollup,
  Union,
} from "../ast/ast.ts";
import { isAggregate } from "../ast/functions.ts";
import { quoteString } from "../ast/literals.ts";
import { escapeName, isPlainName, isReserved, precedence } from "../ast/words.ts";
import type {
  Definition,
  StringPart,
  Template,
  TemplateDuration,
  TemplateFilter,
} from "../parse/template-ast.ts";

/** Printable trees: the results of `parse`, and unexpanded templates. */
type Printable = Expr | Template;

type AnyFilter = LabelFilter | TemplateFilter;
type AnyRollup = Rollup<Printable, TemplateDuration>;
type AnyBinary = Binary<Printable, string | readonly StringPart[]>;
type AnyCall = Call<Printable> | Aggregate<Printable>;

/** Both differ in how they write label names that are not plain, and in `info()`. */
export type Dialect = "metricsql" | "promql";

/**
 * Prints the expression in its one canonical form, on one line. Parsing and printing the output gives the
 * same text, and it means the same to every version of VictoriaMetrics that knows its features. Operands that
 * are operators are put in parentheses, except the left side of a chain of one precedence.
 */
export function print(expr: Printable, dialect: Dialect = "metricsql"): string {
  switch (expr.type) {
    case "number":
      return expr.text;
    case "string":
      return quoteString(expr.value);
    case "concat":
      return printParts(expr.parts);
    case "duration":
      return printDuration(expr.duration);
    case "selector":
      return printSelector(splitName(expr.groups), dialect);
    case "rollup": {
      const inner = print(expr.expr, dialect);
      return (isSimple(expr.expr) ? inner : `(${inner})`) + printSuffix(expr, dialect);
    }
    case "call":
    case "aggregate":
      return expr.name + printArgs(expr, dialect) + printTail(expr, dialect);
    case "union":
      return printArgs(expr, dialect);
    case "binary":
      return printBinary(expr, dialect);
    case "with": {
      const definitions = expr.definitions.map((one) => `${printHead(one)} = ${print(one.body)}`);
      return `WITH (${definitions.join(", ")}) ${print(expr.body)}`;
    }
  }
}

function printArgs(node: AnyCall | Union<Printable>, dialect: Dialect): string {
  const args = node.args.map((arg, index) =>
    arg.type === "selector" && isInBraces(node, index)
      ? printSelector({ name: "", rest: arg.groups }, dialect)
      : print(arg, dialect),
  );
  return `(${args.join(", ")})`;
}

/** Whether the argument is `info()`'s second one, of which PromQL has no name before the braces. */
function isInBraces(node: AnyCall | Union<Printable>, index: number): boolean {
  return node.type === "call" && index === 1 && node.name.toLowerCase() === "info";
}

/** Loops over the left operands: chains of operators may be very long. */
function printBinary(expr: AnyBinary, dialect: Dialect): string {
  const pieces: string[] = [];
  let node = expr;
  for (;;) {
    const right = print(node.right, dialect);
    pieces.push(` ${printOperator(node, dialect)} ${needsParens(node.right) ? `(${right})` : right}`);
    const chained = chainedLeft(node);
    if (!chained) break;
    node = chained;
  }
  const left = print(node.left, dialect);
  const first = needsParens(node.left) || isTightNegative(node) ? `(${left})` : left;
  const text = first + pieces.reverse().join("");
  return expr.keepMetricNames ? `(${text}) keep_metric_names` : text;
}

/** The left side, if it can start a chain without parentheses: `a - b + c`. */
function chainedLeft({ op, left }: AnyBinary): AnyBinary | undefined {
  if (left.type !== "binary" || left.keepMetricNames || op === "^") return undefined;
  return precedence(left.op) === precedence(op) ? left : undefined;
}

/** In `(-2) ^ x` and `(-2) * x` the sign would otherwise apply to the whole. */
function isTightNegative({ op, left }: AnyBinary): boolean {
  return left.type === "number" && left.text.startsWith("-") && precedence(op) > precedence("-");
}

/** Whether an operand needs parentheses. */
function needsParens(operand: Printable): boolean {
  switch (operand.type) {
    case "rollup":
      return operand.offset !== undefined || operand.at !== undefined || operand.extension !== undefined;
    case "call":
      return operand.keepMetricNames;
    case "concat":
      return operand.parts.length > 1;
    default:
      return operand.type === "binary" || operand.type === "with";
  }
}

/** Whether the expression needs no parentheses before a suffix (`[5m]`, `@ t`) or after `@`. */
function isSimple(expr: Printable): boolean {
  switch (expr.type) {
    case "binary":
    case "rollup":
    case "with":
      return false;
    case "concat":
      return expr.parts.length === 1;
    case "aggregate":
      return !expr.grouping && expr.limit === undefined;
    case "number":
      return !expr.text.startsWith("-");
    default:
      return true;
  }
}

/** `[window:step] smoothed offset d @ t`. */
function printSuffix(
  { window, subquery, step, extension, offset, at }: AnyRollup,
  dialect?: Dialect,
): string {
  let suffix = "";
  if (window || subquery) {
    const colon = subquery ? `:${step ? printDuration(step) : ""}` : "";
    suffix += `[${window ? printDuration(window) : ""}${colon}]`;
  }
  if (extension) suffix += ` ${extension}`;
  if (offset) suffix += ` offset ${printOffset(offset)}`;
  if (at) suffix += ` @ ${printInstant(at, dialect)}`;
  return suffix;
}

/** PromQL takes a negative number without parentheses only. */
function printInstant(at: Printable, dialect: Dialect | undefined): string {
  const text = print(at, dialect);
  return isSimple(at) || (at.type === "number" && dialect === "promql") ? text : `(${text})`;
}

/** In parentheses, since after `offset` PromQL takes a single term. */
function printOffset(duration: Duration | TemplateDuration): string {
  const text = printDuration(duration);
  return "arithmetic" in duration && !/^(?:step|range)\(\)$/.test(text) ? `(${text})` : text;
}

function printDuration(duration: Duration | TemplateDuration): string {
  return "reference" in duration ? escapeName(duration.reference) : duration.text;
}

/** The text after a call's arguments. */
function printTail(call: AnyCall, dialect?: Dialect): string {
  if (call.type === "call") return call.keepMetricNames ? " keep_metric_names" : "";
  const grouping = call.grouping ? ` ${printLabels(call.grouping, dialect)}` : "";
  return call.limit === undefined ? grouping : `${grouping} limit ${call.limit}`;
}

/** An operator with all its modifiers. */
function printOperator({ op, bool, matching, join, fill }: AnyBinary, dialect?: Dialect): string {
  let operator: string = op;
  if (bool) operator += " bool";
  if (matching) operator += ` ${printLabels(matching, dialect)}`;
  if (join) operator += ` ${printLabels(join, dialect)}`;
  const { prefix } = join ?? {};
  if (prefix !== undefined)
    operator += ` prefix ${typeof prefix === "string" ? quoteString(prefix) : printParts(prefix)}`;
  if (fill?.left && fill.left === fill.right) operator += ` fill(${fill.left.text})`;
  else {
    if (fill?.left) operator += ` fill_left(${fill.left.text})`;
    if (fill?.right) operator += ` fill_right(${fill.right.text})`;
  }
  return operator;
}

function printLabels(
  { op, labels }: Grouping | Matching | Join<unknown>,
  dialect: Dialect | undefined,
): string {
  const all = labels.length === 1 && labels[0] === "*" && (op === "group_left" || op === "group_right");
  return `${op}(${all ? "*" : labels.map((label) => printLabel(label, dialect)).join(",")})`;
}

/** A template's name and parameters. */
function printHead({ name, params }: Definition): string {
  return escapeName(name) + (params ? `(${params.map(escapeName).join(", ")})` : "");
}

function printParts(parts: readonly StringPart[]): string {
  return parts.map(({ type, text }) => (type === "literal" ? quoteString(text) : escapeName(text))).join("+");
}

function printLabel(label: string, dialect: Dialect | undefined): string {
  if (dialect !== "promql") return escapeName(label);
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) ? label : quoteString(label);
}

/** A selector; the metric name precedes the braces if it is plain and the same for all groups. */
function printSelector({ name, rest }: ReturnType<typeof splitName>, dialect: Dialect): string {
  const body = rest
    .map((group) => group.map((filter) => printFilter(filter, dialect)).join(","))
    .join(" or ");
  return body === "" && name !== "" ? name : `${name}{${body}}`;
}

/** The name to print before the braces, or an empty one, and the filters that remain between them. */
function splitName(groups: readonly (readonly AnyFilter[])[]): {
  readonly name: string;
  readonly rest: readonly (readonly AnyFilter[])[];
} {
  const name = metricName(groups[0]?.[0]);
  const plain =
    name !== undefined && isPlainName(name) && !isReserved(name) && !isAggregate(name.toLowerCase());
  // PromQL refuses a name before the braces when there is another filter of the name between them.
  const shared = groups.every(
    (group) =>
      metricName(group[0]) === name &&
      (group.length > 1 || groups.length === 1) &&
      !group.slice(1).some((filter) => "label" in filter && filter.label === "__name__"),
  );
  return plain && shared ? { name, rest: groups.map((group) => group.slice(1)) } : { name: "", rest: groups };
}

function metricName(filter: AnyFilter | undefined): string | undefined {
  if (!filter || !("label" in filter) || filter.label !== "__name__" || filter.op !== "=") return undefined;
  if (typeof filter.value === "string") return filter.value;
  const [part] = filter.value;
  return filter.value.length === 1 && part?.type === "literal" ? part.text : undefined;
}

function printFilter(filter: AnyFilter, dialect?: Dialect): string {
  if (!("label" in filter)) return escapeName(filter.name);
  const { label, op, value } = filter;
  return (
    printLabel(label, dialect) + op + (typeof value === "string" ? quoteString(value) : printParts(value))
  );
}
