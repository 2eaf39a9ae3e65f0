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
import { lostOf, type SinkRow } from "./sink-list.ts";
import { recentRate, sparklineSvg } from "./sparkline-svg.ts";

/** The sinks as a table; on a phone, as cards. Roles are explicit: `display: block` removes a table's own. */
export function sinkTable(rows: readonly SinkRow[], nowMs: number): Html {
  const headings = [
    ...["State", "Sink"].map(heading),
    ...["Lag", "Delivering", "Delivered", "Rejected, dropped", "Retries"].map(numberHeading),
    heading("Last error"),
  ];
  return html`<table role="table" aria-labelledby="sinks">
<thead role="rowgroup"><tr role="row">${headings}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => sinkRow(row, nowMs))}</tbody></table>`;
}

function heading(text: string): Html {
  return html`<th role="columnheader" scope="col">${text}</th>`;
}

function numberHeading(text: string): Html {
  return html`<th role="columnheader" scope="col" class="number">${text}</th>`;
}

const marks: Readonly<Record<SinkHealth, string>> = {
  failing: "✕",
  retrying: "↻",
  "catching-up": "»",
  starting: "○",
  "up-to-date": "✓",
  paused: "‖",
};

function sinkRow(row: SinkRow, nowMs: number): Html {
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
<td role="cell" class="error">${problem(row, nowMs)}</td>
</tr>`;
}

function problem({ sink }: SinkRow, nowMs: number): Html {
  const error = shownError(sink);
  if (error === undefined) return html``;
  const loss = sink.losesDataAt !== undefined && ` · loses data ${until(sink.losesDataAt, nowMs)}`;
  const ago = html`<span class="ago">${since(error.at, nowMs)}${loss}</span>`;
  return html`<bdi class="message">${error.message}</bdi> ${ago}`;
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
${fact("Last delivery", sink.lastDeliveredAt === undefined ? "none yet" : since(sink.lastDeliveredAt, nowMs))}
${sink.lastCycle !== undefined && fact("Last cycle", lastCycleText(sink.lastCycle, nowMs))}
${sink.losesDataAt !== undefined && fact("Loses data", until(sink.losesDataAt, nowMs))}
${sink.nextAttemptAt !== undefined && fact("Next attempt", until(sink.nextAttemptAt, nowMs))}
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

function sourceProgress({ checkpoint, series, error }: SinkSourceView): string {
  const selected = series === undefined ? "" : `${formatExactCount(series)} series, `;
  const progress =
    checkpoint === undefined
      ? "not read yet"
      : `${selected}has everything up to ${checkpoint.replace(/\.\d+Z$/, "Z")}`;
  return error === undefined ? progress : `${progress}; ${error}`;
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
function until(at: string, nowMs: number): string {
  const leftMs = Date.parse(at) - nowMs;
  return leftMs <= 0 ? "now" : `in ${formatAge(leftMs)}`;
}

function since(at: string, nowMs: number): string {
  return `${formatAge(nowMs - Date.parse(at))} ago`;
}
