import { legalizeLabelName } from "../series/label-name.ts";
import { patternCost } from "./relabel-regex.ts";
import { type RelabelAction, type RelabelRule, relabelDefaults, relabelLimits } from "./rule.ts";

/** A rule as written: absent fields have their defaults, and an action may be in Kubernetes' case (`HashMod`). */
export type WrittenRule = {
  readonly [K in keyof RelabelRule]?: (K extends "action" ? string : RelabelRule[K]) | undefined;
};

/** A fault of the rule at `index`, in one of its fields. */
export interface RuleFault {
  readonly index: number;
  readonly field: keyof RelabelRule;
  readonly message: string;
}

const writers: ReadonlySet<RelabelAction> = new Set([
  "replace",
  "hashmod",
  "lowercase",
  "uppercase",
  "keepequal",
  "dropequal",
]);
const withoutReplacement: ReadonlySet<RelabelAction> = new Set([
  "lowercase",
  "uppercase",
  "keepequal",
  "dropequal",
]);

export function ruleOf({ action, ...written }: WrittenRule): RelabelRule {
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  return {
    ...relabelDefaults,
    ...Object.fromEntries(given),
    action: (action ?? relabelDefaults.action).toLowerCase() as RelabelAction,
  };
}

/**
 * Checks a list of rules whose fields have the right types, as Prometheus' `Config.Validate` does (with names
 * in UTF-8), and the bounds of their patterns.
 */
export function checkRelabelRules(list: readonly WrittenRule[]): readonly RuleFault[] {
  const faults: RuleFault[] = [];
  let weight = 0;
  for (const [index, written] of list.entries()) {
    const rule = ruleOf(written);
    const cost = patternCost(rule.regex);
    if ("problem" in cost) {
      const message = `must be a regular expression of RE2: ${cost.problem}`;
      faults.push({ index, field: "regex", message });
    }
    const fault = validate(written, rule);
    if (fault !== undefined) faults.push({ index, field: fault[0], message: fault[1] });
    if ("problem" in cost) continue;
    if (cost.weight > relabelLimits.patternWeight) {
      const message = "is too large a regular expression; use fewer repetitions, or several rules";
      faults.push({ index, field: "regex", message });
    }
    const before = weight;
    weight += cost.weight;
    if (before <= relabelLimits.listWeight && weight > relabelLimits.listWeight) {
      const message =
        "makes the regular expressions of all rules together too large; use fewer or shorter ones";
      faults.push({ index, field: "regex", message });
    }
  }
  return faults;
}

type Fault = readonly [field: keyof RelabelRule, message: string];

function validate(written: WrittenRule, rule: RelabelRule): Fault | undefined {
  const { action, targetLabel, modulus, separator, replacement } = rule;
  if (modulus === 0 && action === "hashmod")
    return ["modulus", "relabel configuration for hashmod requires non-zero modulus"];
  if (writers.has(action) && targetLabel === "")
    return ["targetLabel", `relabel configuration for ${action} action requires 'targetLabel' value`];
  if (withoutReplacement.has(action) && replacement !== relabelDefaults.replacement)
    return ["replacement", `'replacement' can not be set for ${action} action`];
  if (action === "labelmap" && replacement === "")
    return ["replacement", `"" is invalid 'replacement' for ${action} action`];
  const isPlain = modulus === 0 && separator === relabelDefaults.separator;
  if (action === "keepequal" || action === "dropequal") {
    if (written.regex === undefined && isPlain) return undefined;
    return ["action", `${action} action requires only 'sourceLabels' and 'targetLabel', and no other fields`];
  }
  if (action === "labeldrop" || action === "labelkeep") {
    const isAlone = written.sourceLabels === undefined && targetLabel === "";
    if (isAlone && isPlain && replacement === relabelDefaults.replacement) return undefined;
    return ["action", `${action} action requires only 'regex', and no other fields`];
  }
  return undefined;
}

/**
 * The fault of a tenant's rule that names the label which separates tenants. Rules do not see this label:
 * such a rule would silently do nothing.
 */
export function tenantLabelFault(rule: RelabelRule, tenantLabel: string): Fault | undefined {
  const isTenantLabel = (name: string) => legalizeLabelName(name) === tenantLabel;
  const message = `must not name the label ${tenantLabel}: it distinguishes projects`;
  if (rule.sourceLabels.some(isTenantLabel)) return ["sourceLabels", message];
  if (isTenantLabel(rule.targetLabel)) return ["targetLabel", message];
  if (rule.action === "labelmap" && isTenantLabel(rule.replacement)) return ["replacement", message];
  return undefined;
}
