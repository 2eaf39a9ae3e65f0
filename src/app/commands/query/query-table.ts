import { describeSeries } from "../../../exporter/metrics-store/expressions/evaluated-series.ts";
import { type Grid, pointsOf } from "../../../exporter/metrics-store/expressions/grid.ts";
import {
  pointValue,
  type QueryPoint,
  type QuerySeries,
} from "../../../exporter/metrics-store/expressions/query-response.ts";
import { renderTable } from "../table.ts";

const plotWidth = 60;
const blocks = "▁▂▃▄▅▆▇█";
const noSeries = "No series found.\n";

/** The values at one time; a series with several (`up[5m]`) has a line for each. */
export function instantTable(series: readonly QuerySeries[]): string {
  const rows = series.flatMap((one) =>
    one.points.map(({ timestampMs, text }) => [
      text,
      new Date(timestampMs).toISOString(),
      describeSeries(one),
    ]),
  );
  return rows.length === 0 ? noSeries : renderTable(["VALUE", "TIME", "SERIES"], rows);
}

/** A small plot of each series over the range, each on its own scale, with its figures. */
export function rangeTable(series: readonly QuerySeries[], grid: Grid): string {
  if (series.length === 0) return noSeries;
  const rows = series.map((one) => {
    const values = one.points.flatMap(({ text }) => pointValue(text) ?? []).filter(Number.isFinite);
    const text = (value: number): string => (values.length === 0 ? "-" : shortNumber(value));
    // Not spread: a range may have more points than a call accepts arguments.
    const min = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    const max = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    return [
      plot(one.points, grid),
      text(min),
      text(max),
      one.points.at(-1)?.text ?? "-",
      describeSeries(one),
    ];
  });
  const { firstMs, lastMs, stepMs } = grid;
  const [from, to] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
  const table = renderTable(["PLOT", "MIN", "MAX", "LAST", "SERIES"], rows);
  return `${from} to ${to}, every ${stepMs / 1_000} s\n${table}`;
}

/**
 * The points as one line of block characters, from the lowest to the highest value; · marks a missing point,
 * ? a value without a height (NaN, infinities). With more points than columns, each column shows its last
 * point.
 */
export function plot(points: readonly QueryPoint[], grid: Grid): string {
  const count = pointsOf(grid);
  const columns = new Array<number | undefined>(Math.min(count, plotWidth)).fill(undefined);
  for (const { timestampMs, text } of points) {
    const index = Math.round((timestampMs - grid.firstMs) / grid.stepMs);
    if (index < 0 || index >= count) continue;
    columns[Math.floor((index * columns.length) / count)] = pointValue(text) ?? Number.NaN;
  }
  const heights = columns.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
  const min = Math.min(...heights);
  const span = Math.max(...heights) - min;
  return columns
    .map((value) => {
      if (value === undefined) return "·";
      if (!Number.isFinite(value)) return "?";
      const level = span > 0 ? ((value - min) / span) * (blocks.length - 1) : 0;
      return blocks[Math.round(level)] ?? "?";
    })
    .join("");
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
