import { z } from "zod";
import { reportIssue } from "../../../base/documents/schema-issue.ts";
import { checkRelabelRules, ruleOf } from "../../relabel/check-rule.ts";
import { relabelActions, relabelDefaults, relabelLimits } from "../../relabel/rule.ts";
import { text as textField } from "./schema-fields.ts";

const { rules: maxRules, sourceLabels: maxSourceLabels, textLength } = relabelLimits;

/** As Kubernetes writes enumerations, beside Prometheus' own: prometheus-operator takes both. */
const capitalized = relabelActions.map(
  (action) =>
    ({
      keepequal: "KeepEqual",
      dropequal: "DropEqual",
      hashmod: "HashMod",
      labelmap: "LabelMap",
      labeldrop: "LabelDrop",
      labelkeep: "LabelKeep",
    })[action as string] ?? `${action[0]?.toUpperCase()}${action.slice(1)}`,
);

function text(description: string, minLength = 0) {
  return textField(textLength, minLength).meta({ description });
}

const rule = z.object({
  sourceLabels: z
    .array(text("A label name", 1))
    .max(maxSourceLabels)
    .meta({ description: "Labels whose values are joined, in this order, and matched" })
    .optional(),
  separator: text(`Text between the joined values; default ${relabelDefaults.separator}`).optional(),
  targetLabel: text(
    `Label that is written; with replace, $1 and \${name} are groups of the match`,
  ).optional(),
  regex: text(
    `Regular expression (RE2) that matches the whole text; default ${relabelDefaults.regex}`,
  ).optional(),
  modulus: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description: "Divisor of hashmod" }).optional(),
  replacement: text(
    `New value; $1 and \${name} are groups of the match; default ${relabelDefaults.replacement}`,
  ).optional(),
  action: z
    .enum([...relabelActions, ...capitalized])
    .meta({ description: `What the rule does; default ${relabelDefaults.action}`, maxLength: 9 })
    .optional(),
});

/**
 * A list of Prometheus' relabelling rules, in Kubernetes' spelling. The output has every default filled in.
 *
 * @param ofItem further keywords of an item's JSON Schema
 */
export function relabelRules(description: string, ofItem: Readonly<Record<string, unknown>> = {}) {
  return z
    .array(rule.meta({ description: "A relabelling rule, as Prometheus has it", ...ofItem }))
    .max(maxRules)
    .meta({ description })
    .superRefine((list, context) => {
      for (const { index, field, message } of checkRelabelRules(list)) {
        reportIssue(context, message, { path: [index, field] });
      }
    })
    .transform((list) => list.map(ruleOf))
    .optional();
}

const actionIs = (...names: readonly string[]) =>
  `has(self.action) && self.action in [${names
    .flatMap((name) => [name, capitalized[relabelActions.indexOf(name as never)]])
    .map((name) => `'${name}'`)
    .join(", ")}]`;
const isPlain = `(!has(self.modulus) || self.modulus == 0) && (!has(self.separator) || self.separator == '${relabelDefaults.separator}')`;
const replacesByDefault = `!has(self.replacement) || self.replacement == '${relabelDefaults.replacement}'`;
const hasTarget = "has(self.targetLabel) && self.targetLabel != ''";

/** The rules of `checkRelabelRules` that an API server with the CRD can check. */
export const relabelCel: readonly (readonly [rule: string, message: string])[] = [
  [
    `!(${actionIs("hashmod")}) || (has(self.modulus) && self.modulus > 0)`,
    "relabel configuration for hashmod requires non-zero modulus",
  ],
  [
    `${actionIs("keep", "drop", "labelmap", "labeldrop", "labelkeep")} || (${hasTarget})`,
    "relabel configuration for this action requires 'targetLabel' value",
  ],
  [
    `!(${actionIs("lowercase", "uppercase", "keepequal", "dropequal")}) || ${replacesByDefault}`,
    "'replacement' can not be set for this action",
  ],
  [
    `!(${actionIs("labelmap")}) || !has(self.replacement) || self.replacement != ''`,
    "\"\" is invalid 'replacement' for labelmap action",
  ],
  [
    `!(${actionIs("keepequal", "dropequal")}) || (!has(self.regex) && ${isPlain})`,
    "keepequal and dropequal require only 'sourceLabels' and 'targetLabel', and no other fields",
  ],
  [
    `!(${actionIs("labeldrop", "labelkeep")}) || (!has(self.sourceLabels) && !(${hasTarget}) && ${isPlain} && (${replacesByDefault}))`,
    "labeldrop and labelkeep require only 'regex', and no other fields",
  ],
];
