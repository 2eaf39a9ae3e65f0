import { type Html, html } from "../../../base/core/html.ts";
import { formatAge, formatCount, formatExactCount, formatRate } from "../../../base/core/human.ts";
import type { Condition } from "../../../exporter/policy/status/conditions.ts";
import {
  type SinkHealth,
  type SinkSourceView,
  type SinkView,
  shownError,
} from "../../../exporter/policy/status/status-view.ts";
import { lateRejectionText, lateText } from "./late-samples.ts";
import { linkTo, lostOf, type SinkOrder, type SinkRow, type StatusQuery } from "./sink-list.ts";
import { recentRate, sparklineSvg } from "./sparkline-svg.ts";

/** The sinks as a table; on a phone, as cards. Roles are explicit: `display: block` removes a table's own. */
export function sinkTable(rows: readonly SinkRow[], view: SinkTableView): Html {
  return html`<table role="table" aria-labelledby="sinks">
<thead role="rowgroup"><tr role="row">${columns.map((column) => heading(column, view.query))}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => sinkRow(row, view))}</tbody></table>`;
}

export interface SinkTableView {
  readonly query: StatusQuery;
  /** The number of sinks with each error that the page shows by itself, by its {@link problemId}. */
  readonly shared: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/** Without an order of its own, a column stands for the usual one. */
const columns: ReadonlyArray<readonly [title: string, order: SinkOrder | undefined]> = [
  ["State", undefined],
  ["Sink", "name"],
  ["Lag", "lag"],
  ["Delivering", "rate"],
  ["Delivered", "delivered"],
  ["Rejected, dropped", "lost"],
  ["Retries", "retries"],
  ["Last error", "error"],
];

/** A click sorts by the column, another one the other way round. */
function heading([title, order]: (typeof columns)[number], query: StatusQuery): Html {
  const isSorted = query.sort === order;
  const isReversed = isSorted && order !== undefined && !query.isReversed;
  const link = linkTo(query, { sort: order, isReversed });
  const isAscending = (order === "name") !== query.isReversed;
  const direction = isAscending ? "ascending" : "descending";
  const sorted = isSorted && order !== undefined && html` aria-sort="${direction}"`;
  const mark =
    isSorted && order !== undefined && html` <span aria-hidden="true">${isAscending ? "▴" : "▾"}</span>`;
  const number = order !== undefined && order !== "name" && order !== "error" && html` class="number"`;
  const text = html`<a href="${link}">${title}</a>${mark}`;
  return html`<th role="columnheader" scope="col"${number}${sorted}>${text}</th>`;
}

const marks: Readonly<Record<SinkHealth, string>> = {
  failing: "✕",
  retrying: "↻",
  "catching-up": "»",
  starting: "○",
  "up-to-date": "✓",
  paused: "‖",
};

function sinkRow(row: SinkRow, view: SinkTableView): Html {
  const { nowMs } = view;
  const { key, sink, health, state } = row;
  const lost = lostOf(sink);
  const losses = `${formatExactCount(sink.rejected)} rejected, ${formatExactCount(sink.dropped)} dropped`;
  const mark = html`<span aria-hidden="true">${marks[health]}</span>`;
  const rate = html`<span>${formatRate(recentRate(sink.sparkline))}</span>${sparklineSvg(sink.sparkline)}`;
  const lag = sink.lagMs === undefined ? "–" : formatAge(sink.lagMs);
  const lostClass = lost > 0 && " lost";
  const delivered = formatExactCount(sink.delivered);
  return html`<tr role="row" data-key="${key}">
<td role="cell" class="state"><span class="pill ${health}">${mark} ${state}</span></td>
<th role="rowheader" scope="row">${details(row, nowMs)}<bdi class="address">${sink.endpoint}</bdi></th>
<td role="cell" class="number" data-label="Lag">${lag}</td>
<td role="cell" class="number flow" data-label="Delivering">${rate}</td>
<td role="cell" class="number" data-label="Delivered" title="${delivered}">${formatCount(sink.delivered)}</td>
<td role="cell" class="number${lostClass}" data-label="Rejected" title="${losses}">${formatCount(lost)}</td>
<td role="cell" class="number" data-label="Retries">${formatCount(sink.retries)}</td>
<td role="cell" class="error">${problem(row, view)}</td>
</tr>`;
}

function problem({ sink, problem: id }: SinkRow, { shared, nowMs }: SinkTableView): Html {
  const error = shownError(sink);
  if (error === undefined) return html``;
  const loss = sink.losesDataAt !== undefined && ` · loses data ${untilText(sink.losesDataAt, nowMs)}`;
  const ago = html`<span class="ago">${since(error.at, nowMs)}${loss}</span>`;
  const sinks = id === undefined ? undefined : shared.get(id);
  if (sinks === undefined) return html`<bdi class="message">${error.message}</bdi> ${ago}`;
  return html`<a href="#problem-${id}">the error of ${formatExactCount(sinks)} sinks</a> ${ago}`;
}

function details({ policy, sink }: SinkRow, nowMs: number): Html {
  const late = lateText(sink);
  const lateRejection = lateRejectionText(sink, nowMs);
  const origin = policy.plane !== "directory" && `${policy.plane}: `;
  return html`<details><summary><bdi class="policy">${origin}${policy.namespace}/${policy.name}</bdi>
<span class="policy">›</span> <bdi class="name">${sink.name}</bdi></summary>
<dl>
${policy.plane !== "directory" && fact("Control plane", policy.plane)}
${sink.conditions.map((condition) => conditionFact(condition, sink.stateSince, nowMs))}
${sink.sources.map((source) => fact(`Source ${source.name}`, sourceText(source)))}
${sink.lastResponse !== undefined && fact("Last response", responseText(sink.lastResponse, nowMs))}
${fact("Last delivery", sink.lastDeliveredAt === undefined ? "none yet" : since(sink.lastDeliveredAt, nowMs))}
${sink.lastCycle !== undefined && fact("Last cycle", lastCycleText(sink.lastCycle, nowMs))}
${sink.losesDataAt !== undefined && fact("Loses data", untilText(sink.losesDataAt, nowMs))}
${sink.nextAttemptAt !== undefined && fact("Next attempt", untilText(sink.nextAttemptAt, nowMs))}
${fact("Samples", samplesText(sink))}
${late !== undefined && fact("Late samples", late)}
${lateRejection !== undefined && fact("Late samples refused", lateRejection)}
${sink.lastError !== undefined && fact("Last error", sink.lastError.message)}
</dl></details>`;
}

function sourceText(source: SinkSourceView): string {
  const progress = sourceProgress(source);
  return source.query === undefined ? progress : `${source.query} — ${progress}`;
}

function sourceProgress({ checkpoint, series, samplesPerMinute, error }: SinkSourceView): string {
  const samples =
    samplesPerMinute === undefined ? "" : `${formatExactCount(samplesPerMinute)} samples a minute, `;
  const selected = series === undefined ? "" : `${formatExactCount(series)} series, ${samples}`;
  const progress =
    checkpoint === undefined
      ? "not read yet"
      : `${selected}has everything up to ${checkpoint.replace(/\.\d+Z$/, "Z")}`;
  return error === undefined ? progress : `${progress}; ${error}`;
}

function responseText({ at, status }: NonNullable<SinkView["lastResponse"]>, nowMs: number): string {
  return `HTTP ${status}, ${since(at, nowMs)}`;
}

function lastCycleText(
  { replica, at }: { readonly replica: string; readonly at: string },
  nowMs: number,
): string {
  return `run by ${replica}, ended ${since(at, nowMs)}`;
}

function samplesText({ delivered, rejected, dropped, repeated }: SinkView): string {
  const counts = { delivered, rejected, dropped, "sent twice": repeated };
  return Object.entries(counts)
    .map(([fate, samples]) => `${formatExactCount(samples)} ${fate}`)
    .join(", ");
}

function conditionFact(
  { type, status, reason, message, lastTransitionTime }: Condition,
  stateSince: string | undefined,
  nowMs: number,
): Html {
  // A condition's own time is that of its status: Retrying and Suspended have the same one.
  const since = (type === "Delivering" ? stateSince : undefined) ?? lastTransitionTime;
  return fact(`${type}: ${status}`, `${reason}, since ${formatAge(nowMs - Date.parse(since))}. ${message}`);
}

function fact(name: string, value: string): Html {
  return html`<dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd>`;
}

/** `in 5m` */
export function untilText(at: string, nowMs: number): string {
  const leftMs = Date.parse(at) - nowMs;
  return leftMs <= 0 ? "now" : `in ${formatAge(leftMs)}`;
}

function since(at: string, nowMs: number): string {
  return `${formatAge(nowMs - Date.parse(at))} ago`;
}
