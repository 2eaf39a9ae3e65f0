import type { Aggregate, Call, Expr } from "../ast/ast.ts";
import { walk } from "../ast/visit.ts";

/** The labels that a function's arguments name, and the function's use of them. */
interface LabelArguments {
  /** Labels whose value the function computes. */
  readonly written: (args: readonly Expr[]) => readonly string[];
  /** Labels that it only reads, compares or drops. */
  readonly read?: (args: readonly Expr[]) => readonly string[];
}

function strings(args: readonly (Expr | undefined)[]): readonly string[] {
  return args.flatMap((arg) => (arg?.type === "string" ? [arg.value] : []));
}

/** The arguments at `start`, `start + step`, … */
function every(args: readonly Expr[], start: number, step = 1): readonly string[] {
  return strings(args.filter((_, index) => index >= start && (index - start) % step === 0));
}

const nothing = () => [];
const first: LabelArguments = { written: (args) => strings([args[0]]) };
const second: LabelArguments = { written: (args) => strings([args[1]]) };
const third: LabelArguments = { written: (args) => strings([args[2]]) };
const readSecond: LabelArguments = { written: nothing, read: (args) => strings([args[1]]) };
const readAll: LabelArguments = { written: nothing, read: (args) => every(args, 1) };
const writeAll: LabelArguments = { written: (args) => every(args, 1) };
const name: LabelArguments = { written: () => ["__name__"] };
const vmrange: LabelArguments = { written: () => ["vmrange"] };
const rollup: LabelArguments = { written: (args) => (args.length > 1 ? [] : ["rollup"]) };
/** `"label=value"`, the label of the sum of all other series. */
const rest: LabelArguments = {
  written: (args) => strings([args[2]]).map((text) => text.replace(/=.*$/s, "")),
};
/** The result has the labels that the selector requires. */
const absent: LabelArguments = {
  written: ([arg]) => {
    const selector = arg?.type === "rollup" ? arg.expr : arg;
    const [group = []] = selector?.type === "selector" ? selector.groups : [];
    return group.flatMap(({ label, op }) => (op === "=" && label !== "__name__" ? [label] : []));
  },
};

/**
 * Every function whose arguments name labels, or that creates labels. All others keep, group or drop labels.
 */
const labelFunctions: Readonly<Record<string, LabelArguments>> = {
  absent,
  absent_over_time: absent,
  aggr_over_time: { written: () => ["rollup"] },
  alias: name,
  bottomk_avg: rest,
  bottomk_last: rest,
  bottomk_max: rest,
  bottomk_median: rest,
  bottomk_min: rest,
  count_values: first,
  count_values_over_time: first,
  histogram: vmrange,
  histogram_over_time: vmrange,
  histogram_quantile: third,
  // PromQL has the histogram first.
  histogram_quantiles: { written: (args) => strings(args.slice(0, 2)).slice(0, 1) },
  histogram_share: third,
  label_copy: { written: (args) => every(args, 2, 2), read: (args) => every(args, 1, 2) },
  label_del: readAll,
  label_graphite_group: name,
  label_join: { written: (args) => strings([args[1]]), read: (args) => every(args, 3) },
  label_keep: readAll,
  label_lowercase: writeAll,
  label_map: second,
  label_match: readSecond,
  label_mismatch: readSecond,
  // `label_move` empties its source label.
  label_move: writeAll,
  label_replace: { written: (args) => strings([args[1]]), read: (args) => strings([args[3]]) },
  label_set: { written: (args) => every(args, 1, 2) },
  label_transform: second,
  label_uppercase: writeAll,
  label_value: readSecond,
  labels_equal: readAll,
  prometheus_buckets: { written: () => ["le"] },
  quantiles: first,
  quantiles_over_time: first,
  rollup,
  rollup_candlestick: rollup,
  rollup_delta: rollup,
  rollup_deriv: rollup,
  rollup_increase: rollup,
  rollup_rate: rollup,
  rollup_scrape_interval: rollup,
  sort_by_label: readAll,
  sort_by_label_desc: readAll,
  sort_by_label_numeric: readAll,
  sort_by_label_numeric_desc: readAll,
  topk_avg: rest,
  topk_last: rest,
  topk_max: rest,
  topk_median: rest,
  topk_min: rest,
};

function labelArguments({ name: called }: Call | Aggregate): LabelArguments | undefined {
  return Object.hasOwn(labelFunctions, called) ? labelFunctions[called] : undefined;
}

/**
 * The labels whose values the expression computes instead of taking them from its input series: by
 * `label_set`, `label_replace`, `count_values`, `group_left(…) prefix "p"` and the like. Sorted. `p*` means
 * every label that begins with p (`group_left(*) prefix "p"`).
 *
 * Copying a label under its own name (`group_left(a)`) and grouping (`by`) are not writing.
 */
export function labelsWritten(expr: Expr): readonly string[] {
  const written = new Set<string>();
  walk(expr, (node) => {
    if (node.type === "call" || node.type === "aggregate") {
      for (const label of labelArguments(node)?.written(node.args) ?? []) written.add(label);
    }
    if (node.type === "binary" && node.join?.prefix) {
      for (const label of node.join.labels) written.add(node.join.prefix + label);
    }
  });
  return [...written].sort();
}

/**
 * Every label that the expression names: in filters, in `by`, `without`, `on`, `ignoring` and `group_left`
 * lists, as the argument of a label function. Sorted; the metric's name is `__name__`.
 */
export function labelsNamed(expr: Expr): readonly string[] {
  const named = new Set<string>(labelsWritten(expr));
  const add = (labels: readonly string[] = []) => {
    for (const label of labels) named.add(label);
  };
  walk(expr, (node) => {
    switch (node.type) {
      case "selector":
        for (const group of node.groups) add(group.map(({ label }) => label));
        break;
      case "aggregate":
        add(node.grouping?.labels);
        add(labelArguments(node)?.read?.(node.args));
        break;
      case "call":
        add(labelArguments(node)?.read?.(node.args));
        break;
      case "binary":
        add(node.matching?.labels);
        add(node.join?.labels.filter((label) => label !== "*"));
        break;
    }
  });
  return [...named].sort();
}
