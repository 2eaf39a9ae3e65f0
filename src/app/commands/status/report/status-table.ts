import { formatAge, formatCount, formatExactCount } from "../../../../base/core/human.ts";
import {
  type SharedError,
  sharedErrorKey,
  sharedErrors,
} from "../../../../exporter/policy/status/shared-errors.ts";
import {
  type DaemonStatus,
  type ErrorView,
  findCondition,
  type SinkSourceView,
  type SinkView,
  shownError,
} from "../../../../exporter/policy/status/status-view.ts";
import { printable, renderTable } from "../../table.ts";
import { readiness, type StatusOrder, type StatusRow, statusRows } from "./status-rows.ts";

/** Of most responses, the part that says why is within this. */
const errorColumnWidth = 160;

/** How a table is printed. */
export interface TableOptions {
  readonly wide: boolean;
  readonly sort: StatusOrder;
}

/** A table's texts, not yet printable. */
export interface StatusCells {
  readonly header: readonly string[];
  readonly rows: ReadonlyArray<{ readonly row: StatusRow; readonly cells: readonly string[] }>;
}

/** The status as a table, with shared errors below it. AGE is the time in the current state. */
export function statusTable(status: DaemonStatus, options: TableOptions, nowMs: number): string {
  const errors = options.wide ? [] : sharedErrors(status);
  const { header, rows } = statusCells(status, options, nowMs, errors);
  const table = renderTable(
    header,
    rows.map(({ cells }) => cells),
  );
  return [table, ...sharedErrorLines(errors, nowMs).map((line) => `${line}\n`)].join("");
}

/** A line for each error that several sinks share, with the number that stands for it in the table. */
export function sharedErrorLines(errors: readonly SharedError[], nowMs: number): string[] {
  return errors.map(({ reason, message, sinks, since, losesDataAt }, index) => {
    const first = since && `first ${formatAge(nowMs - Date.parse(since))} ago`;
    const loss = losesDataAt && `loses data in ${untilText(losesDataAt, nowMs)}`;
    const times = [first, loss].filter(Boolean).join(", ");
    return printable(`[${index + 1}] ${sinks} sinks ${reason}: ${message}${times && ` (${times})`}`);
  });
}

/** @param errors those that {@link sharedErrorLines} shows, which rows only refer to */
export function statusCells(
  status: DaemonStatus,
  { wide, sort }: TableOptions,
  nowMs: number,
  errors: readonly SharedError[] = [],
): StatusCells {
  // Most often no sink is in trouble.
  const isInTrouble = status.policies.some(({ sinks }) => sinks.some(({ losesDataAt }) => losesDataAt));
  const inTrouble = isInTrouble ? [lossColumn] : [];
  const columns = wide
    ? [
        ...usualColumns,
        lossColumn,
        nextAttemptColumn,
        ...wideColumns,
        ...(status.replica === undefined ? [] : [replicaColumn]),
        errorColumn(Number.POSITIVE_INFINITY, errors),
      ]
    : [...usualColumns, ...inTrouble, errorColumn(errorColumnWidth, errors)];
  return {
    header: columns.map(({ title }) => title),
    rows: statusRows(status, sort).map((row) => ({
      row,
      cells: columns.map(({ cell }) => cell({ ...row, nowMs }) ?? "-"),
    })),
  };
}

interface Line extends StatusRow {
  readonly nowMs: number;
}

interface Column {
  readonly title: string;
  /** `undefined` is shown as "-". */
  cell(line: Line): string | undefined;
}

const usualColumns: readonly Column[] = [
  { title: "NAMESPACE", cell: ({ policy }) => policy.namespace },
  { title: "POLICY", cell: ({ policy }) => policy.name },
  { title: "SINK", cell: ({ sink }) => sink?.name },
  { title: "READY", cell: (line) => readiness(line)?.status },
  { title: "DELIVERING", cell: ({ sink }) => sink && findCondition(sink.conditions, "Delivering")?.reason },
  { title: "LAG", cell: ({ sink }) => (sink?.lagMs === undefined ? undefined : formatAge(sink.lagMs)) },
  { title: "DELIVERED", cell: ({ sink }) => sink && formatCount(sink.delivered) },
  { title: "REJECTED", cell: ({ sink }) => sink && formatCount(sink.rejected) },
  { title: "AGE", cell: ageOf },
];

/** When the oldest samples that are not delivered are lost. */
const lossColumn: Column = {
  title: "LOSES DATA IN",
  cell: ({ sink, nowMs }) => untilText(sink?.losesDataAt, nowMs),
};
const nextAttemptColumn: Column = {
  title: "NEXT ATTEMPT",
  cell: ({ sink, nowMs }) => untilText(sink?.nextAttemptAt, nowMs),
};

function untilText(at: string | undefined, nowMs: number): string | undefined {
  return at === undefined ? undefined : formatAge(Math.max(0, Date.parse(at) - nowMs));
}

const wideColumns: readonly Column[] = [
  { title: "SERIES", cell: ({ sink }) => sink && sumOf(sink, ({ series }) => series) },
  { title: "SAMPLES/MIN", cell: ({ sink }) => sink && sumOf(sink, (source) => source.samplesPerMinute) },
  {
    title: "RESPONSE",
    cell: ({ sink, nowMs }) => sink?.lastResponse && responseText(sink.lastResponse, nowMs),
  },
  { title: "DROPPED", cell: ({ sink }) => sink && formatExactCount(sink.dropped) },
  { title: "REPEATED", cell: ({ sink }) => sink && formatExactCount(sink.repeated) },
  { title: "LATE", cell: ({ sink }) => sink && formatExactCount(sink.late) },
  { title: "LATE REJECTED", cell: ({ sink }) => sink && formatExactCount(sink.lateRejected) },
  { title: "UNCHECKED", cell: ({ sink }) => sink && formatAge(sink.uncheckedSeconds * 1_000) },
  { title: "RETRIES", cell: ({ sink }) => sink && formatExactCount(sink.retries) },
  { title: "CHECKPOINT", cell: ({ sink }) => sink?.checkpoint },
  { title: "PLANE", cell: ({ policy }) => policy.plane },
  { title: "ENDPOINT", cell: ({ sink }) => sink?.endpoint },
];

function sumOf(
  { sources }: SinkView,
  countOf: (source: SinkSourceView) => number | undefined,
): string | undefined {
  const counts = sources.map(countOf).filter((count) => count !== undefined);
  return counts.length === 0 ? undefined : formatExactCount(counts.reduce((sum, count) => sum + count, 0));
}

function responseText({ at, status }: NonNullable<SinkView["lastResponse"]>, nowMs: number): string {
  return `${status} (${formatAge(nowMs - Date.parse(at))} ago)`;
}

/** In a fleet: the replica that ran the sink's last cycle. */
const replicaColumn: Column = { title: "REPLICA", cell: ({ sink }) => sink?.lastCycle?.replica };

function errorColumn(width: number, shared: readonly SharedError[]): Column {
  const numbers = new Map(shared.map(({ key }, index) => [key, index + 1]));
  return {
    title: "LAST ERROR",
    cell: (line) => {
      const error = line.sink === undefined ? faultsOf(line) : shownError(line.sink);
      if (error === undefined) return undefined;
      const number = line.sink && numbers.get(sharedErrorKey(line.sink) ?? "");
      const message = number === undefined ? error.message : `[${number}]`;
      const shown = message.length > width ? `${message.slice(0, width - 1)}…` : message;
      return `${shown} (${formatAge(line.nowMs - Date.parse(error.at))} ago)`;
    },
  };
}

/** Of a policy without a running sink. */
function faultsOf(line: Line): ErrorView | undefined {
  const ready = readiness(line);
  return ready?.status === "False" ? { at: ready.lastTransitionTime, message: ready.message } : undefined;
}

function ageOf(line: Line): string | undefined {
  const { sink, nowMs } = line;
  const condition = (sink && findCondition(sink.conditions, "Delivering")) ?? readiness(line);
  const since = sink?.stateSince ?? condition?.lastTransitionTime;
  return since && formatAge(nowMs - Date.parse(since));
}
