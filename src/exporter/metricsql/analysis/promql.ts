import type { Aggregate, Binary, Call, Duration, Expr, Rollup, Selector } from "../ast/ast.ts";
import { rollupArgument } from "../ast/functions.ts";
import { isPromqlDuration, isPromqlNumber } from "../ast/literals.ts";
import { isComparison, isPlainName, isSetOperator } from "../ast/words.ts";
import { emptyTest } from "./matcher.ts";
import { isTrim } from "./not-metricsql.ts";
import type { Remark } from "./warnings.ts";

/** PromQL's types. MetricsQL has only one, so only Prometheus rejects an expression that mixes them. */
type Type = "scalar" | "vector" | "matrix" | "string";

/**
 * PromQL grew with Prometheus 3: durations and numbers are interchangeable, digits may be grouped, and there
 * are more functions. Within a major version the newest minor version counts: an older one itself rejects the
 * features it lacks.
 */
export type PrometheusMajor = 2 | 3;

export interface PromqlRemark extends Remark {
  /** The feature that must be enabled in Prometheus; only the store knows whether it is. */
  readonly feature?: string;
}

/**
 * Types of arguments (v: vector, m: matrix, s: scalar, t: string); `?` follows an optional, `*` a repeatable
 * one.
 */
type Signatures = ReadonlyMap<string, string>;

function signaturesOf(bySignature: Readonly<Record<string, string>>): Signatures {
  return new Map(
    Object.entries(bySignature).flatMap(([signature, names]) =>
      names.split(/\s+/).map((name): [string, string] => [name, signature]),
    ),
  );
}

const commonSignatures = {
  "": "pi time",
  v: `abs absent acos acosh asin asinh atan atanh avg ceil cos cosh count deg exp floor group histogram_avg
    histogram_count histogram_stddev histogram_stdvar histogram_sum ln log10 log2 max min rad scalar sgn sin
    sinh sort sort_desc sqrt stddev stdvar sum tan tanh timestamp`,
  "v?": "day_of_month day_of_week day_of_year days_in_month hour minute month year",
  "vs?": "round",
  vs: "clamp_max clamp_min",
  vss: "clamp",
  sv: "bottomk histogram_quantile quantile topk",
  ssv: "histogram_fraction",
  tv: "count_values",
  "vttt*": "label_join",
  vtttt: "label_replace",
  s: "vector",
  m: `absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate
    last_over_time max_over_time min_over_time present_over_time rate resets stddev_over_time
    stdvar_over_time sum_over_time`,
  ms: "predict_linear",
  sm: "quantile_over_time",
};

/** Prometheus' functions and aggregates, except those behind a feature. */
const signaturesByVersion: Readonly<Record<PrometheusMajor, Signatures>> = {
  2: signaturesOf({ ...commonSignatures, mss: "holt_winters" }),
  3: signaturesOf({ ...commonSignatures, m: `${commonSignatures.m} first_over_time` }),
};

/** The functions of Prometheus 3 behind the feature `promql-experimental-functions`. */
const experimentalSignatures = signaturesOf({
  "": "end range start step",
  m: `mad_over_time ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time
    ts_of_min_over_time`,
  "ms?": "integral",
  mss: "double_exponential_smoothing",
  ss: "max_of min_of",
  sv: "limitk limit_ratio",
  v: "start_timestamp",
  "vv?": "info",
  "vtss*": "histogram_quantiles",
  "vt*": "sort_by_label sort_by_label_desc",
});

const scalarFunctions: ReadonlySet<string> = new Set([
  "scalar",
  "time",
  "pi",
  "end",
  "max_of",
  "min_of",
  "range",
  "start",
  "step",
]);

const typesByLetter: Readonly<Record<string, Type>> = { v: "vector", m: "matrix", s: "scalar", t: "string" };

/**
 * The reasons plain Prometheus would reject the expression, in the order of the text; empty if it is PromQL.
 * Both can still give different values for it: `rate` extrapolates in Prometheus.
 */
export function promqlOnly(expr: Expr, major: PrometheusMajor): readonly PromqlRemark[] {
  const checker = new PromqlChecker(major);
  const type = checker.check(expr);
  if (type === "matrix") checker.remark("a range of samples cannot be the result", expr.pos);
  if (type === "string") checker.remark("a string cannot be the result", expr.pos);
  return checker.remarks.sort((a, b) => a.pos - b.pos);
}

class PromqlChecker {
  readonly remarks: PromqlRemark[] = [];
  readonly #matchesEmpty = emptyTest();
  readonly #major: PrometheusMajor;

  constructor(major: PrometheusMajor) {
    this.#major = major;
  }

  remark(message: string, pos: number): void {
    this.remarks.push({ message, pos });
  }

  #featureRemark(what: string, feature: string, pos: number): void {
    const message = `${what}, which Prometheus knows only with --enable-feature=${feature}`;
    this.remarks.push({ message, pos, feature });
  }

  /** The type of the expression, if it has one. */
  check(expr: Expr): Type {
    switch (expr.type) {
      case "number":
        if (!this.#isNumber(expr.text)) {
          this.remark(`the number ${expr.text} is written as only MetricsQL knows it`, expr.pos);
        }
        return "scalar";
      case "string":
        return "string";
      case "duration":
        if (this.#major === 2) {
          this.remark(
            `the duration ${expr.duration.text} stands for a number, which only Prometheus 3 knows`,
            expr.pos,
          );
        } else this.#duration(expr.duration, expr.pos);
        return "scalar";
      case "selector":
        this.#selector(expr);
        return "vector";
      case "rollup":
        return this.#rollup(expr);
      case "union":
        this.remark("a union of expressions, (a, b)", expr.pos);
        for (const arg of expr.args) this.check(arg);
        return "vector";
      case "binary":
        return this.#binary(expr);
      case "call":
      case "aggregate":
        return this.#call(expr);
    }
  }

  /** @param isOfInfo `info()` takes one that matches every series, since it looks for info metrics only */
  #selector({ groups, pos }: Selector, isOfInfo = false): void {
    if (groups.length > 1) this.remark('"or" between the filters of a selector', pos);
    for (const group of groups) {
      if (!isOfInfo && group.every(this.#matchesEmpty))
        this.remark("a selector that matches every series", pos);
      for (const { label } of group) {
        if (label === "__graphite__") this.remark("the filter __graphite__", pos);
        this.#label(label, pos);
      }
    }
  }

  #label(label: string, pos: number): void {
    if (label === "") this.remark("an empty label name", pos);
    else if (this.#major === 2 && (!isPlainName(label) || label.includes(":")))
      this.remark(`the label name ${JSON.stringify(label)}, which Prometheus 2 does not know`, pos);
  }

  /** Sums of durations are not durations: Prometheus 3 reads `m offset 1h-5m` as `(m offset 1h) - 5m`. */
  #duration(duration: Duration | undefined, pos: number): void {
    if (duration?.arithmetic) {
      if (this.#major === 2)
        this.remark(`the duration ${duration.text}, which Prometheus 2 does not know`, pos);
      return;
    }
    if (!duration || isPromqlDuration(duration.text)) return;
    if (this.#major === 3 && this.#isNumber(duration.text)) return;
    this.remark(`the duration ${duration.text} is written as only MetricsQL knows it`, pos);
  }

  /** Between brackets, Prometheus 3 reads `1h-5m` as MetricsQL does. */
  #isDifference(duration: Duration | undefined): boolean {
    return this.#major === 3 && duration?.text.split("-").every(isPromqlDuration) === true;
  }

  #isNumber(text: string): boolean {
    return isPromqlNumber(text, this.#major === 3);
  }

  #rollup({ expr, window, subquery, step, extension, offset, at, pos }: Rollup): Type {
    const type = this.check(expr);
    for (const duration of [window, step]) if (!this.#isDifference(duration)) this.#duration(duration, pos);
    this.#duration(offset, pos);
    if (at) this.#instant(at);
    if (extension && this.#major === 2) this.remark(`"${extension}", which Prometheus 2 does not know`, pos);
    else if (extension) this.#featureRemark(`"${extension}"`, "promql-extended-range-selectors", pos);
    if (!window && !subquery) {
      if (expr.type !== "selector")
        this.remark('"offset" or "@" after anything but a selector or a subquery', pos);
      return type;
    }
    if (!window) this.remark("a subquery without a window", pos);
    if (!subquery && expr.type !== "selector")
      this.remark("a window without a step after anything but a selector", pos);
    if (subquery && window?.arithmetic && !/\d/.test(window.text))
      this.remark(`a subquery's window without a number; expected ${window.text} * 1`, pos);
    if (subquery && type !== "vector") this.remark("a subquery of something that is no vector", pos);
    return "matrix";
  }

  #instant(at: Expr): void {
    const simple = at.type === "call" && (at.name === "start" || at.name === "end") && at.args.length === 0;
    if (simple) return;
    if (at.type === "duration" && this.#major === 3) this.check(at);
    else if (at.type !== "number" || !Number.isFinite(at.value))
      this.remark('"@" with anything but a number, start() or end()', at.pos);
    else this.check(at);
  }

  /** Loops over the left operands: chains of operators may be very long. */
  #binary(expr: Binary): Type {
    const spine = [expr];
    let bottom: Expr = expr.left;
    for (; bottom.type === "binary"; bottom = bottom.left) spine.push(bottom);
    return spine.reduceRight<Type>(
      (left, node) => this.#operator(node, left, this.check(node.right)),
      this.check(bottom),
    );
  }

  #operator(expr: Binary, left: Type, right: Type): Type {
    const { op, pos, matching, join, fill, bool, keepMetricNames } = expr;
    if (isTrim(op) && this.#major === 2)
      this.remark(`the operator "${op}", which Prometheus 2 does not know`, pos);
    if (op === "default" || op === "if" || op === "ifnot") this.remark(`the operator "${op}"`, pos);
    if (keepMetricNames) this.remark('"keep_metric_names"', pos);
    if (fill && this.#major === 2) this.remark('"fill", which Prometheus 2 does not know', pos);
    else if (fill) this.#featureRemark('"fill"', "promql-binop-fill-modifiers", pos);
    if (join?.labels[0] === "*") this.remark(`"${join.op}(*)"`, pos);
    if (join?.prefix !== undefined) this.remark(`"prefix" after "${join.op}"`, pos);
    for (const label of [...(matching?.labels ?? []), ...(join?.labels ?? [])])
      if (label !== "*") this.#label(label, pos);
    for (const type of [left, right]) {
      if (type === "matrix") this.remark(`a range of samples as an operand of "${op}"`, pos);
      if (type === "string") this.remark(`a string as an operand of "${op}"`, pos);
    }
    const joined =
      matching?.op === "on" ? join?.labels.filter((label) => matching.labels.includes(label)) : [];
    for (const label of joined ?? []) this.remark(`the label ${label} in both "on" and "${join?.op}"`, pos);
    if (fill && (left === "scalar" || right === "scalar")) this.remark('"fill" beside a number', pos);
    if (left !== "scalar" || right !== "scalar") {
      const mixed = left === "scalar" || right === "scalar";
      if (mixed && isSetOperator(op)) this.remark(`a number as an operand of "${op}"`, pos);
      if (mixed && matching?.labels.length)
        this.remark(`"${matching.op}" between a vector and a number`, pos);
      return "vector";
    }
    if (isSetOperator(op)) this.remark(`"${op}" between numbers`, pos);
    if (isComparison(op) && !bool) this.remark(`the comparison "${op}" of numbers without "bool"`, pos);
    if (matching?.labels.length) this.remark(`"${matching.op}" between numbers`, pos);
    return "scalar";
  }

  #call(call: Call | Aggregate): Type {
    const { name, args, pos } = call;
    if (call.type === "aggregate") {
      if (call.limit !== undefined) this.remark('"limit" after an aggregate', pos);
      for (const label of call.grouping?.labels ?? []) this.#label(label, pos);
    } else if (call.keepMetricNames) this.remark('"keep_metric_names"', pos);
    const experimental = this.#major === 2 ? undefined : experimentalSignatures.get(name);
    if (experimental !== undefined) {
      this.#featureRemark(`the function ${name}()`, "promql-experimental-functions", pos);
    }
    const signature = signaturesByVersion[this.#major].get(name) ?? experimental;
    if (signature === undefined) {
      this.remark(`the function ${name}()`, pos);
      for (const arg of args) this.check(arg);
      return "vector";
    }
    const wanted = [...signature.matchAll(/([vmst])([?*]?)/g)];
    const repeated = wanted.at(-1)?.[2] === "*";
    if (args.length > wanted.length && !repeated) this.remark(`${name}() with ${args.length} arguments`, pos);
    const needed = wanted.filter(([, , often]) => often === "").length;
    if (args.length < needed) this.remark(`${name}() with ${args.length} arguments`, pos);
    for (const [index, arg] of args.entries()) {
      if (name === "info" && index === 1 && arg.type === "selector") this.#selector(arg, true);
      else this.#argument(call, arg, typesByLetter[(wanted[index] ?? wanted.at(-1))?.[1] ?? ""]);
    }
    return scalarFunctions.has(name) ? "scalar" : "vector";
  }

  #argument(call: Call | Aggregate, arg: Expr, wanted: Type | undefined): void {
    const type = this.check(arg);
    if (wanted === undefined || type === wanted) return;
    const rolledUp = call.type === "call" && rollupArgument(call) !== undefined;
    if (rolledUp && wanted === "matrix") {
      this.remark(`${call.name}() of something without a window`, arg.pos);
    } else this.remark(`a ${type} as an argument of ${call.name}(), which takes a ${wanted}`, arg.pos);
  }
}
