import { parseDuration } from "../../../base/core/duration.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { ReadFailure } from "../../../exporter/metrics-store/client/read-failure.ts";
import { StoreClient } from "../../../exporter/metrics-store/client/store-client.ts";
import { type Grid, pointsOf } from "../../../exporter/metrics-store/expressions/grid.ts";
import type { QueryResponse } from "../../../exporter/metrics-store/expressions/query-response.ts";
import {
  queryInstant,
  queryRange,
  scopedExpression,
} from "../../../exporter/metrics-store/expressions/store-query.ts";
import { parse } from "../../../exporter/metricsql/parse/parser.ts";
import { print } from "../../../exporter/metricsql/print/printer.ts";
import { checkMetricsql } from "../../../exporter/policy/spec/metricsql-source.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { printedJson } from "../printed-json.ts";
import { parseTime } from "../time.ts";
import { queryScope } from "./query-scope.ts";
import { instantTable, rangeTable } from "./query-table.ts";

export interface QueryOptions extends ConfigCommandOptions {
  readonly query: string;
  /** In a form of {@link parseTime}; default now, unless a range is given. */
  readonly time?: string | undefined;
  /** A range has both ends. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** A duration; default a 60th of the range. */
  readonly step?: string | undefined;
  /** The project that the query is confined to, as in an export. */
  readonly project?: string | undefined;
  readonly output?: "table" | "json" | undefined;
}

export interface QueryResult {
  /** The complete output, with a trailing line break. */
  readonly text: string;
  readonly exitStatus: 0 | 2;
}

const maxPoints = 1_000;
const defaultPoints = 60;

/**
 * `telemetryd query QUERY`: evaluates MetricsQL at the metrics store, confined as in an export, at one time
 * or over a range. A syntax error is shown with a caret; exit status 2.
 *
 * @throws INVALID_CONFIGURATION, INVALID_ARGUMENT; UNREACHABLE or SOURCE_FAILED when the store does not
 *   respond; UNREACHABLE when the project's tenant cannot be read
 */
export async function query(options: QueryOptions, signal: AbortSignal): Promise<QueryResult> {
  const config = await loadCommandConfig(options, signal);
  const { metrics } = config;
  if (metrics === undefined) {
    throw new TelemetrydError("INVALID_CONFIGURATION", "this command needs the section metrics");
  }
  const times = timesOf(options, Date.now());
  const { settings, tenant } = await queryScope({ ...config, metrics }, options.project, signal);
  const problem = checkMetricsql(options.query, tenant?.label);
  if (problem !== undefined) {
    const excerpt = problem.excerpt === undefined ? "" : `${problem.excerpt}\n`;
    return { text: `${excerpt}the query ${problem.message}\n`, exitStatus: 2 };
  }
  const scoped = scopedExpression(parse(options.query), tenant);
  const client = new StoreClient(settings);
  try {
    const found = await client.flavor(signal);
    if (found.kind === "failed") throw storeError(found);
    const response =
      "timeMs" in times
        ? await queryInstant(client, found.flavor, scoped, times.timeMs, signal)
        : await queryRange(client, found.flavor, scoped, times, () => true, signal);
    signal.throwIfAborted();
    if (response === "stopped") throw new TelemetrydError("SOURCE_FAILED", "the response was broken off");
    if (response.kind === "failed") throw storeError(response);
    return { text: textOf(response, times, print(scoped.expr), options.output), exitStatus: 0 };
  } finally {
    await client.close();
  }
}

type Times = Grid | { readonly timeMs: number };

function timesOf({ time, from, to, step }: QueryOptions, nowMs: number): Times {
  if (from === undefined && to === undefined) {
    if (step !== undefined) throw invalid("--step needs --from and --to");
    return { timeMs: time === undefined ? nowMs : parseTime(time, "--time", nowMs) };
  }
  if (time !== undefined) throw invalid("--time and --from, --to exclude each other");
  if (from === undefined || to === undefined) throw invalid("a span needs both --from and --to");
  const fromMs = parseTime(from, "--from", nowMs);
  const toMs = parseTime(to, "--to", nowMs);
  if (fromMs >= toMs) throw invalid("--from must be before --to");
  const stepMs = step === undefined ? Math.ceil((toMs - fromMs) / defaultPoints) : parseDuration(step);
  if (stepMs === undefined || stepMs < 1) throw invalid(`--step: "${step}" is no duration such as 15s`);
  // Start at a multiple of the step, as the exporter does, to get the same points.
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  const lastMs = Math.floor(toMs / stepMs) * stepMs;
  if (firstMs > lastMs) throw invalid("the span holds no multiple of --step");
  const grid = { firstMs, lastMs, stepMs };
  const points = pointsOf(grid);
  if (points > maxPoints) throw invalid(`the span has ${points} points, at most ${maxPoints} are shown`);
  return grid;
}

function textOf(
  response: QueryResponse,
  times: Times,
  query: string,
  output: QueryOptions["output"],
): string {
  if (output === "json") {
    const series = response.series.map(({ labels, points }) => ({ labels, points }));
    return printedJson({ query, resultType: response.resultType, series });
  }
  return "timeMs" in times ? instantTable(response.series) : rangeTable(response.series, times);
}

function storeError({ reason, message }: ReadFailure): TelemetrydError {
  if (reason === "unsupported_selector" || reason === "bad_request") return invalid(message);
  return new TelemetrydError(reason === "unreachable" ? "UNREACHABLE" : "SOURCE_FAILED", message);
}

function invalid(message: string): TelemetrydError {
  return new TelemetrydError("INVALID_ARGUMENT", message);
}
