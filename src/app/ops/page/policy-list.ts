import { type Html, html } from "../../../base/core/html.ts";
import { findCondition, type PolicyView } from "../../../exporter/policy/status/status-view.ts";

/** The policies, those with faults first; a policy without a running sink appears only here. */
export function policyList(policies: readonly PolicyView[], limit: number): Html {
  const sorted = policies
    .map((policy) => ({ policy, ready: findCondition(policy.conditions, "Ready") }))
    .sort((a, b) => Number(a.ready?.status !== "False") - Number(b.ready?.status !== "False"));
  const faulty = sorted.filter(({ ready }) => ready?.status === "False").length;
  return html`<section aria-labelledby="policies"><div class="heading"><h2 id="policies">Policies</h2><p class="count">${Math.min(limit, policies.length)} of ${policies.length}${faulty > 0 && `, those with faults first`}</p></div>
${
  policies.length === 0
    ? html`<p class="empty">No ExportPolicy has been read yet.</p>`
    : html`<ul class="policies">${sorted.slice(0, limit).map(({ policy, ready }) => {
        const [tone, mark] = tones[ready?.status ?? "Unknown"];
        return html`<li data-key="${`${policy.plane}/${policy.namespace}/${policy.name}`}"><span class="pill ${tone}"><span aria-hidden="true">${mark}</span> ${ready?.reason ?? "Unknown"}</span> <span class="name"><bdi>${policy.plane !== "directory" && `${policy.plane}: `}${policy.namespace}/${policy.name}</bdi></span> <span class="note">generation ${policy.generation}, ${policy.sinks.length} ${policy.sinks.length === 1 ? "sink" : "sinks"}</span>${ready?.status === "False" && html`<p><bdi class="fault">${ready.message}</bdi></p>`}</li>`;
      })}</ul>`
}
</section>`;
}

const tones = {
  True: ["up-to-date", "✓"],
  False: ["failing", "✕"],
  Unknown: ["starting", "○"],
} as const;
