import { labelText, linesInPiece, sinkLabels } from "../../exporter/delivery/export-metrics.ts";
import type { PolicyRef } from "../../exporter/policy/spec/types.ts";
import type { PolicyStatus } from "../../exporter/policy/status/conditions.ts";
import { findCondition } from "../../exporter/policy/status/status-view.ts";

interface ShownPolicy {
  readonly ref: PolicyRef;
  readonly status: PolicyStatus;
}

/** States of a policy by the reason of its condition Ready. */
const policyStates = { SinksAccepted: "ready", SinksNotAccepted: "sinks_not_accepted", Invalid: "invalid" };

export const sinkAccepted = {
  name: "telemetryd_sink_accepted",
  help: "1 if a declared sink is accepted, 0 if it has a fault, or its policy, or its Secret.",
  kind: "gauge",
  labelNames: sinkLabels,
} as const;

export const policyReady = {
  name: "telemetryd_policy_ready",
  help: "1 if all of a policy is in effect, 0 if it or one of its sinks has a fault.",
  kind: "gauge",
  labelNames: sinkLabels.slice(0, -1),
} as const;

export const policyCount = {
  name: "telemetryd_policies",
  help: "Policies by the state of their configuration.",
  kind: "gauge",
  labelNames: ["state"],
} as const;

/** A sink without a valid name can have one as long as its manifest. */
const maxNameLength = 63;

/**
 * The metrics of all policies, valid or not, in Prometheus' text format.
 * A sink that does not run has no other series.
 *
 * @returns whole lines, in pieces of a bounded number of them
 */
export function* policyExposition(policies: Iterable<ShownPolicy>): Generator<string> {
  const counts = new Map(Object.values(policyStates).map((state) => [state, 0]));
  // The series of a metric must not be mixed with those of another one.
  const ready: string[] = [headOf(policyReady)];
  let piece = headOf(sinkAccepted);
  let lines = 0;
  for (const { ref, status } of policies) {
    const reason = findCondition(status.conditions, "Ready")?.reason;
    const state = policyStates[reason as keyof typeof policyStates] ?? policyStates.Invalid;
    counts.set(state, (counts.get(state) ?? 0) + 1);
    const policyLabels = labelText([ref.plane, ref.namespace, ref.name]);
    ready.push(`${policyReady.name}${policyLabels} ${Number(state === policyStates.SinksAccepted)}\n`);
    lines++;
    const names = new Set<string>();
    for (const sink of status.sinks) {
      const name = sink.name.slice(0, maxNameLength);
      // Two sinks of one name are a fault of the policy; the same series twice would break the scrape.
      if (names.has(name)) continue;
      names.add(name);
      const isAccepted = findCondition(sink.conditions, "Accepted")?.status === "True";
      const labels = labelText([ref.plane, ref.namespace, ref.name, name]);
      piece += `${sinkAccepted.name}${labels} ${Number(isAccepted)}\n`;
      lines++;
    }
    if (lines < linesInPiece) continue;
    yield piece;
    piece = "";
    lines = 0;
  }
  yield piece;
  for (let at = 0; at < ready.length; at += linesInPiece) yield ready.slice(at, at + linesInPiece).join("");
  piece = headOf(policyCount);
  for (const [state, count] of counts) piece += `${policyCount.name}{state="${state}"} ${count}\n`;
  yield piece;
}

function headOf({ name, help, kind }: { name: string; help: string; kind: string }): string {
  return `\n# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`;
}
