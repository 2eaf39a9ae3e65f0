import type { BinaryOp, Fill, Join, Matching } from "../ast/ast.ts";
import type { StringPart, Template } from "./template-ast.ts";

/** An operator that waits for its right operand. */
export interface PendingOperator {
  readonly op: BinaryOp;
  readonly level: number;
  /** A sign in front of an operand: `-x` is `0 - x`. */
  readonly unary: boolean;
  readonly left: Template;
  readonly bool: boolean;
  readonly matching: Matching | undefined;
  readonly join: Join<readonly StringPart[]> | undefined;
  readonly fill: Fill | undefined;
  readonly pos: number;
  keepMetricNames: boolean;
}

/** An operator with both operands. */
export function close(pending: PendingOperator, right: Template): Template {
  if (pending.unary) return minus(right, pending.pos);
  const { op, bool, matching, join, fill, keepMetricNames, left, pos } = pending;
  return { type: "binary", op, bool, matching, join, fill, keepMetricNames, left, right, pos };
}

/** Applies a minus sign: a number takes the sign, any other operand is subtracted from zero. */
export function minus(operand: Template, pos: number): Template {
  if (operand.type === "number" && !operand.text.startsWith("-")) {
    return { type: "number", value: -operand.value, text: `-${operand.text}`, pos };
  }
  return {
    type: "binary",
    op: "-",
    bool: false,
    matching: undefined,
    join: undefined,
    fill: undefined,
    keepMetricNames: false,
    left: { type: "number", value: 0, text: "0", pos },
    right: operand,
    pos,
  };
}
