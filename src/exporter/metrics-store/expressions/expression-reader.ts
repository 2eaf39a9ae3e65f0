import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import { usesRange } from "../../metricsql/analysis/not-metricsql.ts";
import type { Expr } from "../../metricsql/ast/ast.ts";
import { walk } from "../../metricsql/ast/visit.ts";
import { legalizeMetricName } from "../../series/label-name.ts";
import { SampleBuffer } from "../../series/series.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import type { StoreFlavor } from "../client/store-settings.ts";
import type { ReadEnd, SampleReceiver, ScopedEvaluation, ScopedReader } from "../ports/scoped-reader.ts";
import type { LabelCache } from "../samples/label-cache.ts";
import { describeSeries, mergeResults, nameSeries, samplesOnGrid, seriesOf } from "./evaluated-series.ts";
import { type Grid, gridOf, pointsOf, splitGrid } from "./grid.ts";
import { readInPieces } from "./grid-read.ts";
import type { QuerySeries } from "./query-response.ts";
import { queryRange } from "./store-query.ts";

interface EvaluationLimits {
  /** Maximum points of a request; a longer grid is read in several requests. */
  readonly maxPoints: number;
  /** Maximum bytes of a response; a larger one is requested again with fewer points. */
  readonly maxResponseBytes: number;
}

/**
 * Well below the limits of stores: Prometheus' maximum of points, and VictoriaMetrics' default of
 * -search.maxPointsPerTimeseries.
 */
const defaultLimits: EvaluationLimits = { maxPoints: 500, maxResponseBytes: 32 * 2 ** 20 };

/**
 * Maximum points held together when each is its own request: a piece aborted for its size wastes them all.
 */
const maxPointsAlone = 50;

/** Series passed on before the event loop serves other work. */
const burst = 500;

/**
 * Evaluates expressions on the grid points of a window. It keeps no state: the preceding point is evaluated
 * again with each piece, to detect series that have ended. So any split of time into windows gives the same
 * samples.
 */
export class ExpressionReader implements ScopedReader<ScopedEvaluation> {
  readonly #client: StoreClient;
  readonly #cache: LabelCache;
  readonly #flavor: StoreFlavor;
  readonly #limits: EvaluationLimits;

  constructor(
    client: StoreClient,
    cache: LabelCache,
    flavor: StoreFlavor,
    limits: EvaluationLimits = defaultLimits,
  ) {
    this.#limits = limits;
    this.#client = client;
    this.#cache = cache;
    this.#flavor = flavor;
  }

  async read(read: ScopedEvaluation, receiver: SampleReceiver, signal: AbortSignal): Promise<ReadEnd> {
    const { maxPoints } = this.#limits;
    return await readInPieces(gridOf(read.window, read.stepMs), {
      maxPoints: dependsOnRange(read.expr, this.#flavor) ? Math.min(maxPoints, maxPointsAlone) : maxPoints,
      readPiece: (piece) => this.#readPiece(read, piece, receiver, signal),
      isTooLarge: ({ reason }) => reason === "answer_too_large",
    });
  }

  async #readPiece(
    read: ScopedEvaluation,
    grid: Grid,
    receiver: SampleReceiver,
    signal: AbortSignal,
  ): Promise<ReadEnd> {
    const response = await this.#evaluate(
      read,
      { ...grid, firstMs: grid.firstMs - grid.stepMs },
      (bytes) => {
        receiver.onBytes(bytes);
        return receiver.wantsMore();
      },
      signal,
    );
    if (response === "stopped") return { kind: "stopped" };
    if ("kind" in response) return response;
    return this.#pass(response, read, grid, receiver);
  }

  /** The result at all points of a grid, in as many requests as needed. */
  async #evaluate(
    read: ScopedEvaluation,
    grid: Grid,
    onBytes: (bytes: number) => boolean,
    signal: AbortSignal,
  ): Promise<readonly QuerySeries[] | ReadFailure | "stopped"> {
    const results: (readonly QuerySeries[])[] = [];
    let room = this.#limits.maxResponseBytes;
    const perRequest = dependsOnRange(read.expr, this.#flavor) ? 1 : pointsOf(grid);
    let rest: Grid | undefined = grid;
    while (rest !== undefined) {
      const [part, after]: readonly [Grid, Grid | undefined] = splitGrid(rest, perRequest);
      const counted = (bytes: number): boolean => {
        room -= bytes;
        return onBytes(bytes);
      };
      const response = await queryRange(this.#client, this.#flavor, read, part, counted, signal, room);
      if (response === "stopped" || response.kind === "failed") return response;
      if (response.resultType !== "matrix") {
        return failure(
          "malformed_answer",
          `the store responded to a range query with a ${response.resultType}`,
        );
      }
      results.push(response.series);
      rest = after;
    }
    return mergeResults(results);
  }

  async #pass(
    result: readonly QuerySeries[],
    read: ScopedEvaluation,
    grid: Grid,
    receiver: SampleReceiver,
  ): Promise<ReadEnd> {
    const { named, collided } = nameSeries(result, legalizeMetricName(read.name));
    const invalid = new InvalidSeriesCounts();
    const buffer = new SampleBuffer();
    const [first] = named;
    // A store that evaluates at other times, not an odd series: nothing of the response can be used.
    if (
      first !== undefined &&
      named.every(({ points }) => samplesOnGrid(points, grid, buffer) === undefined)
    ) {
      return failure("malformed_answer", unfitMessage(first, grid));
    }
    for (const series of collided) {
      const all = series.map(describeSeries).join(" and ");
      const message = `the expression's result has series that are equal once those without a name are named after the source: ${all}`;
      invalid.add("name_collision", series.length, message);
    }
    let series = 0;
    let samples = 0;
    for (const [index, one] of named.entries()) {
      if (index % burst === burst - 1) await yieldToEventLoop();
      if (!receiver.wantsMore()) return { kind: "stopped" };
      if (one.hasHistograms) {
        invalid.add("native_histogram", 1, "native histograms are not exported");
      }
      if (samplesOnGrid(one.points, grid, buffer) === undefined) {
        invalid.add("malformed_points", 1, unfitMessage(one, grid));
        continue;
      }
      if (buffer.length === 0) continue;
      const found = seriesOf(one, this.#cache);
      if (found === undefined || found.kind === "invalid") {
        invalid.add(found?.reason ?? "malformed_labels", 1, found?.message ?? describeSeries(one));
        continue;
      }
      series++;
      samples += buffer.length;
      const waiting = receiver.onSeries(found, buffer);
      if (waiting !== undefined) await waiting;
    }
    invalid.report(receiver);
    return { kind: "complete", series, samples };
  }
}

/**
 * Whether the value at a point can depend on the other points of the request. Then each point is requested
 * alone; otherwise a window would give other samples than its halves.
 *
 * VictoriaMetrics' values do: the value before a gap counts only if the range has samples after the gap, and
 * functions such as running_sum() or topk_avg() use the whole range. PromQL's depend on it only through
 * `start()`, `end()` and `range()`, also after `@` and in durations.
 */
function dependsOnRange(expr: Expr, flavor: StoreFlavor): boolean {
  if (flavor === "victoriametrics") return true;
  let depends = false;
  walk(expr, (node) => {
    if (node.type === "call" && /^(?:start|end|range)$/.test(node.name)) depends = true;
    if (node.type === "rollup" && [node.window, node.step, node.offset].some(usesRange)) depends = true;
  });
  return depends;
}

function unfitMessage(series: QuerySeries, { stepMs }: Grid): string {
  return `the store's points of ${describeSeries(series)} are no numbers at multiples of ${stepMs} ms`;
}

/** Series left out of one evaluation, reported once per reason. */
class InvalidSeriesCounts {
  readonly #byReason = new Map<string, { lines: number; message: string }>();

  add(reason: string, lines: number, message: string): void {
    const before = this.#byReason.get(reason);
    this.#byReason.set(reason, { lines: lines + (before?.lines ?? 0), message: before?.message ?? message });
  }

  report(receiver: SampleReceiver): void {
    for (const [reason, { lines, message }] of this.#byReason) receiver.onInvalid(reason, lines, message);
  }
}
