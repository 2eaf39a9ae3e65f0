import { type Html, html } from "../../../base/core/html.ts";
import type { Condition } from "../../../exporter/policy/status/conditions.ts";
import {
  findCondition,
  type PolicyView,
  type SinkView,
} from "../../../exporter/policy/status/status-view.ts";
import { everything, isFolded, linkTo, type StatusQuery } from "./sink-list.ts";

/**
 * The policies, those with faults first, and of many only those; a policy without a running sink appears only
 * here.
 */
export function policyList(policies: readonly PolicyView[], query: StatusQuery): Html {
  const sorted = policies
    .map((policy) => ({ policy, ready: findCondition(policy.conditions, "Ready") }))
    .sort((a, b) => Number(a.ready?.status !== "False") - Number(b.ready?.status !== "False"));
  const faulty = sorted.filter(({ ready }) => ready?.status === "False").length;
  const shown = sorted.slice(
    0,
    isFolded(policies.length, query) ? Math.min(faulty, query.limit) : query.limit,
  );
  const order = faulty > 0 && (shown.length > faulty ? ", those with faults first" : ", those with faults");
  const isQuiet = shown.length === 0 && policies.length > 0;
  const count = isQuiet ? `${policies.length}, none with faults` : `${shown.length} of ${policies.length}`;
  const allShown = `${linkTo(query, everything)}#policies`;
  const more =
    shown.length < policies.length && html` · <a href="${allShown}">show all ${policies.length}</a>`;
  return html`<section aria-labelledby="policies" data-key="policies">
<div class="heading">
<h2 id="policies">Policies</h2>
<p class="count">${count}${order}${more}</p>
</div>
${
  policies.length === 0
    ? html`<p class="empty">No ExportPolicy has been read yet.</p>`
    : shown.length > 0 &&
      html`<ul class="policies">${shown.map(({ policy, ready }) => policyItem(policy, ready))}</ul>`
}
</section>`;
}

function policyItem({ plane, namespace, name, generation, sinks }: PolicyView, ready?: Condition): Html {
  const [tone, mark] = tones[ready?.status ?? "Unknown"];
  const origin = plane !== "directory" && `${plane}: `;
  const count = `${sinks.length} ${sinks.length === 1 ? "sink" : "sinks"}`;
  return html`<li data-key="${plane}/${namespace}/${name}">
<span class="pill ${tone}"><span aria-hidden="true">${mark}</span> ${ready?.reason ?? "Unknown"}</span>
<span class="name"><bdi>${origin}${namespace}/${name}</bdi></span>
<span class="note">generation ${generation}, ${count}</span>
${ready?.status === "False" && html`<p><bdi class="fault">${ready.message}</bdi></p>`}
${sinks.map(sinkFault)}
</li>`;
}

/** Why a sink is not accepted: the policy's own message only counts such sinks. */
function sinkFault({ name, conditions }: SinkView): Html {
  const accepted = findCondition(conditions, "Accepted");
  if (accepted?.status !== "False") return html``;
  return html`<p><bdi class="fault">${name}: ${accepted.message}</bdi></p>`;
}

const tones = {
  True: ["up-to-date", "✓"],
  False: ["failing", "✕"],
  Unknown: ["starting", "○"],
} as const;
