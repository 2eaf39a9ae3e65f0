import type { Duration, Expr } from "./ast.ts";
import { rollupArgument } from "./functions.ts";

const ONE_STEP: Duration = { text: "1i", ms: 0, steps: 1 };

/**
 * Writes out VictoriaMetrics' implicit conversions: a selector outside of a rollup function is wrapped in
 * `default_rollup`; anything but a selector inside one becomes a subquery with window and step `1i`; a
 * subquery without a step gets `1i`. A selector without a window keeps none: the store chooses it from the
 * data.
 */
export function explicit(expr: Expr): Expr {
  switch (expr.type) {
    case "selector":
      return { type: "call", name: "default_rollup", args: [expr], keepMetricNames: false, pos: expr.pos };
    case "rollup": {
      const at = expr.at && explicit(expr.at);
      if (expr.expr.type === "selector" && !expr.subquery) {
        const rollup: Expr = { ...expr, at };
        return {
          type: "call",
          name: "default_rollup",
          args: [rollup],
          keepMetricNames: false,
          pos: expr.pos,
        };
      }
      if (!expr.window && !expr.subquery) return { ...expr, expr: explicit(expr.expr), at };
      const subquery = asSubquery({ ...expr, at });
      return {
        type: "call",
        name: "default_rollup",
        args: [subquery],
        keepMetricNames: false,
        pos: expr.pos,
      };
    }
    case "call": {
      const index = rollupArgument(expr);
      return { ...expr, args: expr.args.map((arg, i) => (i === index ? rolledUp(arg) : explicit(arg))) };
    }
    case "aggregate":
    case "union":
      return { ...expr, args: expr.args.map(explicit) };
    case "binary":
      return binary(expr);
    default:
      return expr;
  }
}

/** Loops over the left operands: chains of operators may be very long. */
function binary(expr: Extract<Expr, { type: "binary" }>): Expr {
  const spine = [expr];
  let bottom: Expr = expr.left;
  for (; bottom.type === "binary"; bottom = bottom.left) spine.push(bottom);
  return spine.reduceRight<Expr>(
    (left, node) => ({ ...node, left, right: explicit(node.right) }),
    explicit(bottom),
  );
}

/** The argument of a rollup function. */
function rolledUp(arg: Expr): Expr {
  if (arg.type === "selector") return arg;
  if (arg.type !== "rollup") {
    return {
      type: "rollup",
      expr: explicit(arg),
      window: ONE_STEP,
      subquery: true,
      step: ONE_STEP,
      offset: undefined,
      at: undefined,
      pos: arg.pos,
    };
  }
  const at = arg.at && explicit(arg.at);
  return arg.expr.type === "selector" && !arg.subquery ? { ...arg, at } : asSubquery({ ...arg, at });
}

function asSubquery(rollup: Extract<Expr, { type: "rollup" }>): Expr {
  return {
    ...rollup,
    expr: explicit(rollup.expr),
    window: rollup.window ?? ONE_STEP,
    subquery: true,
    step: rollup.step ?? ONE_STEP,
  };
}
