import { type Html, html } from "../../../base/core/html.ts";
import { formatAge, formatCount, formatExactCount, formatRate } from "../../../base/core/human.ts";
import type { Condition } from "../../../exporter/policy/status/conditions.ts";
import { findCondition, type SinkHealth } from "../../../exporter/policy/status/status-view.ts";
import { lostOf, type SinkRow } from "./sink-list.ts";
import { recentRate, sparklineSvg } from "./sparkline-svg.ts";

/** The sinks as a table; on a phone, as cards. Roles are explicit: `display: block` removes a table's own. */
export function sinkTable(rows: readonly SinkRow[], nowMs: number): Html {
  return html`<table role="table"><thead role="rowgroup"><tr role="row">${["State", "Sink"].map(heading)}${["Lag", "Delivering", "Delivered", "Rejected, dropped", "Retries"].map(numberHeading)}${heading("Last error")}</tr></thead>
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
  return html`<tr role="row" data-key="${key}">
<td role="cell" class="state"><span class="pill ${health}"><span aria-hidden="true">${marks[health]}</span> ${state}</span></td>
<th role="rowheader" scope="row">${details(row, nowMs)}<bdi class="address">${sink.endpoint}</bdi></th>
<td role="cell" class="number" data-label="Lag">${sink.lagMs === undefined ? "–" : formatAge(sink.lagMs)}</td>
<td role="cell" class="number flow" data-label="Delivering"><span>${formatRate(recentRate(sink.sparkline))}</span>${sparklineSvg(sink.sparkline)}</td>
<td role="cell" class="number" data-label="Delivered" title="${formatExactCount(sink.delivered)}">${formatCount(sink.delivered)}</td>
<td role="cell" class="number${lost > 0 && " lost"}" data-label="Rejected" title="${formatExactCount(sink.rejected)} rejected, ${formatExactCount(sink.dropped)} dropped">${formatCount(lost)}</td>
<td role="cell" class="number" data-label="Retries">${formatCount(sink.retries)}</td>
<td role="cell" class="error">${problem(row, nowMs)}</td>
</tr>`;
}

/** The last problem. A sink that was never accepted has sent nothing: its condition holds the reason. */
function problem({ sink }: SinkRow, nowMs: number): Html {
  const accepted = findCondition(sink.conditions, "Accepted");
  const notAccepted =
    accepted?.status === "False" ? { at: accepted.lastTransitionTime, message: accepted.message } : undefined;
  const error = notAccepted ?? sink.lastError;
  if (error === undefined) return html``;
  return html`<bdi class="message">${error.message}</bdi> <span class="ago">${since(error.at, nowMs)}</span>`;
}

function details({ policy, sink }: SinkRow, nowMs: number): Html {
  return html`<details><summary><bdi class="policy">${policy.plane !== "directory" && `${policy.plane}: `}${policy.namespace}/${policy.name}</bdi> <span class="policy">›</span> <bdi class="name">${sink.name}</bdi></summary>
<dl>
${policy.plane !== "directory" && fact("Control plane", policy.plane)}
${sink.conditions.map((condition) => conditionFact(condition, nowMs))}
${sink.sources.map(({ name, checkpoint, error }) => fact(`Source ${name}`, `${checkpoint === undefined ? "not read yet" : `has everything up to ${checkpoint.replace(/\.\d+Z$/, "Z")}`}${error === undefined ? "" : `; ${error}`}`))}
${fact("Last delivery", sink.lastDeliveredAt === undefined ? "none yet" : since(sink.lastDeliveredAt, nowMs))}
${sink.lastCycle !== undefined && fact("Last cycle", `run by ${sink.lastCycle.replica}, ended ${since(sink.lastCycle.at, nowMs)}`)}
${fact("Samples", `${formatExactCount(sink.delivered)} delivered, ${formatExactCount(sink.rejected)} rejected, ${formatExactCount(sink.dropped)} dropped, ${formatExactCount(sink.repeated)} sent twice`)}
${sink.lastError !== undefined && fact("Last error", sink.lastError.message)}
</dl></details>`;
}

function conditionFact(
  { type, status, reason, message, lastTransitionTime }: Condition,
  nowMs: number,
): Html {
  return fact(
    `${type}: ${status}`,
    `${reason}, since ${formatAge(nowMs - Date.parse(lastTransitionTime))}. ${message}`,
  );
}

function fact(name: string, value: string): Html {
  return html`<dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd>`;
}

function since(at: string, nowMs: number): string {
  return `${formatAge(nowMs - Date.parse(at))} ago`;
}
