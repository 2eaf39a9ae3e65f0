import type { LineSink } from "../../../../base/log/log.ts";
import { findCondition, sinkKey } from "../../../../exporter/policy/status/status-view.ts";
import { columnWidths, tableLine } from "../../table.ts";
import { readiness, type StatusRow } from "../report/status-rows.ts";
import { type StatusCells, statusCells, type TableOptions } from "../report/status-table.ts";
import { statusWarnings } from "../report/status-warnings.ts";
import { createTroubles } from "./troubles.ts";
import type { WatchView } from "./watch-status.ts";

/**
 * For files and pipes, as `kubectl get --watch`: a table to which changed rows are appended, each with its
 * time. Lags, ages and counts of delivered samples differ every time and make no change.
 */
export function createChangesView(out: LineSink, warnings: LineSink, options: TableOptions): WatchView {
  const print = tablePrinter(out);
  const troubles = createTroubles(warnings);
  let seen: ReadonlyMap<string, SeenRow> | undefined;
  return {
    show(status, nowMs) {
      troubles.succeeded(statusWarnings(status));
      const table = statusCells(status, options, nowMs);
      const rows = new Map(table.rows.map((each) => [sinkKey(each.row), { ...each, news: news(each.row) }]));
      const changed = [...rows].filter(([key, { news }]) => seen?.get(key)?.news !== news);
      const gone = [...(seen ?? [])].filter(([key]) => !rows.has(key));
      print(
        ["TIME", ...table.header],
        [
          ...changed.map(([, { cells }]) => cells),
          ...gone.map(([, { cells }]) => removedCells(table.header, cells)),
        ].map((cells) => [`${new Date(nowMs).toISOString().slice(0, 19)}Z`, ...cells]),
      );
      if (seen === undefined && rows.size === 0) warnings.write("No policies found.\n");
      seen = rows;
    },
    fail: troubles.failed,
  };
}

type SeenRow = StatusCells["rows"][number] & { readonly news: string };

/** Prints rows below those before, with a header first; columns only ever become wider. */
function tablePrinter(out: LineSink) {
  let widths: number[] = [];
  let isFirst = true;
  return (header: readonly string[], rows: ReadonlyArray<readonly string[]>): void => {
    if (rows.length === 0) return;
    const lines = isFirst ? [header, ...rows] : rows;
    isFirst = false;
    widths = columnWidths(lines).map((width, column) => Math.max(width, widths[column] ?? 0));
    out.write(lines.map((line) => `${tableLine(line, widths)}\n`).join(""));
  };
}

/** What makes a row worth another line. */
function news(row: StatusRow): string {
  const { sink } = row;
  const ready = readiness(row);
  const delivering = sink && findCondition(sink.conditions, "Delivering");
  return JSON.stringify([
    [ready?.status, ready?.message, delivering?.reason, sink?.endpoint],
    [sink?.rejected, sink?.dropped, sink?.lateRejected, sink?.lastError?.message],
  ]);
}

/** Keeps the names of a sink that is no longer there. */
function removedCells(header: readonly string[], cells: readonly string[]): string[] {
  return cells.map((cell, column) => {
    const title = header[column] ?? "";
    if (title === "DELIVERING") return "Removed";
    return ["NAMESPACE", "POLICY", "SINK"].includes(title) ? cell : "-";
  });
}
