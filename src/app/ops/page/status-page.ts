import { type Html, html, trustedHtml } from "../../../base/core/html.ts";
import { formatAge, formatExactCount } from "../../../base/core/human.ts";
import type { DaemonStatus } from "../../../exporter/policy/status/status-view.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import { policyList } from "./policy-list.ts";
import type { Readiness } from "./readiness.ts";
import { matches, type SinkRow, type StatusQuery, sinkRows } from "./sink-list.ts";
import { sinkTable } from "./sink-table.ts";
import { summary } from "./summary.ts";

export interface PageView {
  readonly status: DaemonStatus;
  readonly readiness: Readiness;
  readonly query: StatusQuery;
  readonly nowMs: number;
  /** Whether the daemon has a page of its queues. */
  readonly hasQueues: boolean;
}

/**
 * The whole page. It is complete without its script, which only updates {@link livePart} and filters while
 * typing.
 */
export function statusPage(view: PageView): string {
  const { query } = view;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(sinkRows(view.status))}</title>
<link rel="icon" href="data:,">
<style>${trustedHtml(pageStyle)}</style>
</head>
<body>
<header class="top">
<h1>telemetryd</h1>
<form method="get" action="./" role="search">
<label for="filter">Filter sinks</label>
<input id="filter" name="filter" type="search" value="${query.filter}" maxlength="200"
placeholder="policy, sink, endpoint, error" autocomplete="off" spellcheck="false">
${query.health !== undefined && html`<input type="hidden" name="health" value="${query.health}">`}
<button type="submit">Filter</button>
</form>
<div class="renewal">
<span id="renewal"></span>
<button id="pause" type="button" hidden>Pause</button>
</div>
<p id="news" class="unseen" role="status"></p>
</header>
${livePart(view)}
<footer>
<a href="metrics">Metrics</a>
<a href="api/v1/status">Status as JSON</a>
<a href="readyz">Readiness</a>
${view.hasQueues && html`<a href="queues">Queues</a>`}
</footer>
<script>${trustedHtml(pageScript)}</script>
</body>
</html>
`.markup;
}

/** The changing part of the page; the script fetches it alone. */
export function livePart(view: PageView): Html {
  const { status, query, nowMs } = view;
  const all = sinkRows(status);
  const found = all.filter((row) => matches(row, query));
  return html`<main id="live" data-title="${titleOf(all)}" data-news="${newsOf(all, found, query)}">
${identity(view)}
${banners(view)}
${summary({ status, rows: all, query, nowMs })}
<section aria-labelledby="sinks">
<div class="heading"><h2 id="sinks" tabindex="-1">Sinks</h2>${countLine(all, found, query)}</div>
${found.length > 0 ? sinkTable(found.slice(0, query.limit), nowMs) : nothingFound(all, status)}
</section>
${policyList(status.policies, query.limit)}
</main>`;
}

/** The title shows problems in the browser's tab, too. */
function titleOf(rows: readonly SinkRow[]): string {
  const count = inTrouble(rows);
  return count === 0 ? "telemetryd" : `(${count}) telemetryd`;
}

/** A screen reader announces this whenever it changes, and nothing at a refresh that only changes figures. */
function newsOf(all: readonly SinkRow[], found: readonly SinkRow[], query: StatusQuery): string {
  const shown = shownCount(found, query);
  const part = shown < all.length ? `${formatExactCount(shown)} of ` : "";
  return `${part}${formatExactCount(all.length)} sinks shown, ${inTrouble(all)} in trouble`;
}

/** Rows of the table, which has no more than the query's limit. */
function shownCount(found: readonly SinkRow[], { limit }: StatusQuery): number {
  return Math.min(found.length, limit);
}

function inTrouble(rows: readonly SinkRow[]): number {
  return rows.filter(({ health }) => health === "failing" || health === "retrying").length;
}

function identity({ status, readiness, nowMs }: PageView): Html {
  const { replica, source } = status;
  const flavor = source?.flavor === "unknown" ? "not reached yet" : source?.flavor;
  const [tone, word] =
    status.state === "stopping"
      ? ["retrying", "Stopping"]
      : readiness.ready
        ? ["up-to-date", "Ready"]
        : ["failing", "Not ready"];
  return html`<p class="identity"><span class="pill ${tone}">${word}</span>
<span>version ${status.version}</span>
<span>up ${formatAge(nowMs - Date.parse(status.startedAt))}</span>
${replica && html`<span>replica <bdi class="address">${replica}</bdi>, one of ${replicaCount(status)}</span>`}
${source && html`<span>reads <bdi class="address">${source.url}</bdi> (${flavor})</span>`}</p>`;
}

/** This replica, and those that ran the last cycle of some sink. */
function replicaCount({ replica, policies }: DaemonStatus): number {
  const runners = policies.flatMap(({ sinks }) => sinks.map(({ lastCycle }) => lastCycle?.replica));
  return new Set([replica, ...runners].filter((name) => name !== undefined)).size;
}

function banners({ status, readiness }: PageView): Html {
  const lines = [...readiness.reasons.map((reason) => `Not ready: ${reason}`), ...status.degraded];
  if (lines.length === 0) return html``;
  return html`<ul class="banners">${lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}</ul>`;
}

function countLine(all: readonly SinkRow[], found: readonly SinkRow[], query: StatusQuery): Html {
  const filtered = query.filter !== "" || query.health !== undefined;
  const shown = shownCount(found, query);
  const allFound = queryString({ ...query, all: true });
  const more =
    shown < found.length &&
    html`, trouble first · <a href="${allFound}">show all ${formatExactCount(found.length)}</a>`;
  const clear = filtered && html` · <a href="./">clear the filter</a>`;
  return html`<p class="count">${shown} of ${formatExactCount(all.length)}${more}${clear}</p>`;
}

function nothingFound(all: readonly SinkRow[], { policyDirectory: directory }: DaemonStatus): Html {
  if (all.length > 0) return html`<p class="empty">No sink matches the filter.</p>`;
  const place =
    directory !== undefined &&
    html` Policies are read from <bdi class="address">${directory}</bdi>: put an ExportPolicy there, and
<code>telemetryd validate</code> shows its faults.`;
  return html`<p class="empty">No sink yet. Each sink of an ExportPolicy appears here as soon as the policy is
read.${place}</p>`;
}

function queryString({ filter, health, all }: StatusQuery & { all: boolean }): string {
  const parameters = new URLSearchParams();
  if (filter !== "") parameters.set("filter", filter);
  if (health !== undefined) parameters.set("health", health);
  if (all) parameters.set("limit", "all");
  return `./?${parameters}`;
}
