import { checkRelabelRules, ruleOf } from "../../src/exporter/relabel/check-rule.ts";
import { LabelBuilder } from "../../src/exporter/relabel/label-builder.ts";
import { Relabelling } from "../../src/exporter/relabel/relabel.ts";
import { compareNames } from "../../src/exporter/remote-write/encoding/label-names.ts";
import type { RelabelCase, RelabelOutcome } from "./cases.ts";

const bounds = { maxLabels: 1_000, maxLength: 65_536 };

/** What our rules make of a case, in the form of Prometheus' outcome. */
export function ownOutcome({ rules, labels }: RelabelCase): RelabelOutcome {
  const [fault] = checkRelabelRules(rules);
  if (fault !== undefined) {
    return { fault: fault.field === "regex" ? "regex" : fault.message, kept: false, labels: null };
  }
  const builder = new LabelBuilder(labels.map(([name, value]) => ({ name, value })));
  const result = new Relabelling(rules.map(ruleOf)).apply(builder, bounds);
  if (result !== "kept") return { kept: false, labels: null };
  const found = builder.labels().sort((a, b) => compareNames(a.name, b.name));
  return { kept: true, labels: found.map(({ name, value }) => [name, value]) };
}

/** Prometheus' outcome, with our words for a fault: the names of our fields, and one word for any wrong regex. */
export function wordedOutcome({ fault, kept, labels }: RelabelOutcome): RelabelOutcome {
  if (fault === undefined) return { kept, labels };
  const text = fault
    .replaceAll("target_label", "targetLabel")
    .replaceAll("source_labels", "sourceLabels")
    .replaceAll("`", "'");
  return { fault: fault.includes("error parsing regexp") ? "regex" : text, kept, labels };
}
