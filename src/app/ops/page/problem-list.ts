import { type Html, html } from "../../../base/core/html.ts";
import { formatAge, formatExactCount } from "../../../base/core/human.ts";
import type { SharedError } from "../../../exporter/policy/status/shared-errors.ts";
import { linkTo, problemId, type StatusQuery, words } from "./sink-list.ts";
import { untilText } from "./sink-table.ts";

const mostShown = 10;

/** The errors that several sinks share, each once, with a link to its sinks; nothing while there are none. */
export function problemList(errors: readonly SharedError[], query: StatusQuery, nowMs: number): Html {
  if (errors.length === 0) return html``;
  const shown = errors.slice(0, mostShown);
  const count = shown.length < errors.length && ` ${mostShown} of ${errors.length}, the most frequent ones`;
  return html`<section aria-labelledby="problems" data-key="problems">
<div class="heading"><h2 id="problems">Errors of several sinks</h2><p class="count">${count}</p></div>
<ul class="policies">${shown.map((error) => problemItem(error, query, nowMs))}</ul>
</section>`;
}

function problemItem(error: SharedError, query: StatusQuery, nowMs: number): Html {
  const { key, reason, message, sinks, policies, since, losesDataAt } = error;
  const id = problemId(key);
  const isChosen = query.problem === id;
  const link = linkTo(query, { problem: isChosen ? undefined : id, health: undefined });
  const ofPolicies = `of ${formatExactCount(policies)} ${policies === 1 ? "policy" : "policies"}`;
  const first = since !== undefined && `, the first ${formatAge(nowMs - Date.parse(since))} ago`;
  const loss = losesDataAt !== undefined && ` · the first loses data ${untilText(losesDataAt, nowMs)}`;
  const [tone, mark] = reason === "Retrying" ? ["retrying", "↻"] : ["failing", "✕"];
  return html`<li id="problem-${id}" data-key="${id}">
<span class="pill ${tone}"><span aria-hidden="true">${mark}</span> ${words(reason)}</span>
<a class="name" href="${link}"${isChosen && html` aria-current="true"`}>${formatExactCount(sinks)} sinks</a>
<span class="note">${ofPolicies}${first}${loss}</span>
<p><bdi class="fault">${message}</bdi></p>
</li>`;
}
