import { type Html, html, trustedHtml } from "../../../base/core/html.ts";
import { formatAge, formatExactCount } from "../../../base/core/human.ts";
import { sharedErrors } from "../../../exporter/policy/status/shared-errors.ts";
import type { DaemonStatus } from "../../../exporter/policy/status/status-view.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import { policyList } from "./policy-list.ts";
import { problemList } from "./problem-list.ts";
import type { Readiness } from "./readiness.ts";
import {
  everything,
  isFiltered,
  isFolded,
  linkTo,
  matches,
  problemId,
  type SinkRow,
  type StatusQuery,
  shownRows,
  sinkRows,
} from "./sink-list.ts";
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
${hiddenParameters(query)}
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
  const errors = sharedErrors(status);
  const shared = new Map(errors.map(({ key, sinks }) => [problemId(key), sinks]));
  const rows = shownRows(found, query, new Set(shared.keys()));
  return html`<main id="live" data-title="${titleOf(all)}" data-news="${newsOf(all, rows)}">
${identity(view)}
${banners(view)}
${summary({ status, rows: all, query, nowMs })}
${problemList(errors, query, nowMs)}
<section aria-labelledby="sinks" data-key="sinks">
<div class="heading"><h2 id="sinks" tabindex="-1">Sinks</h2>${countLine(all, found, rows, query)}</div>
${rows.length > 0 ? sinkTable(rows, { query, shared, nowMs }) : nothingShown(all, found, status)}
</section>
${policyList(status.policies, query)}
</main>`;
}

/** The title shows problems in the browser's tab, too. */
function titleOf(rows: readonly SinkRow[]): string {
  const count = inTrouble(rows);
  return count === 0 ? "telemetryd" : `(${count}) telemetryd`;
}

/** A screen reader announces this whenever it changes, and nothing at a refresh that only changes figures. */
function newsOf(all: readonly SinkRow[], shown: readonly SinkRow[]): string {
  const part = shown.length < all.length ? `${formatExactCount(shown.length)} of ` : "";
  return `${part}${formatExactCount(all.length)} sinks shown, ${inTrouble(all)} in trouble`;
}

/** What the form's address keeps beside the filter. */
function hiddenParameters(query: StatusQuery): Html[] {
  const { search } = new URL(linkTo(query, { filter: "" }), "http://localhost");
  return [...new URLSearchParams(search)].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
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
      : !readiness.ready
        ? ["failing", "Not ready"]
        : status.degraded.length > 0
          ? ["retrying", "Degraded"]
          : ["up-to-date", "Ready"];
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
  const items = lines.map((line) => html`<li><bdi>${line}</bdi></li>`);
  return html`<ul class="banners" data-key="banners">${items}</ul>`;
}

function countLine(
  all: readonly SinkRow[],
  found: readonly SinkRow[],
  shown: readonly SinkRow[],
  query: StatusQuery,
): Html {
  const allFound = linkTo(query, everything);
  const more =
    shown.length < found.length &&
    html` · <a href="${allFound}">show all ${formatExactCount(found.length)}</a>`;
  const cleared = linkTo(query, { filter: "", health: undefined, problem: undefined });
  const clear = isFiltered(query) && html` · <a href="${cleared}">clear the filter</a>`;
  const isPart = shown.length < found.length && query.sort === undefined;
  const count = `${shown.length} of ${formatExactCount(all.length)}${isPart ? ", trouble first" : ""}`;
  const text = isFolded(found.length, query) ? foldedText(all, shown) : count;
  return html`<p class="count">${text}${more}${clear}</p>`;
}

/** Rows that are shown by themselves are those with an error that no other sink has, or few others. */
function foldedText(all: readonly SinkRow[], shown: readonly SinkRow[]): string {
  const count = formatExactCount(all.length);
  if (shown.length > 0) return `${shown.length} of ${count}, those that need a look`;
  return inTrouble(all) === 0
    ? `${count}, none in trouble`
    : `${count}, those in trouble have an error above`;
}

function nothingShown(
  all: readonly SinkRow[],
  found: readonly SinkRow[],
  { policyDirectory: directory }: DaemonStatus,
): Html {
  if (found.length > 0) return html``;
  if (all.length > 0) return html`<p class="empty">No sink matches the filter.</p>`;
  const place =
    directory !== undefined &&
    html` Policies are read from <bdi class="address">${directory}</bdi>: put an ExportPolicy there, and
<code>telemetryd validate</code> shows its faults.`;
  return html`<p class="empty">No sink yet. Each sink of an ExportPolicy appears here as soon as the policy is
read.${place}</p>`;
}
