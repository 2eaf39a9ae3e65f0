import { isWider } from "./least-width.ts";
import {
  type AnyBinary,
  type AnyCall,
  chainedLeft,
  isInBraces,
  isSimple,
  isTightNegative,
  needsParens,
  type Printable,
  print,
  printFilter,
  printHead,
  printOperator,
  printSuffix,
  printTail,
  splitName,
} from "./printer.ts";

const MAX_WIDTH = 80;
const INDENT = "  ";

/**
 * Prints the expression on as many lines as it needs, at most 80 characters wide where possible. Parts that
 * fit stay on one line; others are broken up, their children indented by two. WITH templates are kept if the
 * expression comes from `parseTemplate`. The output parses to the same expression as that of `print`.
 */
export function prettify(expr: Printable): string {
  return layout(expr, "");
}

/** The lines of an expression, all but the first beginning with `indent`. */
function layout(expr: Printable, indent: string): string {
  const line = shortLine(expr, MAX_WIDTH - indent.length);
  if (line !== undefined) return line;
  switch (expr.type) {
    case "selector":
      return selector(splitName(expr.groups), indent) ?? print(expr);
    case "rollup":
      return (
        (isSimple(expr.expr) ? layout(expr.expr, indent) : parens(expr.expr, indent)) + printSuffix(expr)
      );
    case "call":
    case "aggregate":
      return expr.args.length === 0
        ? print(expr)
        : expr.name + args(expr, indent) + printTail(expr as AnyCall);
    case "union":
      return args(expr, indent);
    case "binary":
      return binary(expr, indent);
    case "with": {
      const inner = indent + INDENT;
      const definitions = expr.definitions.map(
        (one) => `\n${inner}${printHead(one)} = ${body(one.body, inner)},`,
      );
      return `WITH (${definitions.join("")}\n${indent})\n${indent}${layout(expr.body, indent)}`;
    }
    default:
      return print(expr);
  }
}

/** The expression on one line, if that is not wider than `width`. */
function shortLine(expr: Printable, width: number): string | undefined {
  if (isWider(expr, width)) return undefined;
  const line = print(expr);
  return line.length <= width ? line : undefined;
}

/** The body of a template, in parentheses if it takes several lines. */
function body(expr: Printable, indent: string): string {
  const line = shortLine(expr, MAX_WIDTH - indent.length);
  if (line !== undefined) return line;
  const inner = indent + INDENT;
  const text = layout(expr, inner);
  return text.includes("\n") ? `(\n${inner}${text}\n${indent})` : text;
}

function parens(expr: Printable, indent: string): string {
  const inner = indent + INDENT;
  return `(\n${inner}${layout(expr, inner)}\n${indent})`;
}

function args(node: AnyCall | Extract<Printable, { type: "union" }>, indent: string): string {
  const inner = indent + INDENT;
  const lines = node.args.map((arg, index) => {
    const braced = arg.type === "selector" && isInBraces(node, index);
    const text = braced ? selector({ name: "", rest: arg.groups }, inner) : undefined;
    return `\n${inner}${text ?? layout(arg, inner)}`;
  });
  return `(${lines.join(",")}\n${indent})`;
}

function selector({ name, rest }: ReturnType<typeof splitName>, indent: string): string | undefined {
  if (rest.every((group) => group.length === 0)) return undefined;
  const inner = indent + INDENT;
  const groups = rest.map((group) => {
    const filters = group.map((filter) => printFilter(filter));
    const line = filters.join(",");
    return inner + (inner.length + line.length <= MAX_WIDTH ? line : filters.join(`,\n${inner}`));
  });
  return `${name}{\n${groups.join(`\n${inner}${INDENT}or\n`)}\n${indent}}`;
}

/** Operands below each other, with the operators indented between them. */
function binary(expr: AnyBinary, indent: string): string {
  if (expr.keepMetricNames)
    return `${parens({ ...expr, keepMetricNames: false } as Printable, indent)} keep_metric_names`;
  const pieces: string[] = [];
  let node = expr;
  for (;;) {
    pieces.push(
      `\n${indent}${INDENT}${printOperator(node)}\n${indent}${operand(node.right, needsParens(node.right), indent)}`,
    );
    const chained = chainedLeft(node);
    if (!chained) break;
    node = chained;
  }
  return (
    operand(node.left, needsParens(node.left) || isTightNegative(node), indent) + pieces.reverse().join("")
  );
}

function operand(expr: Printable, inParens: boolean, indent: string): string {
  if (!inParens) return layout(expr, indent);
  const line = shortLine(expr, MAX_WIDTH - indent.length - 2);
  return line === undefined ? parens(expr, indent) : `(${line})`;
}
