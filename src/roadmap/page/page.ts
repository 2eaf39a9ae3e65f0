import { createHash } from "node:crypto";
import { type Html, html, trustedHtml } from "../../base/core/html.ts";
import type { Backlog, BacklogCacheStatus, BacklogItem, BacklogLabel } from "../board/backlog.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";

/** Polling interval of the page, in ms. */
export interface PagePace {
  readonly idleMs: number;
  readonly refreshingMs: number;
}

export const defaultPace: PagePace = { idleMs: 15_000, refreshingMs: 2_000 };

/** Allows only this page's own style and script, and requests to this server only. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(pageStyle)}`,
  `script-src ${hashOf(pageScript)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * Renders the whole page in its current state; it is complete without its script.
 *
 * @param status undefined when no status has ever been known
 */
export function renderPage(
  status: BacklogCacheStatus | undefined,
  backlog: Backlog | undefined,
  pace: PagePace,
): string {
  const hidden = status?.isRefreshing === true ? "" : " hidden";
  return html`<!doctype html>
<html lang="en" data-idle-ms="${pace.idleMs}" data-refreshing-ms="${pace.refreshingMs}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Roadmap</title>
<style>${trustedHtml(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#backlog">Skip to the roadmap</a>
<header class="top">
<h1>Roadmap</h1>
<div class="freshness">
${updated(status?.updatedAt ?? null)}
<span class="badge refreshing" id="refreshing"${trustedHtml(hidden)}>
<span class="spinner"></span>Refreshing</span>
<span class="badge trouble" id="trouble" hidden>Live updates are interrupted</span>
</div>
<p id="news" class="unseen" role="status"></p>
</header>
<main>${list(backlog)}</main>
<script>${trustedHtml(pageScript)}</script>
</body>
</html>
`.markup;
}

function updated(updatedAt: number | null): Html {
  if (updatedAt === null) return html`<span id="updated" data-updated-at="">Not read yet</span>`;
  const time = new Date(updatedAt).toISOString();
  const text = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  const shown = html`<time datetime="${time}">${text}</time>`;
  return html`<span id="updated" data-updated-at="${updatedAt}">Updated ${shown}</span>`;
}

function list(backlog: Backlog | undefined): Html {
  if (backlog === undefined) {
    const text = "The roadmap is being read for the first time. It appears here by itself.";
    return html`<div id="backlog" data-content="" tabindex="-1"><p class="empty">${text}</p></div>`;
  }
  const { statuses, contentId } = backlog.meta;
  const groups = new Map<string, BacklogItem[]>(statuses.map((status) => [status, []]));
  for (const item of backlog.items) groups.get(item.status)?.push(item);
  const content = `${contentId} ${statuses.join(", ")}`;
  const sections = [...groups].map(([status, items], index) => section(status, items, index));
  return html`<div id="backlog" data-content="${content}" tabindex="-1">${sections}</div>`;
}

function section(status: string, items: readonly BacklogItem[], index: number): Html {
  const id = `status-${index}`;
  const noun = items.length === 1 ? "item" : "items";
  const content =
    items.length === 0
      ? html`<p class="empty">Nothing here right now.</p>`
      : html`<ul class="items">${items.map(entry)}</ul>`;
  return html`
<section id="${id}" aria-labelledby="${id}-name">
<h2 id="${id}-name"><bdi>${status}</bdi> <span class="count">${items.length} ${noun}</span></h2>
${content}
</section>`;
}

function entry(item: BacklogItem): Html {
  const labels =
    item.labels.length > 0 && html`<ul class="labels" aria-label="Labels">${item.labels.map(label)}</ul>`;
  const link = html`<a href="${item.url}"><bdi>${item.title}</bdi></a>`;
  const number = html`<span class="number">#${item.number}</span>`;
  return html`<li class="item" data-key="${item.url}"><p class="title">${link} ${number}</p>${labels}</li>`;
}

/** The colour is a dot beside the name, so the name stays readable with any colour. */
function label({ name, color }: BacklogLabel): Html {
  const dot =
    color !== null &&
    html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
<circle cx="5" cy="5" r="4.5" fill="#${color}"/></svg>`;
  return html`<li class="label">${dot}<bdi>${name}</bdi></li>`;
}
