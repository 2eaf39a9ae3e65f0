import { formatAge } from "../../../../base/core/human.ts";
import { redact } from "../../../../base/log/redact.ts";
import { type SharedError, sharedErrors } from "../../../../exporter/policy/status/shared-errors.ts";
import { type DaemonStatus, healthOrder } from "../../../../exporter/policy/status/status-view.ts";
import { printable, tableLine } from "../../table.ts";
import { rowHealth, type StatusRow, statusRows } from "../report/status-rows.ts";
import { sharedErrorLines, statusCells, type TableOptions } from "../report/status-table.ts";
import { statusWarnings } from "../report/status-warnings.ts";
import { fittingColumns } from "./fitting-columns.ts";

/** What a live table shows. */
export interface WatchState {
  /** The daemon's host and port. */
  readonly host: string;
  /** The last status that was fetched, and when. */
  readonly latest?: { readonly status: DaemonStatus; readonly atMs: number };
  /** Since when, and why, the status cannot be fetched. */
  readonly failure?: { readonly reason: string; readonly sinceMs: number };
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The length of most lags and ages: columns stay in place while these change. */
const leastWidth = 5;

/** How much a line asks for attention. */
export type Urgency = "none" | "warning" | "alarm";

interface ScreenLine {
  readonly text: string;
  readonly urgency: Urgency;
}

/**
 * The lines of a live table: a heading with the time of the last refresh, warnings, the table. They fit the
 * size: columns that matter least are left out, long lines are cut, and rows that find no place are counted.
 *
 * @param paint colours a line that is already cut
 */
export function screenLines(
  state: WatchState,
  options: TableOptions,
  size: ScreenSize,
  nowMs: number,
  paint: (text: string, urgency: Urgency) => string = (text) => text,
): string[] {
  const errors = state.latest === undefined || options.wide ? [] : sharedErrors(state.latest.status);
  const warnings = notes(state, errors, Math.ceil(size.rows / 3), nowMs);
  const top = [
    calm(heading(state, size.columns, nowMs)),
    ...warnings.map((text) => ({ text, urgency: "warning" }) as const),
    calm(""),
  ];
  const table = tableLines(state, options, errors, size.columns);
  const space = Math.max(0, size.rows - top.length);
  const hidden = table.length - space + 1;
  const shown = hidden > 1 ? [...table.slice(0, -hidden), calm(`… ${hidden} more`)] : table;
  return [...top, ...shown]
    .slice(0, size.rows)
    .map(({ text, urgency }) => paint(cut(text, size.columns).trimEnd(), urgency));
}

function calm(text: string): ScreenLine {
  return { text, urgency: "none" };
}

function heading({ host, latest }: WatchState, columns: number, nowMs: number): string {
  if (latest === undefined) return `telemetryd at ${host}`;
  const { status, atMs } = latest;
  const health = statusRows(status, "name").map(rowHealth);
  const counts = healthOrder
    .map((each) => ({ each, count: health.filter((one) => one === each).length }))
    .filter(({ count }) => count > 0)
    .map(({ each, count }) => `${count} ${each}`);
  const daemon = `telemetryd ${status.version} at ${host}`;
  const ageMs = nowMs - atMs;
  const time = `${new Date(atMs).toISOString().slice(11, 19)}Z`;
  const right = ageMs < 1_000 ? time : `${time} (${formatAge(ageMs)} ago)`;
  // The counts matter more than the names.
  const [left = ""] = [daemon, host, ""]
    .map((name) => printable([name, counts.join(", ")].filter((part) => part !== "").join("   ")))
    .filter((text, index) => index === 2 || text.length + 1 + right.length <= columns);
  // Where both do not fit, the time stays: it shows whether the table is alive.
  return `${cut(left, Math.max(0, columns - right.length - 1)).padEnd(columns - right.length)}${right}`;
}

function notes(
  { latest, failure }: WatchState,
  errors: readonly SharedError[],
  limit: number,
  nowMs: number,
): string[] {
  const warnings = latest === undefined ? [] : statusWarnings(latest.status);
  const lines = warnings.map((warning) => `Warning: ${printable(warning)}`);
  lines.push(...sharedErrorLines(errors, latest?.atMs ?? nowMs));
  if (failure !== undefined) {
    lines.unshift(
      `No refresh for ${formatAge(nowMs - failure.sinceMs)}: ${redact(printable(failure.reason))}`,
    );
  }
  if (lines.length <= limit) return lines;
  return [...lines.slice(0, limit - 1), `… ${lines.length - limit + 1} more`];
}

function tableLines(
  { latest }: WatchState,
  options: TableOptions,
  errors: readonly SharedError[],
  columns: number,
): ScreenLine[] {
  if (latest === undefined) return [];
  const { status, atMs } = latest;
  if (status.policies.length === 0) return [calm("No policies found.")];
  const { header, rows } = statusCells(status, options, atMs, errors);
  const all = [header, ...rows.map(({ cells }) => cells)];
  // Whoever asks for the wide table wants every column.
  const { lines, widths } = fittingColumns(
    all,
    options.wide ? Number.POSITIVE_INFINITY : columns,
    leastWidth,
  );
  return lines.map((line, index) => {
    const row = rows[index - 1]?.row;
    return { text: tableLine(line, widths), urgency: row === undefined ? "none" : urgencyOf(row) };
  });
}

function urgencyOf(row: StatusRow): Urgency {
  const health = rowHealth(row);
  if (health === "failing") return "alarm";
  return health === "retrying" || health === "catching-up" ? "warning" : "none";
}

/** Cuts between characters, also those outside the basic plane. */
function cut(line: string, columns: number): string {
  return line.length <= columns ? line : [...line].slice(0, columns).join("");
}
