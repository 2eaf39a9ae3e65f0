import type { Aggregate, Call, Expr } from "./ast.ts";

/** Kind and number of arguments of a function. */
interface FunctionInfo {
  readonly kind: "rollup" | "transform" | "label" | "aggregate";
  /** Minimum number of arguments. */
  readonly min: number;
  readonly max: number;
  /** The arguments after the `min`th come in pairs. */
  readonly pairs: boolean;
  /** Whether only PromQL has it. */
  readonly promql: boolean;
}

const many = Number.POSITIVE_INFINITY;

/** Functions by kind, with their number of arguments: `1`, `0-1`, `2+`, or `1+2` for one and then pairs. */
const functionTable: Readonly<Record<FunctionInfo["kind"], Readonly<Record<string, string>>>> = {
  rollup: {
    "1": `absent_over_time ascent_over_time avg_over_time changes changes_prometheus count_over_time
      decreases_over_time default_rollup delta delta_prometheus deriv deriv_fast descent_over_time
      distinct_over_time first_over_time geomean_over_time histogram_over_time idelta ideriv increase
      increase_prometheus increase_pure increases_over_time integrate irate lag last_over_time lifetime
      mad_over_time max_over_time median_over_time min_over_time mode_over_time outlier_iqr_over_time
      present_over_time range_over_time rate rate_over_sum rate_prometheus resets scrape_interval
      stale_samples_over_time stddev_over_time stdvar_over_time sum_over_time sum2_over_time
      tfirst_over_time timestamp timestamp_with_name tlast_change_over_time tlast_over_time tmax_over_time
      tmin_over_time zscore_over_time`,
    "1-2":
      "rollup rollup_candlestick rollup_delta rollup_deriv rollup_increase rollup_rate rollup_scrape_interval",
    "2": `aggr_over_time count_eq_over_time count_gt_over_time count_le_over_time count_ne_over_time
      count_values_over_time duration_over_time hoeffding_bound_lower hoeffding_bound_upper predict_linear
      quantile_over_time share_eq_over_time share_gt_over_time share_le_over_time sum_eq_over_time
      sum_gt_over_time sum_le_over_time`,
    "3": "holt_winters",
    "3+": "quantiles_over_time",
  },
  transform: {
    "0": "end now pi range start step time",
    "0-1": `day_of_month day_of_week day_of_year days_in_month hour minute month year rand rand_exponential
      rand_normal`,
    "0+": "union",
    "1": `abs absent acos acosh asin asinh atan atanh ceil cos cosh deg drop_empty_series exp floor
      histogram_avg histogram_stddev histogram_stdvar interpolate keep_last_value keep_next_value ln log10
      log2 prometheus_buckets rad range_avg range_first range_last range_linear_regression range_mad
      range_max range_median range_min range_stddev range_stdvar range_sum range_zscore remove_resets
      running_avg running_max running_min running_sum scalar sgn sin sinh sort sort_desc sqrt tan tanh
      timezone_offset ttf vector`,
    "1+": "range_normalize",
    "1-2": "round",
    "2": `bitmap_and bitmap_or bitmap_xor buckets_limit clamp_max clamp_min range_quantile
      range_trim_outliers range_trim_spikes range_trim_zscore ru smooth_exponential`,
    "2-3": "histogram_quantile histogram_share",
    "3": "clamp histogram_fraction limit_offset",
    "3+": "histogram_quantiles",
  },
  label: {
    "1+": "drop_common_labels label_del label_keep sort_by_label sort_by_label_desc",
    "1+2": "label_copy label_move label_set",
    "2": "alias label_value",
    "2+": `label_graphite_group label_lowercase label_uppercase sort_by_label_numeric
      sort_by_label_numeric_desc`,
    "2+2": "label_map",
    "3": "label_match label_mismatch",
    "3+": "label_join labels_equal",
    "4": "label_transform",
    "5": "label_replace",
  },
  aggregate: {
    "1+": `any avg count distinct geomean group histogram mad max median min mode outliers_iqr share stddev
      stdvar sum sum2 zscore`,
    "2": "bottomk count_values limitk outliers_mad outliersk quantile topk",
    "2-3": `bottomk_avg bottomk_last bottomk_max bottomk_median bottomk_min topk_avg topk_last topk_max
      topk_median topk_min`,
    "3+": "quantiles",
  },
};

/** Those of Prometheus 3 that MetricsQL lacks, also the experimental ones. */
const promqlTable: typeof functionTable = {
  rollup: {
    "1": "ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time ts_of_min_over_time",
    "1-2": "integral",
    "3": "double_exponential_smoothing",
  },
  transform: {
    "1": "histogram_count histogram_sum start_timestamp",
    "1-2": "info",
    "2": "max_of min_of",
  },
  label: {},
  aggregate: { "2": "limit_ratio" },
};

const functionInfos: ReadonlyMap<string, FunctionInfo> = new Map([
  ...entriesOf(functionTable, false),
  ...entriesOf(promqlTable, true),
]);

function entriesOf(table: typeof functionTable, promql: boolean): [string, FunctionInfo][] {
  return Object.entries(table).flatMap(([kind, byArity]) =>
    Object.entries(byArity).flatMap(([arity, names]) =>
      names
        .split(/\s+/)
        .map((name): [string, FunctionInfo] => [
          name,
          { ...range(arity), kind: kind as FunctionInfo["kind"], promql },
        ]),
    ),
  );
}

function range(arity: string): Omit<FunctionInfo, "kind" | "promql"> {
  const [low = "", high] = arity.split(/[-+]/);
  const open = arity.includes("+");
  return { min: Number(low), max: open ? many : Number(high ?? low), pairs: open && high === "2" };
}

/** Looks up a function by its name in lower case. */
export function functionInfo(name: string): FunctionInfo | undefined {
  return functionInfos.get(name);
}

/** All function names, in lower case. */
export function functionNames(): readonly string[] {
  return [...functionInfos.keys()];
}

export function isAggregate(name: string): boolean {
  return functionInfos.get(name)?.kind === "aggregate";
}

/** Index of the argument that a rollup function rolls up; undefined for all other functions. */
export function rollupArgument(call: Pick<Call, "name" | "args">): number | undefined {
  if (functionInfos.get(call.name)?.kind !== "rollup") return undefined;
  switch (call.name) {
    case "quantile_over_time":
    case "aggr_over_time":
    case "count_values_over_time":
    case "hoeffding_bound_lower":
    case "hoeffding_bound_upper":
      return 1;
    case "quantiles_over_time":
      return call.args.length - 1;
    default:
      return 0;
  }
}

/** The fault of a call (an unknown function, a wrong number of arguments), or undefined. */
export function checkCall(call: Call | Aggregate): string | undefined {
  const { name, args } = call;
  const info = functionInfos.get(name);
  if (!info) {
    const close = similar(name);
    const hint = close ? `, "${close}" perhaps` : "";
    return `unexpected function "${name}"; expected a function of MetricsQL or PromQL${hint}`;
  }
  const { min, max, pairs } = info;
  if (args.length >= min && args.length <= max && !(pairs && (args.length - min) % 2 === 1)) {
    const [first] = args;
    if (name === "aggr_over_time" && first && !areRollups(first)) {
      return `unexpected argument 1 of ${name}(); expected the names of rollup functions, in quotes`;
    }
    if (name === "info" && args[1] && args[1].type !== "selector") {
      return "unexpected argument 2 of info(); expected filters in braces";
    }
    const wrong = args.findIndex((arg, index) => wantsString(call, index) && arg.type !== "string");
    if (wrong < 0) return undefined;
    return `unexpected argument ${wrong + 1} of ${name}(); expected a string in quotes`;
  }
  const noun = max === 1 ? "argument" : "arguments";
  let expected = max === many ? `at least ${min}` : `${min} to ${max}`;
  if (min === max) expected = String(min);
  if (pairs) expected = `${min} and then pairs`;
  return `unexpected number of arguments of ${name}(): ${args.length}; expected ${expected} ${pairs ? "" : noun}`.trimEnd();
}

/** Functions of other kinds that take strings, with the index of the string argument (from 0). */
const stringArguments: Readonly<Record<string, number>> = {
  count_values: 0,
  count_values_over_time: 0,
  histogram_quantile: 2,
  histogram_quantiles: 0,
  histogram_share: 2,
  quantiles: 0,
  quantiles_over_time: 0,
  timezone_offset: 0,
};

/**
 * Whether this argument must be a string. A store also accepts an expression that evaluates to one
 * (`sort("a")`); it is rejected here, because the labels that the function writes would then be unknown.
 */
function wantsString({ name, args }: Call | Aggregate, index: number): boolean {
  // PromQL has the histogram first.
  if (name === "histogram_quantiles" && args[0]?.type !== "string") return index === 1;
  if (Object.hasOwn(stringArguments, name)) return stringArguments[name] === index;
  if (/^rollup(?:_|$)/.test(name)) return index === 1;
  if (/^(?:topk|bottomk)_/.test(name)) return index === 2;
  const { kind } = functionInfos.get(name) ?? {};
  return kind === "label" && index > 0 && name !== "label_graphite_group" && name !== "drop_common_labels";
}

/** Whether the argument names one rollup function, or several in parentheses, as for `aggr_over_time`. */
function areRollups(arg: Expr): boolean {
  const names = arg.type === "union" ? arg.args : [arg];
  return names.every((one) => one.type === "string" && isMetricsqlRollup(one.value.toLowerCase()));
}

function isMetricsqlRollup(name: string): boolean {
  const info = functionInfos.get(name);
  return info?.kind === "rollup" && !info.promql;
}

/** A known name that differs by one letter. */
function similar(name: string): string | undefined {
  for (const known of functionInfos.keys()) {
    if (Math.abs(known.length - name.length) > 1) continue;
    let start = 0;
    while (start < name.length && name[start] === known[start]) start++;
    let end = 0;
    while (
      end < name.length - start &&
      end < known.length - start &&
      name.at(-1 - end) === known.at(-1 - end)
    )
      end++;
    if (name.length - start - end <= 1 && known.length - start - end <= 1 && name.length > 2) return known;
  }
  return undefined;
}
