import type { Binary, Expr } from "./ast.ts";

/** The direct children of a node, in written order. */
export function children(node: Expr): readonly Expr[] {
  switch (node.type) {
    case "call":
    case "aggregate":
    case "union":
      return node.args;
    case "binary":
      return [node.left, node.right];
    case "rollup":
      return node.at ? [node.expr, node.at] : [node.expr];
    default:
      return [];
  }
}

/** Calls `visit` for every node, parents before children, from left to right. Does not recurse. */
export function walk(expr: Expr, visit: (node: Expr) => void): void {
  const waiting = [expr];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    visit(node);
    const parts = children(node);
    for (let i = parts.length - 1; i >= 0; i--) waiting.push(parts[i] as Expr);
  }
}

/**
 * Replaces every node of the expression by the result of `change`, children before parents. Unchanged nodes
 * are shared with the original.
 */
export function rewrite(expr: Expr, change: (node: Expr) => Expr): Expr {
  switch (expr.type) {
    case "binary": {
      // Loops where recursion would exhaust the stack: chains of operators may be very long to the left.
      const spine: Binary[] = [];
      let bottom: Expr = expr;
      for (; bottom.type === "binary"; bottom = bottom.left) spine.push(bottom);
      let left = rewrite(bottom, change);
      for (let node = spine.pop(); node; node = spine.pop()) {
        const right = rewrite(node.right, change);
        left = change(left === node.left && right === node.right ? node : { ...node, left, right });
      }
      return left;
    }
    case "rollup": {
      const inner = rewrite(expr.expr, change);
      const at = expr.at && rewrite(expr.at, change);
      return change(inner === expr.expr && at === expr.at ? expr : { ...expr, expr: inner, at });
    }
    case "call":
    case "aggregate":
    case "union": {
      const args = expr.args.map((arg) => rewrite(arg, change));
      return change(args.every((arg, i) => arg === expr.args[i]) ? expr : { ...expr, args });
    }
    default:
      return change(expr);
  }
}
