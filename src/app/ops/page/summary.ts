import { formatByteSize } from "../../../base/core/byte-size.ts";
import { type Html, html } from "../../../base/core/html.ts";
import { formatAge, formatCount, formatExactCount, formatRate } from "../../../base/core/human.ts";
import {
  type DaemonStatus,
  findCondition,
  type GatewayView,
  healthOrder,
  type RejectedView,
  type SinkHealth,
} from "../../../exporter/policy/status/status-view.ts";
import { lateTile } from "./late-samples.ts";
import { healthWord, linkTo, lostOf, type SinkRow, type StatusQuery } from "./sink-list.ts";
import { recentRate, sparklineSvg } from "./sparkline-svg.ts";

/** The headline figures: healthy sinks, throughput, the largest lag, lost samples. */
export function summary(view: {
  status: DaemonStatus;
  rows: readonly SinkRow[];
  query: StatusQuery;
  nowMs: number;
}): Html {
  const { status, rows, query } = view;
  return html`<section class="tiles" aria-label="Summary" data-key="tiles">
${healthTile(rows, query)}
${flowTile(rows)}
${lagTile(rows)}
${lossTile(status, rows)}
${lateTile(rows.map(({ sink }) => sink))}
${policyTile(status)}
${status.gateway !== undefined && gatewayTile(status.gateway)}
</section>`;
}

function healthTile(rows: readonly SinkRow[], query: StatusQuery): Html {
  const counts = healthOrder
    .map((health) => ({ health, count: rows.filter((row) => row.health === health).length }))
    .filter(({ count }) => count > 0);
  const chips = counts.map(({ health, count }) => {
    const current = query.health === health && html` aria-current="true"`;
    const text = `${formatExactCount(count)} ${healthWord(health).toLowerCase()}`;
    const link = html`<a class="chip ${health}" href="${chipTarget(health, query)}"${current}>${text}</a>`;
    return html`<li data-key="${health}">${link}</li>`;
  });
  return html`<div class="tile wide"><h2>Sinks</h2><p class="figure">${formatExactCount(rows.length)}</p>
${healthBar(counts, rows.length)}
<ul class="chips">${chips}</ul></div>`;
}

/** Decorative for screen readers: the chips beside it give the same counts as text. */
function healthBar(counts: ReadonlyArray<{ health: SinkHealth; count: number }>, total: number): Html {
  let x = 0;
  const bars = counts.map(({ health, count }) => {
    // One failing sink of a thousand must still be visible.
    const width = Math.max(1.5, (count / Math.max(1, total)) * 100);
    const [left, extent] = [x.toFixed(2), width.toFixed(2)];
    const bar = html`<rect class="${health}" x="${left}" y="0" width="${extent}" height="6"/>`;
    x += width;
    return bar;
  });
  const extent = Math.max(100, x).toFixed(2);
  return html`<svg class="bar" viewBox="0 0 ${extent} 6" preserveAspectRatio="none"
aria-hidden="true">${bars}</svg>`;
}

/** Selecting the active chip again clears the filter. */
function chipTarget(health: SinkHealth, query: StatusQuery): string {
  return linkTo(query, { health: query.health === health ? undefined : health, problem: undefined });
}

function flowTile(rows: readonly SinkRow[]): Html {
  const total: number[] = [];
  for (const { sink } of rows) {
    for (const [index, count] of sink.sparkline.entries()) total[index] = (total[index] ?? 0) + count;
  }
  const delivered = rows.reduce((sum, { sink }) => sum + sink.delivered, 0);
  return html`<div class="tile"><h2>Delivering</h2><p class="figure">${formatRate(recentRate(total))}</p>
${sparklineSvg(total)}<p class="note">${formatCount(delivered)} since the start</p></div>`;
}

function lagTile(rows: readonly SinkRow[]): Html {
  let worst: SinkRow | undefined;
  for (const row of rows) {
    if (row.sink.lagMs === undefined || row.health === "paused") continue;
    if (row.sink.lagMs > (worst?.sink.lagMs ?? -1)) worst = row;
  }
  const figure = worst === undefined ? "–" : formatAge(worst.sink.lagMs ?? 0);
  const note =
    worst === undefined
      ? "nothing has been read yet"
      : html`<bdi>${worst.policy.name}</bdi> › <bdi>${worst.sink.name}</bdi>`;
  return html`<div class="tile"><h2>Greatest lag</h2><p class="figure">${figure}</p>
<p class="note">${note}</p></div>`;
}

function lossTile(status: DaemonStatus, rows: readonly SinkRow[]): Html {
  const lost = rows.reduce((sum, { sink }) => sum + lostOf(sink), 0);
  const repeated = rows.reduce((sum, { sink }) => sum + sink.repeated, 0);
  const note =
    status.rejected === undefined ? `${formatCount(repeated)} sent twice` : keptText(status.rejected);
  return html`<div class="tile"><h2>Rejected or dropped</h2>
<p class="figure${lost > 0 && " lost"}">${formatCount(lost)}</p>
<p class="note">${note}</p></div>`;
}

function keptText({ batches, bytes, maxBytes }: RejectedView): string {
  return `${batches} rejected requests kept, ${formatByteSize(bytes)} of ${formatByteSize(maxBytes)}`;
}

function policyTile(status: DaemonStatus): Html {
  const notReady = status.policies.filter(
    ({ conditions }) => findCondition(conditions, "Ready")?.status === "False",
  ).length;
  const note =
    notReady === 0
      ? status.policies.length === 0
        ? "none has been read yet"
        : "all are configured"
      : html`<a class="lost" href="#policies">${notReady} with faults</a>`;
  return html`<div class="tile"><h2>Policies</h2>
<p class="figure">${formatExactCount(status.policies.length)}</p>
<p class="note">${note}</p></div>`;
}

function gatewayTile({ programs, refused, problem }: GatewayView): Html {
  const note =
    problem !== null
      ? html`<span class="lost">not up to date: <bdi>${problem}</bdi></span>`
      : refused > 0
        ? html`<span class="lost">${formatExactCount(refused)} cannot be carried out</span>`
        : "all are served";
  return html`<div class="tile"><h2>HTTP proxies</h2>
<p class="figure">${formatExactCount(programs)}</p>
<p class="note">${note}</p></div>`;
}
