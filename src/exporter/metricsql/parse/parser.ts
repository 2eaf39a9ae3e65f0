import type { Expr } from "../ast/ast.ts";
import { checkCall } from "../ast/functions.ts";
import { walk } from "../ast/visit.ts";
import { expand } from "./expand.ts";
import { MetricsqlSyntaxError } from "./syntax-error.ts";
import { parseTemplate } from "./template-parser.ts";

export { MetricsqlSyntaxError } from "./syntax-error.ts";

/**
 * Parses a MetricsQL expression: WITH templates are expanded, string literals joined, redundant parentheses
 * removed, function names in lower case, functions and their number of arguments checked.
 *
 * The time is linear in the length of the text (and of its expanded templates, which is bounded). Nesting is
 * bounded too, so hostile input costs neither time nor stack.
 *
 * @throws MetricsqlSyntaxError, and nothing else
 */
export function parse(text: string): Expr {
  const expr = expand(parseTemplate(text), text);
  walk(expr, (node) => {
    if (node.type !== "call" && node.type !== "aggregate") return;
    const wrong = checkCall(node);
    if (wrong !== undefined) throw new MetricsqlSyntaxError(wrong, text, node.pos);
  });
  return expr;
}
