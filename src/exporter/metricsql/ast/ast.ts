/**
 * The syntax tree of a MetricsQL expression. Start reading here: the parser builds these nodes, everything
 * else in this folder processes them. All nodes are immutable; `pos` is a node's offset (UTF-16 units) in the
 * parsed text, for messages.
 *
 * The nodes with children are generic so that the template tree (`template-ast.ts`, before WITH is expanded)
 * can share them; without type arguments they are the nodes that `parse` returns.
 */

/** An expression: no templates, no redundant parentheses, function names in lower case. */
export type Expr =
  | NumberLiteral
  | StringLiteral
  | DurationLiteral
  | Selector
  | Rollup
  | Call
  | Aggregate
  | Binary
  | Union;

/** `1.5Ki`: `text` as written (with a leading `-` if negative), and its numeric `value`. */
export interface NumberLiteral {
  readonly type: "number";
  readonly value: number;
  readonly text: string;
  readonly pos: number;
}

interface StringLiteral {
  readonly type: "string";
  readonly value: string;
  readonly pos: number;
}

/** A duration used as a value (`m[1h] / 1h`): its seconds. */
export interface DurationLiteral {
  readonly type: "duration";
  readonly duration: Duration;
  readonly pos: number;
}

/**
 * A length of time: `ms + steps * step`, where the step is the query's (`5i` is five steps). `text` is the
 * duration as written; a bare number means seconds.
 */
export interface Duration {
  readonly text: string;
  readonly ms: number;
  readonly steps: number;
  /**
   * Arithmetic of durations (`5m * 2`, `step() + 1`), which only PromQL has: `text` is its canonical form,
   * and `ms` is its value where `step()` and `range()` are zero.
   */
  readonly arithmetic?: true;
}

/**
 * A series selector. The groups are alternatives (`or`); the filters of a group must all hold. The metric
 * name is an ordinary filter on `__name__`. At least one group is present; `{}` has one group without
 * filters.
 */
export interface Selector {
  readonly type: "selector";
  readonly groups: readonly (readonly LabelFilter[])[];
  readonly pos: number;
}

export type FilterOp = "=" | "!=" | "=~" | "!~";

export interface LabelFilter {
  readonly label: string;
  readonly op: FilterOp;
  readonly value: string;
}

/**
 * `expr[window:step] smoothed offset d @ t`, with at least one part. `subquery` is true if the colon was
 * written.
 */
export interface Rollup<E = Expr, D = Duration> {
  readonly type: "rollup";
  readonly expr: E;
  readonly window: D | undefined;
  readonly subquery: boolean;
  readonly step: D | undefined;
  /** PromQL's: samples just outside of the window count, too. */
  readonly extension: "anchored" | "smoothed" | undefined;
  readonly offset: D | undefined;
  readonly at: E | undefined;
  readonly pos: number;
}

/** A rollup, transform or label function. */
export interface Call<E = Expr> {
  readonly type: "call";
  readonly name: string;
  readonly args: readonly E[];
  readonly keepMetricNames: boolean;
  readonly pos: number;
}

export interface Aggregate<E = Expr> {
  readonly type: "aggregate";
  readonly name: string;
  readonly args: readonly E[];
  readonly grouping: Grouping | undefined;
  /** Maximum number of output series. */
  readonly limit: number | undefined;
  readonly pos: number;
}

export interface Grouping {
  readonly op: "by" | "without";
  readonly labels: readonly string[];
}

export type BinaryOp =
  | "default"
  | "if"
  | "ifnot"
  | "or"
  | "and"
  | "unless"
  | "=="
  | "!="
  | ">"
  | "<"
  | ">="
  | "<="
  | "</"
  | ">/"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "atan2"
  | "^";

export interface Binary<E = Expr, S = string> {
  readonly type: "binary";
  readonly op: BinaryOp;
  /** Compare to 0 or 1 instead of filtering. */
  readonly bool: boolean;
  readonly matching: Matching | undefined;
  readonly join: Join<S> | undefined;
  readonly fill: Fill | undefined;
  readonly keepMetricNames: boolean;
  readonly left: E;
  readonly right: E;
  readonly pos: number;
}

export interface Matching {
  readonly op: "on" | "ignoring";
  readonly labels: readonly string[];
}

/** `group_left(labels) prefix "p"`; the labels may be the single `*`, for all. */
export interface Join<S = string> {
  readonly op: "group_left" | "group_right";
  readonly labels: readonly string[];
  readonly prefix: S | undefined;
}

/** The values that replace a missing side: `fill(v)` sets both. */
export interface Fill {
  readonly left: NumberLiteral | undefined;
  readonly right: NumberLiteral | undefined;
}

/** `(a, b)`, also `()`: the series of all members. */
export interface Union<E = Expr> {
  readonly type: "union";
  readonly args: readonly E[];
  readonly pos: number;
}
